"""NumPy's functions on diagonals and triangles of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, RankError, ShapeError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.core import Variable
from eqsat.graph.dtypes import check_dtype
from eqsat.graph.ops import elemwise as e
from eqsat.graph.ops.create import alloc, arange
from eqsat.graph.ops.diagonal import diagonal, diagonal_pattern, set_diagonal_op
from eqsat.graph.ops.mask import nonzero
from eqsat.graph.ops.reshape import flatten
from eqsat.graph.ops.shape import dimshuffle, length, scalar_integers
from eqsat.graph.ops.subscript import set_subtensor


def _grid(name: str, n: Any, m: Any, k: Any) -> tuple[Any, Any]:
    """Column vector of row numbers plus k, and row vector of column numbers; negative lengths count as 0."""
    rows, columns, offset = scalar_integers(name, [n, n if m is None else m, k])
    return dimshuffle(e.add(arange(rows), offset), 0, "x"), dimshuffle(arange(columns), "x", 0)


def eye(n: Any, m: Any = None, k: Any = 0, dtype: Any = None) -> Any:
    """Matrix with ones on a diagonal and zeros elsewhere; sizes and diagonal may be symbolic.

    Shapes   three integers -> f[n, m]

    >>> import eqsat.tensor as T
    >>> T.eye(2, 3, k=1, dtype="int64").eval()
    array([[0, 1, 0],
           [0, 0, 1]])
    """
    return cast_to(e.eq(*_grid("eye", n, m, k)), check_dtype(dtype or "floatX"))


def identity(n: Any, dtype: Any = None) -> Any:
    """Square matrix with ones on the diagonal.

    Shapes   n: integer[] -> f[n, n]

    >>> import eqsat.tensor as T
    >>> T.identity(2, "int64").eval()
    array([[1, 0],
           [0, 1]])
    """
    return eye(n, dtype=dtype)


def identity_like(x: Any, dtype: Any = None) -> Any:
    """Matrix of x's shape and dtype with ones on the diagonal.

    Errors   RankError where x is no matrix

    >>> import eqsat.tensor as T
    >>> T.identity_like([[5.0, 6.0]]).eval()
    array([[1., 0.]])
    """
    x = as_tensor(x)
    _matrix("identity_like", x)
    return eye(length(x, 0), length(x, 1), dtype=dtype or x.type.dtype)


def _matrix(name: str, x: Any) -> None:
    if x.ndim != 2:
        raise RankError(f"{name}: {x} has {x.ndim} dimensions, not 2", operands=[(str(x), x)])


def tri(n: Any, m: Any = None, k: Any = 0, dtype: Any = None) -> Any:
    """Matrix with ones on and below a diagonal; sizes and diagonal may be symbolic.

    Shapes   -> f[n, m]

    >>> import eqsat.tensor as T
    >>> T.tri(2, 3, dtype="int64").eval()
    array([[1, 0, 0],
           [1, 1, 0]])
    """
    return cast_to(e.ge(*_grid("tri", n, m, k)), check_dtype(dtype or "floatX"))


def tril(m: Any, k: Any = 0) -> Any:
    """The lower triangle of the last two axes; 0 above the diagonal k.

    Shapes   m: any[..., a, b] -> [..., a, b]
    Errors   RankError for a scalar

    >>> import eqsat.tensor as T
    >>> T.tril([[1, 2], [3, 4]]).eval()
    array([[1, 0],
           [3, 4]])
    """
    x = as_tensor(m)
    return e.switch(_triangle("tril", x, k), x, np.zeros((), x.type.dtype))


def triu(m: Any, k: Any = 0) -> Any:
    """The upper triangle of the last two axes; 0 below the diagonal k.

    Shapes   m: any[..., a, b] -> [..., a, b]
    Errors   RankError for a scalar

    >>> import eqsat.tensor as T
    >>> T.triu([[1, 2], [3, 4]]).eval()
    array([[1, 2],
           [0, 4]])
    """
    x = as_tensor(m)
    return e.switch(_triangle("triu", x, as_tensor(k) - 1), np.zeros((), x.type.dtype), x)


def _triangle(name: str, x: Any, k: Any) -> Any:
    """True on and below the diagonal k of the last two axes of x; a vector counts as equal rows, as in NumPy."""
    if x.ndim == 0:
        raise RankError(f"{name}: {x} has no axes", operands=[(str(x), x)])
    return tri(length(x, max(x.ndim - 2, 0)), length(x, x.ndim - 1), k, "bool")


def tril_indices(n: Any, k: Any = 0, m: Any = None) -> tuple[Any, Any]:
    """Row and column indices of the lower triangle of an n by m matrix.

    Shapes   -> two int64 vectors of one length

    >>> import eqsat.tensor as T
    >>> [i.eval().tolist() for i in T.tril_indices(2)]
    [[0, 1, 1], [0, 0, 1]]
    """
    rows, columns = nonzero(tri(n, m, k, "bool"))
    return rows, columns


def triu_indices(n: Any, k: Any = 0, m: Any = None) -> tuple[Any, Any]:
    """Row and column indices of the upper triangle of an n by m matrix.

    Shapes   -> two int64 vectors of one length

    >>> import eqsat.tensor as T
    >>> [i.eval().tolist() for i in T.triu_indices(2)]
    [[0, 0, 1], [0, 1, 1]]
    """
    rows, columns = nonzero(e.invert(tri(n, m, as_tensor(k) - 1, "bool")))
    return rows, columns


def tril_indices_from(a: Any, k: Any = 0) -> tuple[Any, Any]:
    """Indices of the lower triangle of a matrix.

    Shapes   a: any[n, m] -> two int64 vectors of one length
    Errors   RankError where a is no matrix

    >>> import eqsat.tensor as T
    >>> [i.eval().tolist() for i in T.tril_indices_from([[1, 2]])]
    [[0], [0]]
    """
    x = as_tensor(a)
    _matrix("tril_indices_from", x)
    return tril_indices(length(x, 0), k, length(x, 1))


def triu_indices_from(a: Any, k: Any = 0) -> tuple[Any, Any]:
    """Indices of the upper triangle of a matrix.

    Shapes   a: any[n, m] -> two int64 vectors of one length
    Errors   RankError where a is no matrix

    >>> import eqsat.tensor as T
    >>> [i.eval().tolist() for i in T.triu_indices_from([[1, 2]])]
    [[0, 0], [0, 1]]
    """
    x = as_tensor(a)
    _matrix("triu_indices_from", x)
    return triu_indices(length(x, 0), k, length(x, 1))


# -------------------------------------------------------------------------------------------------- diagonals


class AllocDiag:
    """Makes tensors that hold another tensor on a diagonal of two axes, and 0 elsewhere.

    >>> import eqsat.tensor as T
    >>> T.AllocDiag(offset=1)([1.0, 2.0]).eval().tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]
    """

    def __init__(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> None:
        self.offset, self.axis1, self.axis2 = offset, axis1, axis2

    def __call__(self, diag: Any) -> Any:
        return alloc_diag(diag, self.offset, self.axis1, self.axis2)


def alloc_diag(diag: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Tensor that holds the last axis of another on a diagonal of two new axes, and 0 elsewhere.

    Shapes   diag: f[k, n] -> f[n, n, k]
    Errors   RankError for a scalar; AxisError where the two axes are one

    >>> import eqsat.tensor as T
    >>> T.alloc_diag([1.0, 2.0]).eval().tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """
    y = as_tensor(diag)
    if y.ndim == 0:
        raise RankError(f"alloc_diag: {y} has no axis", operands=[(str(y), y)])
    if isinstance(offset, bool) or not isinstance(offset, (int, np.integer)):
        raise ArgumentError(f"alloc_diag: the offset {offset!r} is not an integer", operands=[("diag", y)])
    last = y.ndim - 1
    size = e.add(length(y, last), np.int64(abs(offset))) if offset else length(y, last)
    lengths = [length(y, a) for a in range(last)]
    zeros = alloc(np.zeros((), y.type.dtype), *lengths, size, size)
    _, first, second = diagonal_pattern("alloc_diag", zeros, offset, axis1, axis2)
    made = set_diagonal_op(zeros, y, pattern=(int(offset), last, last + 1), add=0)
    rest = iter(range(last))
    places = {first: last, second: last + 1}
    return dimshuffle(made, *(places[a] if a in places else next(rest) for a in range(y.ndim + 1)))


def diag(v: Any, k: int = 0) -> Any:
    """The diagonal k of a matrix, or the matrix with a vector on its diagonal k.

    Errors   RankError for any other rank

    >>> import eqsat.tensor as T
    >>> T.diag([[1.0, 2.0], [3.0, 4.0]], 1).eval().tolist()
    [2.0]
    """
    x = as_tensor(v)
    if x.ndim not in (1, 2):
        raise RankError(
            f"diag: {x} has {x.ndim} dimensions, not 1 or 2",
            operands=[(str(x), x)],
            hint="T.diagonal(x) or T.alloc_diag(x)",
        )
    return alloc_diag(x, k) if x.ndim == 1 else diagonal(x, k)


def diagflat(v: Any, k: int = 0) -> Any:
    """The matrix with all elements of a tensor on its diagonal k.

    Shapes   v: any[...] of n elements -> [n + abs(k), n + abs(k)]

    >>> import eqsat.tensor as T
    >>> T.diagflat([[1.0], [2.0]]).eval().tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """
    return alloc_diag(flatten(as_tensor(v)), k)


def fill_diagonal(a: Any, val: Any) -> Any:
    """A copy of a tensor with a value on its main diagonal; beyond two axes all lengths must be equal.

    Errors   RankError for fewer than two axes; ShapeError where lengths differ; DTypeError for a value that
             does not fit

    >>> import eqsat.tensor as T
    >>> T.fill_diagonal([[1, 2], [3, 4]], 0).eval().tolist()
    [[0, 2], [3, 0]]
    """
    x = as_tensor(a)
    if x.ndim < 2:
        raise RankError(f"fill_diagonal: {x} has {x.ndim} dimensions, not 2 or more", operands=[(str(x), x)])
    if x.ndim == 2:
        return fill_diagonal_offset(x, val, 0)
    known = {n for n in x.type.shape if n is not None}
    if len(known) > 1:
        raise ShapeError(f"fill_diagonal: the lengths {x.type.shape} of {x} differ", operands=[(str(x), x)])
    return set_subtensor(x[tuple(arange(length(x, k)) for k in range(x.ndim))], val)


def fill_diagonal_offset(a: Any, val: Any, offset: Any) -> Any:
    """A copy of a matrix with a value on the diagonal ``offset``, a number or an integer scalar.

    Shapes   a: any[m, n] -> [m, n]; a diagonal outside of the matrix changes nothing where the offset is a variable

    >>> import eqsat.tensor as T
    >>> T.fill_diagonal_offset([[1, 2], [3, 4]], 0, 1).eval().tolist()
    [[1, 0], [3, 4]]
    """
    x = as_tensor(a)
    _matrix("fill_diagonal_offset", x)
    if not isinstance(offset, Variable):
        return set_subtensor(diagonal(x, offset), val)
    hit = e.eq(*_grid("fill_diagonal_offset", length(x, 0), length(x, 1), offset))
    return e.switch(hit, cast_to(as_tensor(val), x.dtype), x)
