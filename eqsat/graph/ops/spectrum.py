"""Singular values and vectors; eigenvalues and eigenvectors of symmetric matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import GradientError
from eqsat.graph.declare import structural
from eqsat.graph.ops.decompose import per_matrix
from eqsat.graph.ops.elemwise import mul, reciprocal
from eqsat.graph.ops.matmul import stacked
from eqsat.graph.ops.matrices import (
    DIVERGED,
    column,
    finite,
    fold_triangle,
    numpy_call,
    on_diagonal,
    row,
    swap,
)
from eqsat.graph.parameters import INTEGER

# -------------------------------------------------------------------------------------------- singular values


def _svd_grad(op: Any, inputs: Any, outputs: Any, gradients: Any) -> list[Any]:
    (a,), (du, ds, dv) = inputs, gradients
    u, s, v = outputs
    if op.params["full"]:
        m, n = a.type.shape[-2:]
        if (du is not None or dv is not None) and (m is None or m != n):
            raise GradientError(
                "svd: with full_matrices the vectors have a gradient only for square matrices",
                operands=[(str(a), a)],
                hint="svd(x, full_matrices=False), or T.specify_shape where it is square",
            )
        u, s, v = svd_op(a, full=0)
    return [svd_gradient(u, s, v, du, ds, dv)]


def _differences(s: Any) -> Any:
    """1 / (s[j] - s[i]) at (i, j), 0 on the diagonal."""
    away = row(s) - column(s)
    inverse = reciprocal(on_diagonal(away, np.ones((), s.dtype), away))
    return on_diagonal(away, np.zeros((), s.dtype), inverse)


def svd_gradient(u: Any, s: Any, v: Any, du: Any, ds: Any, dv: Any) -> Any:
    """Gradient for u diag(s) v from those of its factors; v has the right vectors as rows.

    Source   Townsend 2016, Differentiating the singular value decomposition
    """
    total, far = None, _differences(s * s) if du is not None or dv is not None else None
    parts = []
    if ds is not None:
        parts.append(on_diagonal(row(s) * column(s), column(ds), np.zeros((), s.dtype)))
    if du is not None:
        inner = far * stacked(swap(u), du)
        parts.append((inner + swap(inner)) * row(s))
    if dv is not None:
        inner = far * stacked(v, swap(dv))
        parts.append(column(s) * (inner + swap(inner)))
    for part in parts:
        total = part if total is None else total + part
    result = stacked(stacked(u, total), v)
    if du is not None:
        outside = (du - stacked(u, stacked(swap(u), du))) / row(s)
        result = result + stacked(outside, v)
    if dv is not None:
        outside = (dv - stacked(stacked(dv, swap(v)), v)) / column(s)
        result = result + stacked(u, outside)
    return result


def _svd_flops(m: float, n: float) -> float:
    k, big = min(m, n), max(m, n)
    return 6 * big * k * k + 20 * k**3


@structural(
    "block",
    name="svd",
    signature="(...,m,n)->(...,m,min(m,n+full*m)),(...,min(m,n)),(...,min(n,m+full*n),n)",
    outputs=3,
    parameters={"full": INTEGER},
    grad=_svd_grad,
    builder="spectrum.svd",
    failure=DIVERGED,
    cost=per_matrix(_svd_flops),
)
def svd_op(a: Any, *, full: int) -> Any:
    """Singular value decomposition u diag(s) v = a; s falls, the rows of v are the right vectors.

    Shapes   a: f[..., m, n] -> f[..., m, k], f[..., k], f[..., k, n] with k = min(m, n);
             with ``full`` u and v are square
    """
    return tuple(
        numpy_call("svd", DIVERGED, np.linalg.svd, finite("svd", DIVERGED, a), full_matrices=bool(full))
    )


def _svdvals_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    u, _, v = svd_op(inputs[0], full=0)
    return [stacked(mul(u, row(dy)), v)]


@structural(
    "block",
    name="svdvals",
    signature="(...,m,n)->(...,min(m,n))",
    grad=_svdvals_grad,
    builder="spectrum.svdvals",
    failure=DIVERGED,
    cost=per_matrix(lambda m, n: 8 * max(m, n) * min(m, n) ** 2),
)
def svdvals_op(a: Any) -> Any:
    """Singular values, falling.

    Shapes   a: f[..., m, n] -> f[..., min(m, n)]
    """
    return numpy_call("svdvals", DIVERGED, np.linalg.svd, a, compute_uv=False)


# ------------------------------------------------------------------------------------- symmetric eigenvalues

UNSETTLED = "the eigenvalues did not converge"


def _eigh_grad(op: Any, inputs: Any, outputs: Any, gradients: Any) -> list[Any]:
    """Giles 2008, An extended collection of matrix derivative results, 3.1; one triangle of a is read."""
    (w, v), (dw, dv) = outputs, gradients
    inner = None
    if dv is not None:
        inner = _differences(w) * stacked(swap(v), dv)
    if dw is not None:
        inner = on_diagonal(v, column(dw), np.zeros((), w.dtype) if inner is None else inner)
    total = stacked(stacked(v, inner), swap(v))
    return [fold_triangle((total + swap(total)) * np.asarray(0.5, w.dtype), bool(op.params["lower"]))]


@structural(
    "block",
    name="eigh",
    signature="(...,n,n)->(...,n),(...,n,n)",
    outputs=2,
    parameters={"lower": INTEGER},
    grad=_eigh_grad,
    builder="spectrum.eigh",
    failure=UNSETTLED,
    cost=per_matrix(lambda m, n: 9 * n**3),
)
def eigh_op(a: Any, *, lower: int) -> Any:
    """Eigenvalues of symmetric matrices, rising, and eigenvectors as columns; one triangle is read.

    Shapes   a: f[..., n, n] -> f[..., n], f[..., n, n]
    """
    return tuple(numpy_call("eigh", UNSETTLED, np.linalg.eigh, a, "L" if lower else "U"))


def _eigvalsh_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    _, v = eigh_op(inputs[0], lower=op.params["lower"])
    return [fold_triangle(stacked(mul(v, row(dy)), swap(v)), bool(op.params["lower"]))]


@structural(
    "block",
    name="eigvalsh",
    signature="(...,n,n)->(...,n)",
    parameters={"lower": INTEGER},
    grad=_eigvalsh_grad,
    builder="spectrum.eigvalsh",
    failure=UNSETTLED,
    cost=per_matrix(lambda m, n: 4 * n**3),
)
def eigvalsh_op(a: Any, *, lower: int) -> Any:
    """Eigenvalues of symmetric matrices, rising; one triangle is read.

    Shapes   a: f[..., n, n] -> f[..., n]
    """
    return numpy_call("eigvalsh", UNSETTLED, np.linalg.eigvalsh, a, "L" if lower else "U")
