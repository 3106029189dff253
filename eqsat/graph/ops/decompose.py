"""Factors of matrices: Cholesky, LU, QR."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import GradientError
from eqsat.graph.constant import cast_to
from eqsat.graph.declare import Cost, structural
from eqsat.graph.ops.create import alloc, arange
from eqsat.graph.ops.elemwise import eq, neg, sqrt
from eqsat.graph.ops.join import concatenate
from eqsat.graph.ops.matmul import stacked
from eqsat.graph.ops.matrices import (
    column,
    fold_triangle,
    identity_like,
    lower,
    numpy_call,
    on_diagonal,
    row,
    swap,
    upper,
)
from eqsat.graph.ops.shape import length
from eqsat.graph.ops.solve import triangular_op
from eqsat.graph.parameters import INTEGER


def per_matrix(flops: Any) -> Any:
    """Cost of ``flops(m, n)`` in a library for each matrix of a stack."""

    def cost(op: Any, ins: Sequence[Sequence[float]], out: Sequence[float]) -> Cost:
        batch = float(np.prod(ins[0][:-2]))
        size = float(np.prod(ins[0]))
        return Cost(
            flops=batch * flops(*ins[0][-2:]), order=min(ins[0][-2:]), calls=2 * batch, bytes=24 * size
        )

    return cost


def over_batch(function: Any, x: Any, dtypes: Sequence[Any], shapes: Sequence[Any]) -> tuple[Any, ...]:
    """Results of a function of one matrix for each matrix of a stack."""
    batch = x.shape[:-2]
    results = [np.empty((*batch, *s), d) for d, s in zip(dtypes, shapes, strict=True)]
    for index in np.ndindex(batch):
        for result, value in zip(results, function(x[index]), strict=True):
            result[index] = value
    return tuple(results)


# --------------------------------------------------------------------------------------------------- Cholesky

INDEFINITE = "the matrix is not positive definite"


def _cholesky_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    """Murray 2016, Differentiation of the Cholesky decomposition; only the lower triangle of a is read."""
    inner = lower(stacked(swap(out), lower(dy)))
    inner = on_diagonal(inner, inner * np.asarray(0.5, inner.dtype), inner)
    left = triangular_op(swap(out), inner, lower=0, unit=0)
    both = swap(triangular_op(swap(out), swap(left), lower=0, unit=0))
    return [fold_triangle(both, True)]


@structural(
    "block",
    name="cholesky",
    signature="(...,n,n)->(...,n,n)",
    of_numbers=sqrt,
    of_multiples=lambda c, found: sqrt(c) * found,
    scales_positive=True,
    grad=_cholesky_grad,
    builder="decompose.cholesky",
    cost=per_matrix(lambda m, n: n**3 / 3),
    of_matrices=True,
    failure=INDEFINITE,
    real="cholesky(a)",
)
def cholesky_op(a: Any) -> Any:
    """Lower triangles L with L transpose(L) = a, of which only the lower triangle is read.

    Shapes   a: f[..., n, n] -> f[..., n, n]
    """
    return numpy_call("cholesky", INDEFINITE, np.linalg.cholesky, np.tril(a))


# --------------------------------------------------------------------------------------------------------- LU


def triangles_of(lu: Any) -> tuple[Any, Any]:
    """The factors in the compact form of LU: L[..., m, k] with a unit diagonal, and U[..., k, n]."""
    m, n = (length(lu, a) for a in (lu.ndim - 2, lu.ndim - 1))
    known_m, known_n = lu.type.shape[-2:]
    low, high = lu, lu
    if known_m is None or known_n is None or known_m < known_n:
        low = lu[..., :m]
    if known_m is None or known_n is None or known_m > known_n:
        high = lu[..., :n, :]
    one = np.ones((), lu.dtype)
    return on_diagonal(low, one, lower(low, strict=True)), upper(high)


def _squared(x: Any, axis: int) -> Any:
    """Triangular factor made square: unit rows or columns are appended where it is too short."""
    if x.type.shape[-1] is not None and x.type.shape[-1] == x.type.shape[-2]:
        return x
    other = x.ndim - 1 if axis == x.ndim - 2 else x.ndim - 2
    lengths = [length(x, a) for a in range(x.ndim)]
    lengths[axis] = length(x, other) - length(x, axis)
    missing = alloc(np.zeros((), x.dtype), *lengths)
    full = concatenate([x, missing], axis)
    beyond = arange(length(x, other)) >= length(x, axis)
    return full + identity_like(full) * cast_to(beyond, x.dtype)


def lu_grad(op: Any, inputs: Any, outputs: Any, gradients: Any) -> list[Any]:
    (lu, _, rows), dy = outputs, gradients[0]
    low, high = triangles_of(lu)
    low, high = _squared(low, lu.ndim - 1), _squared(high, lu.ndim - 2)
    inner = lower(stacked(swap(low), lower(dy, strict=True)), strict=True)
    inner = inner + upper(stacked(upper(dy), swap(high)))
    left = triangular_op(swap(low), inner, lower=0, unit=1)
    both = swap(triangular_op(high, swap(left), lower=0, unit=0))
    here = column(arange(length(lu, lu.ndim - 2)))
    for _ in range(lu.ndim - 2):
        here = here.dimshuffle("x", *range(here.ndim))
    return [stacked(cast_to(eq(here, row(rows)), lu.dtype), both)]


def lu_one(a: Any) -> tuple[Any, Any, Any]:
    from scipy.linalg.lapack import get_lapack_funcs

    rows = np.arange(len(a))
    if a.size == 0:
        return a, np.zeros(0, np.int32), rows
    lu, pivots, _ = get_lapack_funcs("getrf", (a,))(a)
    for i, p in enumerate(pivots):
        rows[[i, p]] = rows[[p, i]]
    return lu, pivots, rows


@structural(
    "block",
    name="lu_factor",
    signature="(...,m,n)->(...,m,n),(...,min(m,n)),(...,m)",
    dtypes="a->a,int32,int64",
    outputs=3,
    grad=lu_grad,
    builder="decompose.lu",
    cost=per_matrix(lambda m, n: min(m, n) ** 2 * (max(m, n) - min(m, n) / 3)),
)
def lu_op(a: Any) -> Any:
    """Both factors of LU in one matrix, the rows exchanged in turn, and the order of rows that results.

    With the third result p the rows of a are a[p] = L U.

    Shapes   a: f[..., m, n] -> f[..., m, n], i32[..., min(m, n)], i64[..., m]
    """
    m, n = a.shape[-2:]
    return over_batch(lu_one, a, [a.dtype, np.int32, np.int64], [(m, n), (min(m, n),), (m,)])


# --------------------------------------------------------------------------------------------------------- QR


def _qr_grad(op: Any, inputs: Any, outputs: Any, gradients: Any) -> list[Any]:
    """Walter, Lehmann & Lamour 2012 for tall matrices; of a wide one the first columns are decomposed."""
    (a,), (q, r), (dq, dr) = inputs, outputs, gradients
    m, n = a.type.shape[-2:]
    tall = m is not None and n is not None and m >= n
    if op.params["full"] and not (m is not None and n is not None and m <= n):
        raise GradientError(
            "qr: all columns of Q have no gradient where the matrix may have more rows than columns",
            operands=[(str(a), a)],
            hint="qr(x, mode='reduced'), or T.specify_shape where it is not tall",
        )
    if tall:
        return [_tall_qr_grad(q, r, dq, dr)]
    k = length(q, q.ndim - 1)
    if dr is None:
        first = _tall_qr_grad(q, r[..., :k], dq, None)
        return [concatenate([first, a[..., k:] * 0], a.ndim - 1)]
    more = stacked(a[..., k:], swap(dr[..., k:]))
    first = _tall_qr_grad(q, r[..., :k], more if dq is None else dq + more, dr[..., :k])
    return [concatenate([first, stacked(q, dr[..., k:])], a.ndim - 1)]


def _tall_qr_grad(q: Any, r: Any, dq: Any, dr: Any) -> Any:
    inner = None if dr is None else stacked(r, swap(upper(dr)))
    if dq is not None:
        outer = neg(stacked(swap(dq), q))
        inner = outer if inner is None else inner + outer
    strict = lower(inner, strict=True)
    right = stacked(q, lower(inner) + swap(strict))
    total = right if dq is None else dq + right
    return swap(triangular_op(r, swap(total), lower=0, unit=0))


def _qr_flops(m: float, n: float) -> float:
    k = min(m, n)
    return 4 * m * n * k - 2 * (m + n) * k * k + 4 / 3 * k**3 + 2 * m * k * k


@structural(
    "block",
    name="qr",
    signature="(...,m,n)->(...,m,min(m,n+full*m)),(...,min(m,n+full*m),n)",
    outputs=2,
    parameters={"full": INTEGER},
    grad=_qr_grad,
    builder="decompose.qr",
    cost=per_matrix(_qr_flops),
)
def qr_op(a: Any, *, full: int) -> Any:
    """Orthonormal columns Q and upper triangles R with Q R = a, by Householder reflections.

    Shapes   a: f[..., m, n] -> f[..., m, k], f[..., k, n] with k = min(m, n), or k = m for ``full``
    """
    return tuple(np.linalg.qr(a, mode="complete" if full else "reduced"))
