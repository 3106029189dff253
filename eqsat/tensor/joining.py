"""Tensors joined to one, and one tensor split into several."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, DTypeError, RankError, ShapeError
from eqsat.graph.constant import as_tensor, cast_to, constant
from eqsat.graph.core import Constant, Variable
from eqsat.graph.dtypes import INEXACT, promote
from eqsat.graph.ops import join as ops
from eqsat.graph.ops.elemwise import floordiv, minimum, mod
from eqsat.graph.ops.join_at import join_at_op
from eqsat.graph.ops.reshape import flatten
from eqsat.graph.ops.search import part_ends_op
from eqsat.graph.ops.shape import dimshuffle, length, make_vector, scalar_integers
from eqsat.tensor.rearrange import atleast_1d, atleast_2d, atleast_3d


def concatenate(tensors: Sequence[Any], axis: Any = 0) -> Any:
    """Tensors of one rank joined along an axis, or without their shapes for ``axis=None``.

    The axis may be a symbolic integer; then no length of the result is known before the function runs.

    Shapes   [f[a, n], f[b, n]] -> f[a + b, n]
    Errors   ShapeError where another axis differs; RankError where the ranks differ

    >>> import eqsat.tensor as T
    >>> T.concatenate([[1, 2], [3]]).eval()
    array([1, 2, 3])
    """
    xs = _listed("concatenate", tensors)
    if axis is None:
        return ops.concatenate([flatten(x) for x in xs])
    if isinstance(axis, Variable):
        (axis,) = scalar_integers("concatenate", [axis])
        if not isinstance(axis, Constant):
            return _joined_at(xs, axis)
        axis = int(axis.data)
    return ops.concatenate(xs, axis)


def _listed(name: str, tensors: Any) -> list[Any]:
    """The tensors of a list, or the rows of a tensor."""
    if isinstance(tensors, (list, tuple)):
        return [as_tensor(t) for t in tensors]
    whole = as_tensor(tensors)
    if whole.ndim == 0:
        raise RankError(f"{name}: {whole} is not a list of tensors", operands=[(str(whole), whole)])
    return list(whole)


def _joined_at(xs: list[Any], axis: Any) -> Any:
    if not xs or xs[0].ndim == 0 or len({x.ndim for x in xs}) > 1:
        return ops.concatenate(xs)  # raises with the reason
    dtype = promote(*(x.dtype for x in xs))
    return join_at_op(axis, *(cast_to(x, dtype) for x in xs))


def join(*args: Any, axis: Any = None) -> Any:
    """Tensors joined along an axis: ``join(axis, x, y, ...)``, or ``join([x, y], axis)``.

    Shapes   join(0, any[a, n], any[b, n]) -> [a + b, n]
    Errors   AxisError; RankError where ranks differ; ShapeError where other known lengths differ

    >>> import eqsat.tensor as T
    >>> T.join(0, [1, 2], [3]).eval()
    array([1, 2, 3])
    """
    if axis is None and len(args) >= 2 and not isinstance(args[0], (list, tuple)):
        return concatenate(list(args[1:]), args[0])
    if axis is None and len(args) == 2 and isinstance(args[0], (list, tuple)):
        return concatenate(args[0], args[1])
    if len(args) == 1 and isinstance(args[0], (list, tuple)):
        return concatenate(args[0], 0 if axis is None else axis)
    if axis is not None and args:
        return concatenate(list(args), axis)
    raise ArgumentError("join: an axis and tensors are needed", hint="T.join(0, x, y)")


def stack(*tensors: Any, axis: int = 0) -> Any:
    """Tensors of one shape joined along a new axis; takes a list or several arguments.

    ``stack([x, y], 1)`` names the axis by place, as in NumPy.

    Shapes   [f[n], f[n], f[n]] -> f[3, n]

    >>> import eqsat.tensor as T
    >>> T.stack([1, 2], [3, 4]).eval()
    array([[1, 2],
           [3, 4]])
    """
    items: Any = list(tensors)
    if len(items) == 2 and isinstance(items[0], (list, tuple)) and isinstance(items[1], int):
        axis = items.pop()
    if len(items) == 1:
        items = _listed("stack", items[0])
    return ops.stack(items, axis=axis)


def hstack(tensors: Sequence[Any]) -> Any:
    """Tensors joined along the second axis, vectors along the first.

    Shapes   any[a], any[b] -> [a + b]; any[a, b], any[a, c] -> [a, b + c]

    >>> import eqsat.tensor as T
    >>> T.hstack([[1], [2]]).eval()
    array([1, 2])
    """
    xs = [atleast_1d(x) for x in _listed("hstack", tensors)]
    return concatenate(xs, 1 if xs and xs[0].ndim > 1 else 0)


def vstack(tensors: Sequence[Any]) -> Any:
    """Tensors joined along the first axis, vectors as rows.

    Shapes   any[b], any[b] -> [2, b]; any[a, b], any[c, b] -> [a + c, b]

    >>> import eqsat.tensor as T
    >>> T.vstack([[1, 2], [3, 4]]).eval()
    array([[1, 2],
           [3, 4]])
    """
    return concatenate([atleast_2d(x) for x in _listed("vstack", tensors)], 0)


def dstack(tensors: Sequence[Any]) -> Any:
    """Tensors joined along the third axis.

    Shapes   any[a, b], any[a, b] -> [a, b, 2]

    >>> import eqsat.tensor as T
    >>> T.dstack([[1], [2]]).eval()
    array([[[1, 2]]])
    """
    return concatenate([atleast_3d(x) for x in _listed("dstack", tensors)], 2)


def column_stack(tensors: Sequence[Any]) -> Any:
    """Vectors as columns, and matrices, joined along the second axis.

    Shapes   any[n], any[n, b] -> [n, 1 + b]

    >>> import eqsat.tensor as T
    >>> T.column_stack([[1, 2], [3, 4]]).eval()
    array([[1, 3],
           [2, 4]])
    """
    xs = _listed("column_stack", tensors)
    return concatenate([dimshuffle(atleast_1d(x), 0, "x") if x.ndim < 2 else x for x in xs], 1)


def append(x: Any, values: Any, axis: int | None = None) -> Any:
    """Tensor with others behind it along an axis, or all elements of both in one vector.

    Shapes   x: any[a, b], values: any[c, b], axis=0 -> [a + c, b]; without an axis -> [n]
    Errors   RankError, AxisError and ShapeError where they cannot be joined

    >>> import eqsat.tensor as T
    >>> T.append([1, 2], 3).eval()
    array([1, 2, 3])
    """
    return concatenate([as_tensor(x), as_tensor(values)], axis)


def stacklists(tensors: Any) -> Any:
    """Nested lists of tensors stacked, one new axis per level.

    Shapes   m lists of n tensors any[...] -> [m, n, ...]

    >>> import eqsat.tensor as T
    >>> T.stacklists([[1, 2], [3, 4]]).eval()
    array([[1, 2],
           [3, 4]], dtype=int8)
    """
    if not isinstance(tensors, (list, tuple)):
        return as_tensor(tensors)
    return stack([stacklists(t) for t in tensors])


# ---------------------------------------------------------------------------------------------------- splitting


def split(x: Any, splits_size: Any, n_splits: int | None = None, axis: int = 0) -> list[Any]:
    """Parts of a tensor along an axis.

    With ``n_splits`` the first argument after x gives the sizes of the parts, which fill the axis; it may be
    symbolic. Without it, it is NumPy's: a number of equal parts, or the places at which to cut.

    Shapes   x: any[n], sizes [a, b], n_splits=2 -> any[a], any[b]
    Errors   ShapeError where the sizes do not sum to the length

    >>> import eqsat.tensor as T
    >>> [v.eval().tolist() for v in T.split([1, 2, 3], [1, 2], 2)]
    [[1], [2, 3]]
    """
    x = as_tensor(x)
    axis = ops.normal_axis("split", axis, x.ndim, x)
    if n_splits is not None:
        return _by_sizes(x, splits_size, n_splits, axis)
    if isinstance(splits_size, (list, tuple)):
        return _at_places(x, scalar_integers("split", splits_size), axis)
    places = splits_size if isinstance(splits_size, (int, np.integer)) else as_tensor(splits_size)
    if isinstance(places, (int, np.integer)):
        return _equal_parts(x, int(places), axis)
    if places.ndim == 1 and places.type.shape[0] is not None and places.dtype not in INEXACT:
        return _at_places(x, [cast_to(places[k], "int64") for k in range(places.type.shape[0])], axis)
    raise ArgumentError(
        "split: the number of parts is not known",
        operands=[(str(x), x), ("splits_size", places)],
        hint="T.split(x, sizes, n_splits=2)",
    )


def _by_sizes(x: Any, sizes: Any, parts: int, axis: int) -> list[Any]:
    if not isinstance(parts, (int, np.integer)) or parts < 1:
        raise ArgumentError(f"split: n_splits is a positive number, not {parts!r}", operands=[(str(x), x)])
    listed = isinstance(sizes, (list, tuple))
    vector = make_vector(scalar_integers("split", sizes)) if listed else as_tensor(sizes)
    if vector.ndim != 1 or vector.dtype in INEXACT or vector.dtype == "bool":
        raise DTypeError("split: the sizes are not a vector of integers", operands=[("sizes", vector)],
                         hint="T.split(x, 2, axis=1) for equal parts")  # fmt: skip
    if vector.type.shape[0] not in (None, parts):
        raise ShapeError(
            f"split: {vector.type.shape[0]} sizes are given for {parts} parts", operands=[(str(x), x)]
        )
    known = x.type.shape[axis]
    if isinstance(vector, Constant) and known is not None:
        _check_sizes(x, vector.data, known)
        ends = [int(n) for n in np.concatenate([[0], np.cumsum(vector.data)])]
        return _cut(x, ends, axis)
    found = part_ends_op(cast_to(vector, "int64"), length(x, axis), parts=int(parts))
    return _cut(x, [found[k] for k in range(parts + 1)], axis)


def _check_sizes(x: Any, sizes: Any, total: int) -> None:
    if sizes.min(initial=0) < 0:
        raise ShapeError(f"split: the size {sizes.min()} of a part is negative", operands=[(str(x), x)])
    if sizes.sum() != total:
        raise ShapeError(
            f"split: the sizes of the parts sum to {sizes.sum()}, the axis has length {total}",
            operands=[(str(x), x)],
        )


def _cut(x: Any, ends: Sequence[Any], axis: int) -> list[Any]:
    whole = (slice(None),) * axis
    return [x[(*whole, slice(a, b))] for a, b in pairwise(ends)]


def _at_places(x: Any, places: Sequence[Any], axis: int) -> list[Any]:
    return _cut(x, [None, *(int(p.data) if isinstance(p, Constant) else p for p in places), None], axis)


def _equal_parts(x: Any, parts: int, axis: int) -> list[Any]:
    n = x.type.shape[axis]
    if parts < 1:
        raise ArgumentError(f"split: {parts} is not a number of parts", operands=[(str(x), x)])
    if n is not None and n % parts:
        raise ShapeError(f"split: the length {n} is no multiple of {parts}", operands=[(str(x), x)],
                         hint="T.array_split(x, parts)")  # fmt: skip
    if parts == 1:
        return [x]
    each = constant(n // parts, dtype="int64") if n is not None else floordiv(length(x, axis), parts)
    return _by_sizes(x, [each] * parts, parts, axis)


def array_split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Parts of a tensor along an axis, of which the first ones are longer where they cannot be equal.

    Shapes   x: any[n, b], 3 -> [n1, b], [n2, b], [n3, b]
    Errors   AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> [v.eval().tolist() for v in T.array_split([1, 2, 3], 2)]
    [[1, 2], [3]]
    """
    x = as_tensor(x)
    if not isinstance(indices_or_sections, (int, np.integer)):
        return split(x, indices_or_sections, axis=axis)
    axis, parts = ops.normal_axis("array_split", axis, x.ndim, x), int(indices_or_sections)
    if parts < 1:
        raise ArgumentError(f"array_split: {parts} is not a number of parts", operands=[(str(x), x)])
    n = x.type.shape[axis]
    if n is not None:
        return _cut(x, [k * (n // parts) + min(k, n % parts) for k in range(parts + 1)], axis)
    total = length(x, axis)
    return _cut(
        x, [k * floordiv(total, parts) + minimum(k, mod(total, parts)) for k in range(parts + 1)], axis
    )


def hsplit(x: Any, indices_or_sections: Any) -> list[Any]:
    """Parts along the second axis, of a vector along the first.

    Shapes   x: any[a, n], 2 -> [a, n / 2], [a, n / 2]

    >>> import eqsat.tensor as T
    >>> [v.eval().tolist() for v in T.hsplit([1, 2], 2)]
    [[1], [2]]
    """
    x = as_tensor(x)
    return split(x, indices_or_sections, axis=1 if x.ndim > 1 else 0)


def vsplit(x: Any, indices_or_sections: Any) -> list[Any]:
    """Parts along the first axis of a tensor with two or more.

    Shapes   x: any[n, b], 2 -> [n / 2, b], [n / 2, b]
    Errors   RankError for fewer than two axes

    >>> import eqsat.tensor as T
    >>> [v.eval().tolist() for v in T.vsplit([[1], [2]], 2)]
    [[[1]], [[2]]]
    """
    return split(_rank("vsplit", x, 2), indices_or_sections, axis=0)


def dsplit(x: Any, indices_or_sections: Any) -> list[Any]:
    """Parts along the third axis of a tensor with three or more.

    Shapes   x: any[a, b, n], 2 -> [a, b, n / 2], [a, b, n / 2]
    Errors   RankError for fewer than three axes

    >>> import eqsat.tensor as T
    >>> len(T.dsplit(T.zeros((1, 1, 2)), 2))
    2
    """
    return split(_rank("dsplit", x, 3), indices_or_sections, axis=2)


def _rank(name: str, x: Any, least: int) -> Any:
    x = as_tensor(x)
    if x.ndim < least:
        raise RankError(
            f"{name}: {x} has {x.ndim} dimensions",
            operands=[(str(x), x)],
            needs=f"{least} or more dimensions",
        )
    return x
