"""NumPy's functions that pick elements by indices or by masks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, DTypeError, RankError, ShapeError
from eqsat.graph.constant import as_tensor, cast_to, constant, pad_left
from eqsat.graph.dtypes import INEXACT
from eqsat.graph.ops import elemwise as e
from eqsat.graph.ops.create import arange, zeros_like
from eqsat.graph.ops.join import normal_axis
from eqsat.graph.ops.mask import nonzero, within_op
from eqsat.graph.ops.reshape import flatten
from eqsat.graph.ops.shape import dimshuffle, length, scalar_integers
from eqsat.graph.ops.subscript import Steps, set_subtensor

MODES = ("raise", "wrap", "clip")


def integer_indices(name: str, indices: Any) -> Any:
    """Indices as an int64 tensor; an empty list has no elements to be floats."""
    empty = isinstance(indices, (list, tuple)) and np.size(indices) == 0
    i = as_tensor(np.zeros(np.shape(indices), "int64") if empty else indices)
    if i.type.dtype in INEXACT:
        raise DTypeError(f"{name}: {i} is not an index", operands=[("indices", i)], needs="integers")
    return cast_to(i, "int64")


def _check_mode(name: str, mode: str) -> None:
    if mode not in MODES:
        raise ArgumentError(f"{name}: there is no mode {mode!r}", among=(mode, MODES))


def _moved_inside(i: Any, n: Any, mode: str) -> Any:
    """Indices brought into an axis of length n as the mode says; with ``raise`` they stay as they are."""
    if mode == "wrap":
        return e.mod(i, n)
    return e.maximum(e.minimum(i, n - 1), 0) if mode == "clip" else i


def take(a: Any, indices: Any, axis: int | None = None, mode: str = "raise") -> Any:
    """Elements at indices along an axis, or among all elements in row-major order.

    ``mode`` says what an index outside the axis does: "raise" an error, "wrap" around, or "clip" to the ends
    (negative indices to 0).

    Shapes   a: any[n, m], indices: int[k], take(a, indices, 1) -> any[n, k]
    Errors   BoundsError when the function is called; DTypeError for indices that are floats

    >>> import eqsat.tensor as T
    >>> T.take([10, 20, 30], [0, 4], mode="wrap").eval()
    array([10, 20])
    """
    x, i = as_tensor(a), integer_indices("take", indices)
    _check_mode("take", mode)
    flat = x if axis is not None else flatten(x)
    place = normal_axis("take", axis if axis is not None else 0, flat.ndim, x)
    part = flat[(slice(None),) * place + (_moved_inside(i, length(flat, place), mode),)]
    if flat is not x:
        part.tag.steps = Steps(part.tag.steps.count + 1)
    return part


def _along(name: str, arr: Any, indices: Any, axis: int | None) -> tuple[Any, tuple[Any, ...]]:
    """The tensor and the index arrays by which ``indices`` pick along one axis of it."""
    x, i = as_tensor(arr), integer_indices(name, indices)
    if axis is None:
        x, axis = flatten(x), 0
    place = normal_axis(name, axis, x.ndim, x)
    if i.ndim != x.ndim:
        raise RankError(
            f"{name}: the indices have {i.ndim} dimensions, the tensor {x.ndim}",
            operands=[("arr", x), ("indices", i)],
        )
    ranges = [
        dimshuffle(arange(length(x, a)), *(0 if a == b else "x" for b in range(x.ndim)))
        for a in range(x.ndim)
    ]
    return x, tuple(i if a == place else r for a, r in enumerate(ranges))


def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Any:
    """Elements at indices that differ from row to row, such as those of argsort.

    Shapes   arr: any[n, m], indices: int[n, k] -> any[n, k] for axis 1
    Errors   RankError where the ranks differ; BoundsError for an index outside the axis

    >>> import eqsat.tensor as T
    >>> T.take_along_axis([[5, 6], [7, 8]], [[1], [0]], 1).eval()
    array([[6],
           [7]])
    """
    x, index = _along("take_along_axis", arr, indices, axis)
    return x[index]


def put_along_axis(arr: Any, indices: Any, values: Any, axis: int | None) -> Any:
    """A copy of a tensor with values at indices that differ from row to row; the tensor itself is unchanged.

    Errors   RankError where the ranks differ; BoundsError for an index outside the axis

    >>> import eqsat.tensor as T
    >>> T.put_along_axis([[5, 6], [7, 8]], [[1], [0]], 0, 1).eval()
    array([[5, 0],
           [0, 8]])
    """
    whole, (x, index) = as_tensor(arr), _along("put_along_axis", arr, indices, axis)
    part = x[index]
    if x is not whole and axis is None:
        part.tag.steps = Steps(part.tag.steps.count + 1)
    return set_subtensor(part, values)


def nonzero_values(a: Any) -> Any:
    """The elements that are not 0, in row-major order: ``a[a.nonzero()]``.

    Shapes   a: any[...] -> [n]

    >>> import eqsat.tensor as T
    >>> T.nonzero_values([0.0, 5.0, 7.0]).eval()
    array([5., 7.])
    """
    x = as_tensor(a)
    return flatten(x)[flatnonzero(x)]


def flatnonzero(a: Any) -> Any:
    """Indices of the elements that are not 0 among all elements in row-major order.

    Shapes   a: any[...] -> i64[n]

    >>> import eqsat.tensor as T
    >>> T.flatnonzero([[0, 5], [7, 0]]).eval()
    array([1, 2])
    """
    return nonzero(flatten(as_tensor(a)))[0]


def argwhere(a: Any) -> Any:
    """Indices of the elements that are not 0, a row per element.

    Shapes   a: any[n, m] -> i64[k, 2]

    >>> import eqsat.tensor as T
    >>> T.argwhere([[0, 5], [7, 0]]).eval()
    array([[0, 1],
           [1, 0]])
    """
    return dimshuffle(nonzero(a, return_matrix=True), 1, 0)


def compress(condition: Any, a: Any, axis: int | None = None) -> Any:
    """The slices along an axis, or the elements, at which a vector is not 0; it may be shorter than the axis.

    Errors   RankError for a condition that is no vector; BoundsError where it picks beyond the axis

    >>> import eqsat.tensor as T
    >>> T.compress([False, True], [[1, 2], [3, 4]], axis=0).eval()
    array([[3, 4]])
    """
    mask = as_tensor(condition)
    if mask.ndim != 1:
        raise RankError(
            f"compress: the condition has {mask.ndim} dimensions, not 1", operands=[("condition", mask)]
        )
    return take(a, nonzero(mask)[0], axis)


def extract(condition: Any, a: Any) -> Any:
    """The elements at which a condition of the same shape is not 0, in row-major order.

    Shapes   condition, a: any[...] -> [n]

    >>> import eqsat.tensor as T
    >>> T.extract([[True, False], [False, True]], [[1, 2], [3, 4]]).eval()
    array([1, 4])
    """
    return take(a, flatnonzero(condition))


def choose(a: Any, choices: Any, mode: str = "raise") -> Any:
    """At every place the element of the choice that ``a`` names there; ``a`` and the choices broadcast.

    Errors   BoundsError for a number without a choice (mode "raise"), negative ones included

    >>> import eqsat.tensor as T
    >>> T.choose([1, 0], [[10, 20], [30, 40]]).eval()
    array([30, 20])
    """
    i = integer_indices("choose", a)
    _check_mode("choose", mode)
    if not isinstance(choices, (list, tuple)):
        return _choose_row(i, as_tensor(choices), mode)
    if not choices:
        raise ArgumentError("choose: there are no choices", operands=[("a", i)])
    i = _numbered(i, constant(len(choices), dtype="int64"), mode)
    options = [as_tensor(c) for c in choices]
    result = options[-1]
    for k in range(len(options) - 2, -1, -1):
        result = e.switch(e.eq(i, k), options[k], result)
    return result if len(options) > 1 else e.switch(e.eq(i, 0), result, result)


def _numbered(i: Any, n: Any, mode: str) -> Any:
    return within_op(i, n) if mode == "raise" else _moved_inside(i, n, mode)


def _choose_row(i: Any, choices: Any, mode: str) -> Any:
    """Choices that are the rows of one tensor."""
    if choices.ndim == 0:
        raise RankError("choose: the choices have no axis", operands=[("choices", choices)])
    i = _numbered(i, length(choices, 0), mode)
    ndim = max(i.ndim, choices.ndim - 1)
    wide = dimshuffle(choices, 0, *["x"] * (ndim - choices.ndim + 1), *range(1, choices.ndim))
    return take_along_axis(wide, dimshuffle(pad_left(i, ndim), "x", *range(ndim)), 0)[0]


def ix_(*vectors: Any) -> tuple[Any, ...]:
    """Index arrays that pick the rows, columns and so on that the vectors name, each with each.

    Errors   RankError for an argument that is no vector

    >>> import eqsat.tensor as T
    >>> x = T.as_tensor_variable([[1, 2, 3], [4, 5, 6]])
    >>> x[T.ix_([0, 1], [0, 2])].eval()
    array([[1, 3],
           [4, 6]])
    """
    made = []
    for k, vector in enumerate(vectors):
        v = as_tensor(
            np.zeros(0, "int64") if isinstance(vector, (list, tuple)) and not len(vector) else vector
        )
        if v.ndim != 1:
            raise RankError(f"ix_: {v} has {v.ndim} dimensions, not 1", operands=[(str(v), v)])
        v = nonzero(v)[0] if v.type.dtype == "bool" else integer_indices("ix_", v)
        made.append(dimshuffle(v, *(0 if a == k else "x" for a in range(len(vectors)))))
    return tuple(made)


# -------------------------------------------------------------------------------------- indices of flat axes


def _dims(name: str, dims: Any) -> list[Any]:
    values = list(dims) if isinstance(dims, (list, tuple)) else dims
    if not isinstance(values, list):
        v = as_tensor(values)
        known = v.type.shape[0] if v.ndim == 1 else 1
        if known is None:
            raise RankError(
                f"{name}: the number of lengths in {v} is not known",
                operands=[("dims", v)],
                hint="T.specify_shape(dims, (2,)) where there are always 2",
            )
        values = [v] if v.ndim == 0 else [v[k] for k in range(known)]
    return scalar_integers(name, values)


def _check_order(name: str, order: str) -> None:
    if order not in ("C", "F"):
        raise ArgumentError(f"{name}: there is no order {order!r}", needs="C or F")


def unravel_index(indices: Any, dims: Any, order: str = "C") -> tuple[Any, ...]:
    """Indices along each axis of a tensor with lengths ``dims``, of indices among all its elements.

    Errors   BoundsError for an index that is negative or too large

    >>> import eqsat.tensor as T
    >>> [int(i.eval()) for i in T.unravel_index(5, (2, 3))]
    [1, 2]
    """
    i, lengths = integer_indices("unravel_index", indices), _dims("unravel_index", dims)
    _check_order("unravel_index", order)
    if not lengths:
        raise ArgumentError("unravel_index: there are no lengths", operands=[("indices", i)])
    total = lengths[0]
    for n in lengths[1:]:
        total = e.mul(total, n)
    rest, found = within_op(i, total), []
    for n in lengths[::-1] if order == "C" else lengths:
        found.append(e.mod(rest, n))
        rest = e.floordiv(rest, n)
    return tuple(found[::-1] if order == "C" else found)


def ravel_multi_index(
    multi_index: Sequence[Any], dims: Any, mode: str | Sequence[str] = "raise", order: str = "C"
) -> Any:
    """Indices among all elements of a tensor with lengths ``dims``, of indices along each axis of it.

    Errors   ShapeError for more or fewer indices than lengths; BoundsError for an index outside (mode "raise")

    >>> import eqsat.tensor as T
    >>> int(T.ravel_multi_index((1, 2), (2, 3)).eval())
    5
    """
    name = "ravel_multi_index"
    indices, lengths = [integer_indices(name, i) for i in multi_index], _dims(name, dims)
    _check_order(name, order)
    modes = [mode] * len(lengths) if isinstance(mode, str) else list(mode)
    for m in modes:
        _check_mode(name, m)
    if not len(indices) == len(lengths) == len(modes) or not indices:
        raise ShapeError(f"{name}: {len(indices)} indices, {len(lengths)} lengths and {len(modes)} modes")
    total: Any = None
    steps = list(zip(indices, lengths, modes, strict=True))
    for i, n, m in steps if order == "C" else steps[::-1]:
        inside = _numbered(i, n, m)
        total = inside if total is None else e.add(e.mul(total, n), inside)
    return total


# -------------------------------------------------------------------------------------------- rows permuted


def inverse_permutation(perm: Any) -> Any:
    """The permutation that undoes one along the last axis.

    Shapes   perm: integer[..., n] -> integer[..., n]

    >>> import eqsat.tensor as T
    >>> T.inverse_permutation([2, 0, 1]).eval()
    array([1, 2, 0])
    """
    i = integer_indices("inverse_permutation", perm)
    if i.ndim == 0:
        raise RankError(f"inverse_permutation: {i} has no axis", operands=[(str(i), i)])
    places = dimshuffle(arange(length(i, -1 + i.ndim)), *["x"] * (i.ndim - 1), 0)
    return put_along_axis(zeros_like(i), i, places, -1)


def permute_row_elements(x: Any, y: Any, inverse: bool = False) -> Any:
    """Every row of x in the order that the row of y gives, or with ``inverse`` back from it; rows broadcast.

    Shapes   x: any[n, m], y: int[n, m] or int[m] -> any[n, m]
    Errors   RankError where one of them has no axis; BoundsError for an index outside the row

    >>> import eqsat.tensor as T
    >>> T.permute_row_elements([[10, 20, 30]], [2, 0, 1]).eval()
    array([[30, 10, 20]])
    """
    v, order = as_tensor(x), integer_indices("permute_row_elements", y)
    if v.ndim == 0 or order.ndim == 0:
        raise RankError("permute_row_elements: a scalar has no rows", operands=[("x", v), ("y", order)])
    if inverse:
        order = inverse_permutation(order)
    ndim = max(v.ndim, order.ndim)
    return take_along_axis(pad_left(v, ndim), pad_left(order, ndim), -1)
