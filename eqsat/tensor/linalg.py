"""Linear algebra for matrices and stacks of matrices: systems, factors, spectra, determinants."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.base.names import late_names
from eqsat.errors import ArgumentError, RankError, ShapeError
from eqsat.graph.constant import as_tensor, cast_to, pad_left
from eqsat.graph.ops import decompose, determinant, spectrum
from eqsat.graph.ops import solve as systems
from eqsat.graph.ops.create import arange
from eqsat.graph.ops.elemwise import eq, gt, mul
from eqsat.graph.ops.matmul import stacked
from eqsat.graph.ops.matrices import column, identity_like, row, swap
from eqsat.graph.ops.reduce import max_op, sum_op
from eqsat.graph.ops.reshape import reshape
from eqsat.graph.ops.shape import dimshuffle, length
from eqsat.tensor.conditioning import cond
from eqsat.tensor.matrix_operands import as_matrix, as_numpy_gives, on_failure, shaped, system
from eqsat.tensor.matrix_products import block_diag, matrix_dot, multi_dot
from eqsat.tensor.norms import matrix_norm, norm, vector_norm
from eqsat.tensor.spectra import eig, eigh, eigvals, svd, svdvals

__all__ = [
    "block_diag",
    "cond",
    *("cho_solve", "cholesky", "det", "eigvalsh", "expm", "inv"),
    "eig",
    "eigh",
    "eigvals",
    "lstsq",
    "lu",
    "lu_factor",
    "matrix_dot",
    "matrix_inverse",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "vector_norm",
]


def solve(
    a: Any,
    b: Any,
    assume_a: str = "gen",
    lower: bool = False,
    transposed: bool = False,
    check_finite: bool = True,
    on_error: str = "raise",
) -> Any:
    """Solution x of a x = b; ``assume_a`` says what is known of the matrix.

    "gen" is nothing; "sym" and "pos" (positive definite, by Cholesky) read one triangle, the one that ``lower``
    names; "lower triangular" and "upper triangular" substitute. ``check_finite`` is there for SciPy's callers and
    has no effect. A vector b gives a vector; a stack of matrices takes a stack of right sides. ``on_error="nan"`` gives NaN
    for a matrix that fails, and raises nothing.

    Shapes   a: f[..., n, n], b: f[n] or f[..., n, k] -> as b
    Errors   LinAlgError for a singular matrix, when the function is called; ArgumentError for another word

    >>> import eqsat.tensor as T
    >>> T.linalg.solve([[2.0, 0.0], [1.0, 1.0]], [2.0, 3.0]).eval()
    array([1., 2.])
    """
    kinds = ("gen", "sym", "her", "pos", "lower triangular", "upper triangular")
    if assume_a not in kinds:
        raise ArgumentError(f"solve: assume_a does not take {assume_a!r}", among=(assume_a, kinds))
    if assume_a in ("sym", "her"):
        a = _mirrored(as_matrix("solve", a), lower)
    if assume_a == "pos":
        factor = cholesky(a, lower=lower, on_error=on_error)
        return cho_solve((factor, lower), b, on_error=on_error)
    if assume_a.endswith("triangular"):
        low = assume_a.startswith("lower")
        return solve_triangular(a, b, lower=low, trans=int(transposed), on_error=on_error)
    a, b, vector = system("solve", a, b, True)
    op = on_failure("solve", systems.solve_op, on_error)
    return shaped(op(swap(a) if transposed else a, b), vector)


def solve_triangular(
    a: Any,
    b: Any,
    trans: int | str = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    check_finite: bool = True,
    on_error: str = "raise",
) -> Any:
    """Solution x of a x = b for a triangular matrix, of which the other triangle is not read.

    ``trans=1`` (or "T") solves with the transposed matrix; ``unit_diagonal`` takes the diagonal to be 1.
    ``check_finite`` has no effect. ``on_error="nan"`` gives NaN where the diagonal holds a zero, and raises nothing.

    Shapes   a: f[..., n, n], b: f[n] or f[..., n, k] -> as b
    Errors   LinAlgError where the diagonal holds a zero, when the function is called

    >>> import eqsat.tensor as T
    >>> T.linalg.solve_triangular([[2.0, 0.0], [1.0, 1.0]], [2.0, 3.0], lower=True).eval()
    array([1., 2.])
    """
    if trans not in (0, 1, 2, "N", "T", "C"):
        raise ArgumentError(
            f"solve_triangular: trans does not take {trans!r}", needs="0, 1, 2, 'N', 'T' or 'C'"
        )
    a, b, vector = system("solve_triangular", a, b)
    turned = trans not in (0, "N")
    low = int(bool(lower) != turned)
    op = on_failure("solve_triangular", systems.triangular_op, on_error)
    return shaped(op(swap(a) if turned else a, b, lower=low, unit=int(unit_diagonal)), vector)


def cho_solve(c_and_lower: Any, b: Any, check_finite: bool = True, on_error: str = "raise") -> Any:
    """Solution x of a x = b from the Cholesky factor of a: ``cho_solve((c, lower), b)``.

    ``on_error="nan"`` gives NaN where the diagonal of c holds a zero, and raises nothing.

    Shapes   c: f[..., n, n], b: f[n] or f[..., n, k] -> as b
    Errors   RankError for fewer than two dimensions; DTypeError for complex numbers; ShapeError where known lengths
             differ

    >>> import eqsat.tensor as T
    >>> c = T.linalg.cholesky([[4.0, 0.0], [0.0, 1.0]])
    >>> T.linalg.cho_solve((c, True), [8.0, 3.0]).eval()
    array([2., 3.])
    """
    c, low = c_and_lower
    inner = solve_triangular(c, b, lower=low, trans=int(not low), on_error=on_error)
    return solve_triangular(c, inner, lower=low, trans=int(bool(low)), on_error=on_error)


def cholesky(a: Any, lower: bool = True, on_error: str = "raise") -> Any:
    """Triangular factor of a symmetric positive definite matrix: L with L L.T = a, or U with U.T U = a.

    Only that triangle of the matrix is read. ``on_error="nan"`` gives NaN for a matrix that is not positive definite, and
    raises nothing.

    Shapes   a: f[..., n, n] -> f[..., n, n]
    Errors   LinAlgError for a matrix that is not positive definite, when the function is called

    >>> import eqsat.tensor as T
    >>> T.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]]).eval()
    array([[2., 0.],
           [1., 2.]])
    >>> T.linalg.cholesky([[-1.0]], on_error="nan").eval()
    array([[nan]])
    """
    a = as_matrix("cholesky", a)
    op = on_failure("cholesky", decompose.cholesky_op, on_error)
    return op(a) if lower else swap(op(swap(a)))


def inv(a: Any, on_error: str = "raise") -> Any:
    """Inverse of a square matrix.

    ``on_error="nan"`` gives NaN for a singular matrix, and raises nothing.

    Shapes   a: f[..., n, n] -> f[..., n, n]
    Errors   LinAlgError for a singular matrix, when the function is called

    >>> import eqsat.tensor as T
    >>> T.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).eval()
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    return on_failure("inv", systems.inv_op, on_error)(as_matrix("inv", a, True))


def pinv(a: Any, rcond: float | None = None, on_error: str = "raise") -> Any:
    """Moore-Penrose inverse; singular values up to ``rcond`` times the largest count as zero.

    ``on_error="nan"`` gives NaN without convergence, and raises nothing.

    Shapes   a: f[..., m, n] -> f[..., n, m]
    Errors   RankError for fewer than two dimensions; DTypeError for complex numbers; LinAlgError at run time
             without convergence, as for NaN

    >>> import eqsat.tensor as T
    >>> T.linalg.pinv([[2.0], [0.0]]).eval()
    array([[0.5, 0. ]])
    """
    op = on_failure("pinv", systems.pinv_op, on_error)
    return op(as_matrix("pinv", a), cutoff=1e-15 if rcond is None else float(rcond))


def det(a: Any) -> Any:
    """Determinant of a square matrix.

    Shapes   a: f[..., n, n] -> f[...]
    Errors   RankError for fewer than two dimensions; ShapeError where a is known not to be square; DTypeError for
             complex numbers

    >>> import eqsat.tensor as T
    >>> round(float(T.linalg.det([[2.0, 1.0], [0.0, 4.0]]).eval()), 6)
    8.0
    """
    return determinant.det_op(as_matrix("det", a))


def slogdet(a: Any) -> tuple[Any, Any]:
    """Sign of the determinant and logarithm of its absolute value: 0 and -inf for a singular matrix.

    Shapes   a: f[..., n, n] -> f[...], f[...]
    Errors   RankError for fewer than two dimensions; ShapeError where a is known not to be square; DTypeError for
             complex numbers

    >>> import eqsat.tensor as T
    >>> sign, logarithm = T.linalg.slogdet([[-1.0, 0.0], [0.0, 1.0]])
    >>> float(sign.eval()), float(logarithm.eval())
    (-1.0, 0.0)
    """
    return as_numpy_gives(np.linalg.slogdet, *determinant.slogdet_op(as_matrix("slogdet", a)))


def eigvalsh(a: Any, b: Any = None, lower: bool = True, on_error: str = "raise") -> Any:
    """Eigenvalues of a symmetric matrix, rising; with ``b`` those of a v = w b v for a positive definite b.

    ``on_error="nan"`` gives NaN for a matrix that fails, and raises nothing.

    Shapes   a: f[..., n, n] -> f[..., n]
    Errors   RankError for fewer than two dimensions; ShapeError where a is known not to be square; LinAlgError at
             run time without convergence, as for NaN

    >>> import eqsat.tensor as T
    >>> T.linalg.eigvalsh([[2.0, 0.0], [0.0, 1.0]]).eval()
    array([1., 2.])
    """
    a = as_matrix("eigvalsh", a)
    if b is not None:
        full = _mirrored(a, lower)
        factor = cholesky(b, lower=lower, on_error=on_error)
        factor = factor if lower else swap(factor)
        half = solve_triangular(factor, full, lower=True, on_error=on_error)
        a, lower = solve_triangular(factor, swap(half), lower=True, on_error=on_error), True
    return on_failure("eigvalsh", spectrum.eigvalsh_op, on_error)(a, lower=int(bool(lower)))


def _mirrored(a: Any, low: bool) -> Any:
    """The symmetric matrix whose lower or upper triangle is that of a."""
    from eqsat.graph.ops.matrices import lower, upper

    return lower(a) + swap(lower(a, strict=True)) if low else upper(a) + swap(upper(a, strict=True))


def qr(a: Any, mode: str = "reduced") -> Any:
    """Orthonormal columns Q and upper triangle R with Q R = a; modes "reduced", "complete", "r" (R alone).

    Shapes   a: f[..., m, n] -> f[..., m, k], f[..., k, n] with k = min(m, n); "complete" has k = m
    Errors   RankError for fewer than two dimensions; DTypeError for complex numbers; ArgumentError for an unknown
             mode

    >>> import eqsat.tensor as T
    >>> q, r = T.linalg.qr([[-2.0, 0.0], [0.0, -1.0]])
    >>> (q @ r).eval()
    array([[-2.,  0.],
           [ 0., -1.]])
    """
    names = {"reduced": 0, "full": 0, "complete": 1, "r": 0, "economic": 0}
    if mode not in names:
        raise ArgumentError(
            f"qr: the mode {mode!r} is unknown",
            needs="'reduced', 'complete' or 'r'",
            among=(mode, ["reduced", "complete", "r"]),
        )
    q, r = decompose.qr_op(as_matrix("qr", a), full=names[mode])
    return r if mode == "r" else as_numpy_gives(np.linalg.qr, q, r)


def lu_factor(a: Any) -> tuple[Any, Any]:
    """Both factors of LU in one matrix, and for each row in turn the row with which it was exchanged.

    Shapes   a: f[..., m, n] -> f[..., m, n], i32[..., min(m, n)]
    Errors   RankError for fewer than two dimensions; DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> factors, rows = T.linalg.lu_factor([[0.0, 2.0], [4.0, 0.0]])
    >>> rows.eval()
    array([1, 1], dtype=int32)
    """
    factors, pivots, _ = decompose.lu_op(as_matrix("lu_factor", a))
    return factors, pivots


def lu(a: Any, permute_l: bool = False, p_indices: bool = False) -> Any:
    """Factors P, L, U with P L U = a; ``permute_l`` gives P L and U, ``p_indices`` the rows instead of P.

    Shapes   a: f[..., m, n] -> f[..., m, m], f[..., m, k], f[..., k, n] with k = min(m, n)
    Errors   RankError for fewer than two dimensions; DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> p, l, u = T.linalg.lu([[0.0, 2.0], [4.0, 0.0]])
    >>> u.eval()
    array([[4., 0.],
           [0., 2.]])
    """
    a = as_matrix("lu", a)
    factors, _, rows = decompose.lu_op(a)
    low, high = decompose.triangles_of(factors)
    here = arange(length(a, a.ndim - 2))
    if p_indices:  # the inverse permutation, as SciPy gives it: a = L[p] U
        hit = eq(column(rows), here)
        return _finish_rows(hit, here), low, high
    place = eq(column(here) if a.ndim == 2 else pad_left(column(here), a.ndim), row(rows))
    p = cast_to(place, a.dtype)
    return (stacked(p, low), high) if permute_l else (p, low, high)


def _finish_rows(hit: Any, here: Any) -> Any:
    """For each column of a permutation the row that holds it."""
    spots = mul(cast_to(hit, "int64"), column(here))
    return dimshuffle(sum_op(spots, axes=(hit.ndim - 2,)), *range(hit.ndim - 2), hit.ndim - 1)


def lstsq(a: Any, b: Any, rcond: float | None = None) -> tuple[Any, Any, Any, Any]:
    """Least-squares solution of a x = b of least norm, the sums of squares left, the rank, the singular values.

    The sums of squares are given in every case, for a vector b one, where NumPy gives an empty array for a rank below n.

    Shapes   a: f[..., m, n], b: f[m] or f[..., m, k] -> f[..., n, k], f[..., k], i64[...], f[..., min(m, n)]
    Errors   RankError for fewer than two dimensions; DTypeError for complex numbers; ShapeError where the known
             numbers of rows differ

    >>> import eqsat.tensor as T
    >>> x, left, rank, s = T.linalg.lstsq([[1.0], [1.0]], [1.0, 3.0])
    >>> x.eval()
    array([2.])
    """
    plain = as_matrix("lstsq", a)
    a, b, vector = system("lstsq", plain, b)
    cutoff = -1.0 if rcond is None else float(rcond)
    x = stacked(systems.pinv_op(a, cutoff=cutoff), b)
    left = b - stacked(a, x)
    squares = sum_op(left * left, axes=(left.ndim - 2,))
    kept = [*range(left.ndim - 2), left.ndim - 1]
    s = spectrum.svdvals_op(plain)
    rank = _rank(s, _eps(plain) if rcond is None else np.asarray(cutoff, plain.dtype))
    return shaped(x, vector), dimshuffle(squares, *kept), rank, s


def _eps(a: Any) -> Any:
    """The larger length times the distance from 1 to the next number."""
    from eqsat.graph.ops.elemwise import maximum

    longer = maximum(length(a, a.ndim - 2), length(a, a.ndim - 1))
    return cast_to(longer, a.dtype) * np.asarray(np.finfo(a.dtype).eps, a.dtype)


def _rank(s: Any, part: Any, least: Any = None) -> Any:
    axis = s.ndim - 1
    limit = max_op(s, axes=(axis,)) * part if least is None else as_tensor(least)
    count = sum_op(cast_to(gt(s, limit), "int64"), axes=(axis,))
    return dimshuffle(count, *range(axis))


def matrix_rank(a: Any, tol: float | None = None) -> Any:
    """Number of singular values above ``tol``, or above the rounding errors of the largest one.

    Shapes   a: f[..., m, n] -> i64[...]
    Errors   RankError for fewer than two dimensions; DTypeError for complex numbers; LinAlgError at run time
             without convergence, as for NaN

    >>> import eqsat.tensor as T
    >>> int(T.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]).eval())
    1
    """
    a = as_matrix("matrix_rank", a)
    return _rank(spectrum.svdvals_op(a), _eps(a), tol)


def matrix_power(a: Any, n: int) -> Any:
    """Matrix to an integer power, by repeated squaring; a negative power inverts the matrix first.

    Shapes   a: any[..., m, m] -> the same
    Errors   ArgumentError where n is not an integer

    >>> import eqsat.tensor as T
    >>> T.linalg.matrix_power([[1.0, 1.0], [0.0, 1.0]], 3).eval()
    array([[1., 3.],
           [0., 1.]])
    """
    a = as_tensor(a)
    if not isinstance(n, (int, np.integer)) or isinstance(n, bool):
        raise ArgumentError(f"matrix_power: the power is {n!r}, not an integer")
    if a.ndim < 2 or n < 0:
        a = as_matrix("matrix_power", a)
    rows, columns = a.type.shape[-2:]
    if rows is not None and columns is not None and rows != columns:
        raise ShapeError(f"matrix_power: {a} is {rows} by {columns}, not square", operands=[(str(a), a)])
    if n == 0:
        return a * 0 + identity_like(a)
    base, result, rest = (inv(a) if n < 0 else a), None, abs(int(n))
    while rest:
        if rest & 1:
            result = base if result is None else stacked(result, base)
        rest >>= 1
        base = stacked(base, base) if rest else base
    return result


def expm(a: Any) -> Any:
    """Exponential of a square matrix.

    Shapes   a: f[..., n, n] -> f[..., n, n]
    Errors   RankError for fewer than two dimensions; ShapeError where a is known not to be square; DTypeError for
             complex numbers

    >>> import eqsat.tensor as T
    >>> T.linalg.expm([[0.0, 1.0], [0.0, 0.0]]).eval()
    array([[1., 1.],
           [0., 1.]])
    """
    return determinant.expm_op(as_matrix("expm", a))


def _size(x: Any, axes: range) -> Any:
    total: Any = as_tensor(np.ones((), "int64"))
    for axis in axes:
        total = length(x, axis) * total
    return total


def tensorinv(a: Any, ind: int = 2) -> Any:
    """Inverse of a tensor seen as a matrix from its last axes to its first ``ind``.

    Shapes   a: f[s..., t...] with as many elements in s as in t -> f[t..., s...]

    >>> import eqsat.tensor as T
    >>> T.linalg.tensorinv([[4.0, 0.0], [0.0, 2.0]], ind=1).eval()
    array([[0.25, 0.  ],
           [0.  , 0.5 ]])
    """
    a = as_tensor(a)
    if not 0 < ind < a.ndim:
        raise ArgumentError(f"tensorinv: ind is {ind}, a has {a.ndim} dimensions", operands=[(str(a), a)])
    flat = reshape(a, (_size(a, range(ind)), _size(a, range(ind, a.ndim))), ndim=2)
    lengths = [length(a, k) for k in (*range(ind, a.ndim), *range(ind))]
    return reshape(inv(flat), lengths, ndim=a.ndim)


def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """Solution x of tensordot(a, x, x.ndim) = b; ``axes`` of a are moved to its end first.

    Shapes   a: f[s..., t...], b: f[s...] -> f[t...]

    >>> import eqsat.tensor as T
    >>> T.linalg.tensorsolve([[4.0, 0.0], [0.0, 2.0]], [4.0, 4.0]).eval()
    array([1., 2.])
    """
    a, b = as_tensor(a), as_tensor(b)
    if axes is not None:
        moved = [k % a.ndim for k in axes]
        a = dimshuffle(a, *(k for k in range(a.ndim) if k not in moved), *moved)
    if b.ndim >= a.ndim:
        raise RankError("tensorsolve: b has as many dimensions as a", operands=[(str(a), a), (str(b), b)])
    flat = reshape(a, (_size(b, range(b.ndim)), _size(a, range(b.ndim, a.ndim))), ndim=2)
    x = solve(flat, reshape(b, (_size(b, range(b.ndim)),), ndim=1))
    return reshape(x, [length(a, k) for k in range(b.ndim, a.ndim)], ndim=a.ndim - b.ndim)


matrix_inverse = inv


_ELSEWHERE = frozenset(
    [
        "cross",
        "diag",
        "diagonal",
        "dot",
        "kron",
        "matmul",
        "outer",
        "tensordot",
        "trace",
        "vecdot",
        "AllocDiag",
    ]
)


# What NumPy and Theano keep among linear algebra and eqsat.tensor offers itself.
late_names(__name__, {name: f"eqsat.tensor:{name}" for name in _ELSEWHERE})
