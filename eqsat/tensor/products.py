"""Products over axes as users call them: dot and tensordot of any rank, outer, inner, kron, cross, trace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, RankError, ShapeError
from eqsat.graph.constant import as_tensor, cast_to, pad_left
from eqsat.graph.dtypes import accumulator, promote
from eqsat.graph.ops import linalg
from eqsat.graph.ops.complex import conj
from eqsat.graph.ops.diagonal import diagonal
from eqsat.graph.ops.elemwise import mul
from eqsat.graph.ops.join import normal_axis, stack
from eqsat.graph.ops.reduce import sum_op
from eqsat.graph.ops.reshape import flatten, reshape
from eqsat.graph.ops.shape import dimshuffle, length
from eqsat.graph.ops.specify import specify

Axes = int | Sequence[int] | Sequence[Sequence[int]]


def size_of(x: Any, axes: Iterable[int]) -> Any:
    """Number of elements over some axes: an int where the type knows it, else a 0-d int64."""
    known, rest = 1, None
    for axis in axes:
        n = x.type.shape[axis]
        if n is None:
            rest = length(x, axis) if rest is None else rest * length(x, axis)
        else:
            known *= n
    return known if rest is None else rest if known == 1 else rest * known


def lengths_of(x: Any, axes: Iterable[int]) -> list[Any]:
    """Length of each axis: an int where the type knows it, else a 0-d int64."""
    return [size_of(x, (axis,)) for axis in axes]


def grouped(x: Any, *groups: Sequence[int]) -> Any:
    """Tensor whose axes are groups of the axes of x, in row-major order."""
    if all(len(group) <= 1 for group in groups):
        return dimshuffle(x, *(group[0] if group else "x" for group in groups))
    x = dimshuffle(x, *(axis for group in groups for axis in group))
    places = iter(range(x.ndim))
    return reshape(x, [size_of(x, [next(places) for _ in group]) for group in groups], ndim=len(groups))


def dot(x: Any, y: Any) -> Any:
    """Sum of products over the last axis of x and the last but one of y, as numpy.dot.

    Numbers multiply; of two vectors it is the inner product; of matrices the matrix product.

    Shapes   f[k], f[k] -> f[];  f[m, k], f[k, n] -> f[m, n];  f[a, m, k], f[b, k, n] -> f[a, m, b, n]
    Errors   ShapeError where known inner lengths differ

    >>> import eqsat.tensor as T
    >>> T.dot([[1.0, 2.0]], [3.0, 4.0]).eval()
    array([11.])
    """
    x, y = as_tensor(x), as_tensor(y)
    if x.ndim <= 2 and y.ndim <= 2 or x.ndim == 0 or y.ndim == 0:
        return linalg.dot(x, y)
    return _over("dot", x, y, [x.ndim - 1], [max(y.ndim - 2, 0)])


def tensordot(a: Any, b: Any, axes: Axes = 2) -> Any:
    """Sum of products over several axes at once; it becomes one matrix product.

    ``axes=n`` joins the last n axes of a with the first n of b; a pair of lists names the axes of each.

    Shapes   a: f[i, j, k], b: f[j, k, l], axes=2 -> f[i, l];  axes=0 -> all axes of a, then all of b
    Errors   ShapeError where known lengths differ; ArgumentError for axes that do not pair

    >>> import eqsat.tensor as T
    >>> x, y = T.tensor3("x"), T.tensor3("y")
    >>> T.tensordot(x, y, axes=[[1, 2], [0, 1]]).ndim
    2
    """
    a, b = as_tensor(a), as_tensor(b)
    first, second = _axis_pairs(a, b, axes)
    return _over("tensordot", a, b, first, second)


def _axis_pairs(a: Any, b: Any, axes: Any) -> tuple[list[int], list[int]]:
    operands = [(str(a), a), (str(b), b)]
    if isinstance(axes, (int, np.integer)):
        if not 0 <= axes <= min(a.ndim, b.ndim):
            raise ArgumentError(
                f"tensordot: axes={axes} for {a.ndim} and {b.ndim} dimensions", operands=operands
            )
        return list(range(a.ndim - int(axes), a.ndim)), list(range(int(axes)))
    pair = list(axes)
    if len(pair) != 2:
        raise ArgumentError(
            f"tensordot: axes={axes!r}",
            operands=operands,
            needs="an int, or one list of axes for each operand",
        )
    lists = [list(p) if isinstance(p, (list, tuple, np.ndarray)) else [p] for p in pair]
    first, second = (
        [normal_axis("tensordot", k, v.ndim, v) for k in p] for p, v in zip(lists, (a, b), strict=True)
    )
    if len(first) != len(second) or len({*first}) != len(first) or len({*second}) != len(second):
        raise ArgumentError(
            f"tensordot: the axes {lists[0]} and {lists[1]} do not pair",
            operands=operands,
            needs="lists of one length, without an axis twice",
        )
    return first, second


def _over(name: str, a: Any, b: Any, first: Sequence[int], second: Sequence[int]) -> Any:
    """Product of two tensors, summed over pairs of axes, through one product of matrices."""
    for i, j in zip(first, second, strict=True):
        m, n = a.type.shape[i], b.type.shape[j]
        if m is not None and n is not None and m != n:
            raise ShapeError(
                f"{name}: axis {i} of {a} has length {m}, axis {j} of {b} has length {n}",
                operands=[(str(a), a), (str(b), b)],
                needs="equal lengths of the axes that are summed",
            )
    left = [k for k in range(a.ndim) if k not in first]
    right = [k for k in range(b.ndim) if k not in second]
    dtype = promote(a.type.dtype, b.type.dtype)
    product = linalg.dot_op(
        grouped(cast_to(a, dtype), left, first), grouped(cast_to(b, dtype), second, right)
    )
    if len(left) <= 1 and len(right) <= 1:
        return dimshuffle(product, *[0] * len(left), *[1] * len(right))
    lengths = [*lengths_of(a, left), *lengths_of(b, right)]
    return reshape(product, lengths, ndim=len(lengths))


def outer(x: Any, y: Any) -> Any:
    """Products of all pairs of elements, as numpy.outer; tensors are read as vectors.

    Shapes   x: any[m], y: any[n] -> any[m, n]

    >>> import eqsat.tensor as T
    >>> T.outer([1.0, 2.0], [3.0, 4.0]).eval()
    array([[3., 4.],
           [6., 8.]])
    """
    x, y = (v if v.ndim == 1 else flatten(v) for v in (as_tensor(x), as_tensor(y)))
    return linalg.outer(x, y)


def inner(x: Any, y: Any) -> Any:
    """Sum of products over the last axis of both, as numpy.inner.

    Shapes   f[m, k], f[n, k] -> f[m, n];  f[k], f[k] -> f[]

    >>> import eqsat.tensor as T
    >>> float(T.inner([1.0, 2.0], [3.0, 4.0]).eval())
    11.0
    """
    x, y = as_tensor(x), as_tensor(y)
    if x.ndim == 0 or y.ndim == 0:
        return mul(x, y)
    return _over("inner", x, y, [x.ndim - 1], [y.ndim - 1])


def vdot(x: Any, y: Any) -> Any:
    """Sum of all products of conj(x) and y, read as vectors, as numpy.vdot.

    Shapes   any[...], any[...] with as many elements -> any[]

    >>> import eqsat.tensor as T
    >>> float(T.vdot([[1.0], [2.0]], [[3.0], [4.0]]).eval())
    11.0
    """
    x, y = (flatten(v) if v.ndim else pad_left(v, 1) for v in (as_tensor(x), as_tensor(y)))
    return linalg.dot(conj(x), y)


def vecdot(x: Any, y: Any, axis: int = -1) -> Any:
    """Sums of products of conj(x) and y over one axis, as numpy.linalg.vecdot.

    Shapes   f[..., n], f[..., n] -> f[...]

    >>> import eqsat.tensor as T
    >>> T.vecdot([[1.0, 2.0]], [[3.0, 4.0]]).eval()
    array([11.])
    """
    product = mul(conj(as_tensor(x)), as_tensor(y))
    place = normal_axis("vecdot", axis, product.ndim, product)
    return dimshuffle(sum_op(product, axes=(place,)), *(a for a in range(product.ndim) if a != place))


def kron(x: Any, y: Any) -> Any:
    """Kronecker product: y scaled by every element of x, as numpy.kron.

    Shapes   f[m, n], f[p, q] -> f[m p, n q]

    >>> import eqsat.tensor as T
    >>> T.kron([[1.0, 2.0]], [[1.0], [3.0]]).eval()
    array([[1., 2.],
           [3., 6.]])
    """
    x, y = as_tensor(x), as_tensor(y)
    ndim = max(x.ndim, y.ndim)
    x, y = pad_left(x, ndim), pad_left(y, ndim)
    left: list[Any] = [p for k in range(ndim) for p in (k, "x")]
    right: list[Any] = [p for k in range(ndim) for p in ("x", k)]
    product = mul(dimshuffle(x, *left), dimshuffle(y, *right))
    return grouped(product, *((2 * k, 2 * k + 1) for k in range(ndim)))


def cross(x: Any, y: Any, axis: int = -1) -> Any:
    """Cross product of vectors of length 3 along an axis, as numpy.cross.

    Shapes   f[..., 3], f[..., 3] -> f[..., 3]
    Errors   ShapeError where the length is known and is not 3, else when the function is called

    >>> import eqsat.tensor as T
    >>> T.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]).eval()
    array([0., 0., 1.])
    """
    parts = []
    for v in (as_tensor(x), as_tensor(y)):
        if v.ndim == 0:
            raise RankError(f"cross: {v} is a number", operands=[(str(v), v)], needs="vectors of length 3")
        place = normal_axis("cross", axis, v.ndim, v)
        v = dimshuffle(v, *(a for a in range(v.ndim) if a != place), place)
        if v.type.shape[-1] not in (None, 3):
            raise ShapeError(
                f"cross: axis {axis} has length {v.type.shape[-1]}, not 3", operands=[(str(v), v)]
            )
        v = specify(v, (None,) * (v.ndim - 1) + (3,))
        parts.append([v[..., k] for k in range(3)])
    (a, b, c), (d, e, f) = parts
    return stack([b * f - c * e, c * d - a * f, a * e - b * d], axis=axis)


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Sum of a diagonal of two axes, as numpy.trace; small integers and bool give 64-bit integers.

    Shapes   x: any[n, m] -> any[];  any[n, m, k] -> any[k]
    Errors   RankError for fewer than two dimensions

    >>> import eqsat.tensor as T
    >>> float(T.trace([[1.0, 2.0], [3.0, 4.0]]).eval())
    5.0
    """
    x = as_tensor(x)
    if x.ndim < 2:
        raise RankError(f"trace: {x} has {x.ndim} dimensions, not 2 or more", operands=[(str(x), x)])
    line = diagonal(x, offset, axis1, axis2)
    total = sum_op(cast_to(line, accumulator(x.dtype)), axes=(line.ndim - 1,))
    return dimshuffle(total, *range(line.ndim - 1))
