"""``pytensor.tensor.linalg``: matrices with the parameters and defaults of PyTensor.

>>> q, r = LINALG["qr"](tensor.as_tensor([[3.0], [4.0]]))
>>> q.eval().shape, LINALG["qr"](tensor.as_tensor([[3.0], [4.0]]), mode="economic")[0].eval().shape
((2, 2), (2, 1))
"""

from __future__ import annotations

from typing import Any

from eqsat import tensor
from eqsat.errors import ArgumentError

T: Any = tensor
MODES_OF_QR = {
    "full": "complete",
    "complete": "complete",
    "economic": "reduced",
    "reduced": "reduced",
    "r": "r",
}
SAME_AS = {  # what PyTensor lets a caller assume of a matrix, and what that is here
    "gen": "gen",
    "general": "gen",
    "sym": "sym",
    "symmetric": "sym",
    "her": "her",
    "hermitian": "her",
    "pos": "pos",
    "positive definite": "pos",
    "diagonal": "gen",
    "tridiagonal": "gen",
    "banded": "gen",
    "lower triangular": "lower triangular",
    "upper triangular": "upper triangular",
}


def cholesky(
    x: Any,
    lower: bool = True,
    *,
    check_finite: bool = True,
    overwrite_a: bool = False,
    on_error: str = "raise",
) -> Any:
    """``cholesky``; a matrix that is not positive definite is an error, or NaN where ``on_error`` says so."""
    return T.linalg.cholesky(x, lower, on_error)


def eigh(a: Any, b: Any = None, lower: bool = True, UPLO: str | None = None, driver: str = "evr") -> Any:
    """``eigh``; with b the eigenvectors of a v = w b v, for a positive definite b."""
    half = UPLO or ("L" if lower else "U")
    if b is None:
        return T.linalg.eigh(a, half)
    a = T.as_tensor_variable(a)
    full = T.tril(a) + T.tril(a, -1).mT if half in "Ll" else T.triu(a) + T.triu(a, 1).mT
    factor = T.linalg.cholesky(b if half in "Ll" else T.as_tensor_variable(b).mT)
    left = T.linalg.solve_triangular(factor, full, lower=True)
    w, v = T.linalg.eigh(T.linalg.solve_triangular(factor, left.mT, lower=True))
    return w, T.linalg.solve_triangular(factor, v, lower=True, trans=1)


def qr(
    A: Any, mode: str = "full", overwrite_a: bool = False, pivoting: bool = False, lwork: Any = None
) -> Any:
    """``qr``, whose mode "full" gives a square Q."""
    if pivoting or mode not in MODES_OF_QR:
        raise ArgumentError(
            f"qr: there is no {'pivoting' if pivoting else f'mode {mode!r}'} in eqsat",
            needs="one of the modes " + ", ".join(MODES_OF_QR) + ", without pivoting",
        )
    return T.linalg.qr(A, MODES_OF_QR[mode])


def lu(
    a: Any,
    permute_l: bool = False,
    check_finite: bool = True,
    p_indices: bool = False,
    overwrite_a: bool = False,
) -> Any:
    """``lu``."""
    return T.linalg.lu(a, permute_l, p_indices)


def lu_factor(a: Any, *, check_finite: bool = True, overwrite_a: bool = False) -> Any:
    """``lu_factor``."""
    return T.linalg.lu_factor(a)


def pivot_to_permutation(p: Any, inverse: bool = False) -> Any:
    """The order of rows after exchanging each row in turn with another; with ``inverse`` where each row comes from."""
    from eqsat.scan import scan

    pivots = T.as_tensor_variable(p)

    def exchange(other: Any, here: Any, rows: Any) -> Any:
        first, second = rows[here], rows[other]
        return T.set_subtensor(T.set_subtensor(rows[here], second)[other], first)

    start = T.arange(pivots.shape[0])
    rows = scan(exchange, [pivots, start], T.unbroadcast(start, *range(1)))[0][-1]
    return rows if inverse else T.argsort(rows)


def lu_solve(
    LU_and_pivots: tuple[Any, Any],
    b: Any,
    trans: bool = False,
    b_ndim: int | None = None,
    check_finite: bool = True,
    overwrite_b: bool = False,
) -> Any:
    """Solution of a x = b from the result of ``lu_factor(a)``."""
    factors, pivots = LU_and_pivots
    rows = pivot_to_permutation(pivots, inverse=True)
    b = T.as_tensor_variable(b)
    steps = [{"lower": True, "unit_diagonal": True}, {"lower": False}]
    x = b if trans else b[rows]
    for options in reversed(steps) if trans else steps:
        x = T.linalg.solve_triangular(factors, x, trans=int(trans), **options)
    return x[T.argsort(rows)] if trans else x


def _system(solver: Any, a: Any, b: Any, b_ndim: int | None, **options: Any) -> Any:
    """A solver for right sides that are vectors or matrices, as ``b_ndim`` says."""
    b = T.as_tensor_variable(b)
    if b_ndim == 1 and b.ndim > 1:
        return solver(a, T.shape_padright(b), **options)[..., 0]
    return solver(a, b, **options)


def solve(
    a: Any,
    b: Any,
    *,
    lower: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    assume_a: str = "gen",
    transposed: bool = False,
    b_ndim: int | None = None,
) -> Any:
    """``solve``."""
    known = SAME_AS.get(assume_a, assume_a)
    return _system(T.linalg.solve, a, b, b_ndim, assume_a=known, lower=lower, transposed=transposed)


def solve_triangular(
    a: Any,
    b: Any,
    *,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    check_finite: bool = True,
    b_ndim: int | None = None,
) -> Any:
    """``solve_triangular``."""
    options = {"trans": trans, "lower": lower, "unit_diagonal": unit_diagonal}
    return _system(T.linalg.solve_triangular, a, b, b_ndim, **options)


def cho_solve(c_and_lower: tuple[Any, bool], b: Any, b_ndim: int | None = None, **ignored: Any) -> Any:
    """``cho_solve``."""
    return _system(T.linalg.cho_solve, c_and_lower, b, b_ndim)


def pinv(x: Any, hermitian: bool = False) -> Any:
    """``pinv``."""
    return T.linalg.pinv(x)


LINALG = {
    made.__name__: made
    for made in (
        *(cholesky, eigh, qr, lu, lu_factor, lu_solve, pivot_to_permutation),
        *(solve, solve_triangular, cho_solve, pinv),
    )
}
