"""Functions of matrices; a matrix that fails gives NaN."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.bridges.pivots import permutation
from eqsat.bridges.torch.reading import value_of
from eqsat.bridges.torch.table import At, on
from eqsat.bridges.translate import Refused
from eqsat.graph.dtypes import COMPLEX

NAN = "nan"


def _turned(m: Any) -> Any:
    return T.swapaxes(T.conj(m) if m.dtype in COMPLEX else m, -1, -2)


def _fine(a: Any) -> Any:
    """The number by which LAPACK says that it went well, one for each matrix."""
    return T.zeros([a.shape[k] for k in range(a.ndim - 2)], dtype="int32")


@on("cholesky", "linalg_cholesky", "linalg_cholesky_ex")
def cholesky(c: At, a: Any, upper: bool = False, **named: Any) -> Any:
    upper = named.get("upper", upper)
    made = (
        _turned(T.linalg.cholesky(_turned(a) if upper else a, on_error=NAN))
        if upper
        else T.linalg.cholesky(a, on_error=NAN)
    )
    return [made, _fine(a)] if c.count == 2 else made


@on("linalg_solve_triangular")
def solve_triangular(
    c: At, a: Any, b: Any, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Any:
    """The solution of a x = b, or of x a = b by the transposes."""
    if not left:
        a, b, upper = T.swapaxes(a, -1, -2), T.swapaxes(b, -1, -2), not upper
    found = T.linalg.solve_triangular(a, b, lower=not upper, unit_diagonal=unitriangular, on_error=NAN)
    return found if left else T.swapaxes(found, -1, -2)


@on("triangular_solve")
def triangular_solve(c: At, b: Any, a: Any, upper: bool = True, transpose: bool = False, unitriangular: bool = False) -> Any:  # fmt: skip
    given = a
    if transpose:
        a, upper = T.swapaxes(a, -1, -2), not upper
    return [
        T.linalg.solve_triangular(a, b, lower=not upper, unit_diagonal=unitriangular, on_error=NAN),
        given,
    ]


@on("cholesky_solve")
def cholesky_solve(c: At, b: Any, a: Any, upper: bool = False) -> Any:
    """The solution by the factor of a matrix."""
    a = _turned(a) if upper else a
    half = T.linalg.solve_triangular(a, b, lower=True, on_error=NAN)
    return T.linalg.solve_triangular(_turned(a), half, lower=False, on_error=NAN)


@on("linalg_inv_ex")
def inverse(c: At, a: Any, **named: Any) -> Any:
    return [T.linalg.inv(a, on_error=NAN), _fine(a)]


@on("linalg_qr")
def qr(c: At, a: Any, mode: str = "reduced") -> Any:
    if mode not in ("reduced", "complete"):
        raise Refused(f"the mode {mode}")
    return list(T.linalg.qr(a, mode))


@on("_linalg_svd")
def svd(c: At, a: Any, full_matrices: bool = False, compute_uv: bool = True, **named: Any) -> Any:
    found = T.linalg.svd(a, full_matrices, compute_uv, on_error=NAN)
    if compute_uv:
        return list(found)
    empty = lambda v: T.zeros(c.kind(v).shape, dtype=c.kind(v).dtype)
    return [empty(0), found, empty(2)]


@on("_linalg_eigh")
def eigh(c: At, a: Any, UPLO: str = "L", compute_v: bool = True) -> Any:
    values, vectors = T.linalg.eigh(a, UPLO=UPLO, on_error=NAN)
    return [values, vectors if compute_v else T.zeros(c.kind(1).shape, dtype=a.dtype)]


def _factors(a: Any) -> tuple[Any, Any]:
    """The factors in one matrix, and the exchanges of rows counted from 1."""
    factors, pivots = T.linalg.lu_factor(a)
    return factors, T.cast(pivots, "int32") + np.int32(1)


@on("linalg_lu_factor_ex")
def lu_factor(c: At, a: Any, *, pivot: bool = True, check_errors: bool = False) -> Any:
    if not pivot:
        raise Refused("factors without exchanges")
    return [*_factors(a), _fine(a)]


@on("linalg_lu")
def lu(c: At, a: Any, *, pivot: bool = True) -> Any:
    if not pivot:
        raise Refused("factors without exchanges")
    return list(T.linalg.lu(a))


@on("linalg_lu_solve")
def lu_solve(c: At, factors: Any, pivots: Any, b: Any, *, left: bool = True, adjoint: bool = False) -> Any:
    """The solution of a x = b by the factors of a, or of its adjoint; x a = b is the adjoint of one of these."""
    if not left:
        return _turned(lu_solve(c, factors, pivots, _turned(b), adjoint=not adjoint))
    count = factors.shape[factors.ndim - 1]
    rows = permutation(pivots - np.int32(1), count)
    moved = T.cast(
        T.eq(T.arange(count), rows.dimshuffle(*range(rows.ndim), "x")), b.dtype
    )  # b[rows] = moved @ b
    solve = partial(T.linalg.solve_triangular, on_error=NAN)
    if not adjoint:
        return solve(factors, solve(factors, T.matmul(moved, b), lower=True, unit_diagonal=True), lower=False)
    half = solve(_turned(factors), b, lower=True)
    return T.matmul(_turned(moved), solve(_turned(factors), half, lower=False, unit_diagonal=True))


def _for_gradient(c: At, a: Any) -> tuple[Any, Any]:
    """The factors that the gradient of a determinant takes: of a real matrix whose rows lie in memory one by one those of its transpose."""
    own = value_of(c.node.inputs[0])
    return _factors(T.swapaxes(a, -1, -2) if own.is_contiguous() and not own.is_complex() else a)


@on("_linalg_slogdet", "_linalg_det")
def determinant(c: At, a: Any) -> Any:
    """With the factors that the gradient takes."""
    if 0 in a.type.shape:
        raise Refused("the determinant of nothing")
    made = T.linalg.slogdet(a) if c.name == "_linalg_slogdet" else [T.linalg.det(a)]
    return [*made, *_for_gradient(c, a)]


@on("_linalg_solve_ex")
def solve(c: At, a: Any, b: Any, *, left: bool = True, check_errors: bool = False) -> Any:
    """The solution, and the factors that the gradient takes."""
    vector = b.ndim == a.ndim - 1
    if not left or 0 in a.type.shape:
        raise Refused("a solution of x a = b" if not left else "the solution of nothing")
    wide = T.expand_dims(b, -1) if vector else b
    found = T.linalg.solve(a, wide, on_error=NAN)
    return [found[..., 0] if vector else found, *_factors(a), _fine(a)]
