"""Functions of matrices; a matrix that fails gives NaN."""

from __future__ import annotations

from typing import Any

import numpy as np

import eqsat.tensor as T
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


@on("linalg_lu_factor_ex")
def lu_factor(c: At, a: Any, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """The factors in one matrix, and the exchanges of rows counted from 1."""
    if not pivot:
        raise Refused("factors without exchanges")
    factors, pivots = T.linalg.lu_factor(a)
    return [factors, T.cast(pivots, "int32") + np.int32(1), _fine(a)]


@on("_linalg_slogdet")
def slogdet(c: At, a: Any) -> Any:
    """With the factors that the gradient takes."""
    if 0 in a.type.shape:
        raise Refused("the determinant of nothing")
    sign, log = T.linalg.slogdet(a)
    factors, pivots = T.linalg.lu_factor(a)
    return [sign, log, factors, T.cast(pivots, "int32") + np.int32(1)]


@on("_linalg_det")
def det(c: At, a: Any) -> Any:
    if 0 in a.type.shape:
        raise Refused("the determinant of nothing")
    factors, pivots = T.linalg.lu_factor(a)
    return [T.linalg.det(a), factors, T.cast(pivots, "int32") + np.int32(1)]


@on("_linalg_solve_ex")
def solve(c: At, a: Any, b: Any, *, left: bool = True, check_errors: bool = False) -> Any:
    """The solution, and the factors that the gradient takes."""
    vector = b.ndim == a.ndim - 1
    if not left or 0 in a.type.shape:
        raise Refused("a solution of x a = b" if not left else "the solution of nothing")
    wide = T.expand_dims(b, -1) if vector else b
    found = T.linalg.solve(a, wide, on_error=NAN)
    factors, pivots = T.linalg.lu_factor(a)
    return [found[..., 0] if vector else found, factors, T.cast(pivots, "int32") + np.int32(1), _fine(a)]
