"""Determinants, plain and as sign and logarithm, and the exponential of a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.graph.declare import structural
from eqsat.graph.ops.decompose import per_matrix
from eqsat.graph.ops.elemwise import exp
from eqsat.graph.ops.join import concatenate
from eqsat.graph.ops.matrices import column, swap
from eqsat.graph.ops.solve import inv_op
from eqsat.graph.parameters import INTEGER


def _over_matrix(v: Any) -> Any:
    return column(column(v))


def _slogdet_grad(op: Any, inputs: Any, outputs: Any, gradients: Any) -> list[Any]:
    (a,), dy = inputs, gradients[1]
    return [None if dy is None else _over_matrix(dy) * swap(inv_op(a))]


_lu_cost = per_matrix(lambda m, n: n**3 * 2 / 3)


@structural(
    "block",
    name="det",
    signature="(...,n,n)->(...)",
    transposed="dropped",
    of_products="mul",
    grad=lambda op, inputs, out, dy: [_over_matrix(dy * out) * swap(inv_op(inputs[0]))],
    builder="determinant.det",
    cost=_lu_cost,
    of_matrices=True,
    real="det(a)",
)
def det_op(a: Any) -> Any:
    """Determinants of matrices.

    Shapes   a: f[..., n, n] -> f[...]
    """
    return np.linalg.det(a)


@structural(
    "block",
    name="slogdet",
    signature="(...,n,n)->(...),(...)",
    outputs=2,
    grad=_slogdet_grad,
    builder="determinant.slogdet",
    cost=_lu_cost,
)
def slogdet_op(a: Any) -> Any:
    """Signs of determinants, and logarithms of their absolute values: 0 and -inf for a singular matrix.

    Shapes   a: f[..., n, n] -> f[...], f[...]
    """
    return tuple(np.linalg.slogdet(a))


@structural(
    "block",
    name="logdet",
    signature="(...,n,n)->(...)",
    parameters={"absolute": INTEGER},
    transposed="dropped",
    of_products="add if absolute",
    grad=lambda op, inputs, out, dy: [_over_matrix(dy) * swap(inv_op(inputs[0]))],
    builder="determinant.logdet",
    cost=_lu_cost,
    real="log_det(a, absolute)",
)
def logdet_op(a: Any, *, absolute: int) -> Any:
    """Logarithms of determinants, NaN for a negative one; with ``absolute`` those of their sizes.

    Shapes   a: f[..., n, n] -> f[...]
    """
    sign, logarithm = np.linalg.slogdet(a)
    return logarithm if absolute else np.where(sign < 0, np.nan, logarithm).astype(a.dtype)


# ------------------------------------------------------------------------------------- exponential of a matrix


def _expm_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    """The derivative in a direction is a block of the exponential of a matrix of twice the length."""
    last, n = out.ndim - 1, out.shape[-1]
    a = swap(inputs[0])
    top = concatenate([a, dy], last)
    bottom = concatenate([a * 0, a], last)
    return [expm_op(concatenate([top, bottom], last - 1))[..., :n, n:]]


def _expm(a: Any) -> Any:
    from scipy.linalg import expm

    if a.size == 0:
        return a
    flat = a.reshape(-1, *a.shape[-2:])
    parts = [expm(x) if np.isfinite(x).all() else np.full(x.shape, np.nan, a.dtype) for x in flat]
    return np.stack(parts).reshape(a.shape)


@structural(
    "block",
    name="expm",
    signature="(...,n,n)->(...,n,n)",
    transposed="kept",
    of_numbers=exp,
    real="exponential(a)",
    grad=_expm_grad,
    builder="determinant.expm",
    cost=per_matrix(lambda m, n: (2 * 8 + 8 / 3) * n**3),
)
def expm_op(a: Any) -> Any:
    """Exponentials of matrices, by scaling, a Pade approximant of degree 13 and squaring.

    Source   Higham 2005, SIAM J. Matrix Anal. Appl. 26(4)

    Shapes   a: f[..., n, n] -> f[..., n, n]
    """
    return _expm(a)
