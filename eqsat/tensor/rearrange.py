"""Axes added, dropped, moved, reversed and rolled, as NumPy's functions do it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, AxisError, RankError, ShapeError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.core import Constant
from eqsat.graph.ops import elemwise as e
from eqsat.graph.ops.create import alloc
from eqsat.graph.ops.join import concatenate, normal_axis
from eqsat.graph.ops.reshape import flatten, reshape
from eqsat.graph.ops.shape import dimshuffle, length, scalar_integers
from eqsat.graph.ops.specify import addbroadcast, specify, unbroadcast

Axes = int | Sequence[int]


def several_axes(name: str, axis: Any, ndim: int, x: Any) -> list[int]:
    """Axes counted from the left, in the order given; raises AxisError where one is named twice."""
    given = list(axis) if isinstance(axis, (list, tuple)) else [axis]
    axes = [normal_axis(name, a, ndim, x) for a in given]
    if len(set(axes)) != len(axes):
        raise AxisError(f"{name}: the axes {given} name one axis twice", operands=[(str(x), x)])
    return axes


def squeeze(x: Any, axis: Axes | None = None) -> Any:
    """Tensor without axes of length 1: those given, or all that are of length 1 by type.

    Shapes   x: any[1, n] -> any[n]
    Errors   ShapeError where a given axis turns out to be longer

    >>> import eqsat.tensor as T
    >>> T.squeeze([[1, 2]]).eval()
    array([1, 2])
    """
    x = as_tensor(x)
    axes = (
        [a for a, n in enumerate(x.type.shape) if n == 1]
        if axis is None
        else several_axes("squeeze", axis, x.ndim, x)
    )
    return dimshuffle(addbroadcast(x, *axes), *(a for a in range(x.ndim) if a not in axes))


def expand_dims(x: Any, axis: Axes) -> Any:
    """Tensor with new axes of length 1 at the places given, counted in the result.

    Shapes   x: any[n], axis=1 -> any[n, 1]

    >>> import eqsat.tensor as T
    >>> T.expand_dims([1, 2], 0).eval()
    array([[1, 2]])
    """
    x = as_tensor(x)
    count = len(axis) if isinstance(axis, (list, tuple)) else 1
    new = several_axes("expand_dims", axis, x.ndim + count, x)
    rest = iter(range(x.ndim))
    return dimshuffle(x, *("x" if a in new else next(rest) for a in range(x.ndim + count)))


def moveaxis(x: Any, source: Axes, destination: Axes) -> Any:
    """Tensor with some axes at other places; the others keep their order.

    Shapes   x: any[a, b, c], source=0, destination=2 -> any[b, c, a]

    >>> import eqsat.tensor as T
    >>> T.moveaxis(T.zeros((2, 3, 4)), 0, -1).eval().shape
    (3, 4, 2)
    """
    x = as_tensor(x)
    old, new = (several_axes("moveaxis", a, x.ndim, x) for a in (source, destination))
    if len(old) != len(new):
        raise ArgumentError(f"moveaxis: {len(old)} axes have {len(new)} destinations", operands=[(str(x), x)])
    order = [a for a in range(x.ndim) if a not in old]
    for place, axis in sorted(zip(new, old, strict=True)):
        order.insert(place, axis)
    return dimshuffle(x, *order)


def rollaxis(x: Any, axis: int, start: int = 0) -> Any:
    """Tensor with an axis moved before the axis ``start``, as numpy.rollaxis.

    Shapes   x: any[a, b, c], rollaxis(x, 2) -> [c, a, b]
    Errors   AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> T.rollaxis(T.zeros((2, 3, 4)), 2).eval().shape
    (4, 2, 3)
    """
    x = as_tensor(x)
    old = normal_axis("rollaxis", axis, x.ndim, x)
    new = x.ndim if start == x.ndim else normal_axis("rollaxis", start, x.ndim, x)
    return moveaxis(x, old, new - 1 if old < new else new)


def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    """Tensor with two axes interchanged.

    Shapes   x: any[a, b, c], swapaxes(x, 0, 2) -> [c, b, a]
    Errors   AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> T.swapaxes([[1, 2], [3, 4]], 0, 1).eval()
    array([[1, 3],
           [2, 4]])
    """
    x = as_tensor(x)
    a, b = (normal_axis("swapaxes", k, x.ndim, x) for k in (axis1, axis2))
    return dimshuffle(x, *(b if k == a else a if k == b else k for k in range(x.ndim)))


def shape_padaxis(x: Any, axis: int) -> Any:
    """Tensor with one new axis of length 1, as ``expand_dims``.

    Shapes   x: any[a, b], shape_padaxis(x, 1) -> [a, 1, b]

    >>> import eqsat.tensor as T
    >>> T.shape_padaxis([1, 2], 1).type.shape
    (2, 1)
    """
    return expand_dims(x, axis)


def _at_least(arrays: Sequence[Any], pad: Any) -> Any:
    found = [pad(as_tensor(x)) for x in arrays]
    return found[0] if len(found) == 1 else found


def atleast_1d(*arrays: Any) -> Any:
    """Tensors with at least one axis.

    Shapes   any[] -> [1]; others as they are

    >>> import eqsat.tensor as T
    >>> T.atleast_1d(3).eval()
    array([3], dtype=int8)
    """
    return _at_least(arrays, lambda x: x if x.ndim else dimshuffle(x, "x"))


def atleast_2d(*arrays: Any) -> Any:
    """Tensors with at least two axes, new ones on the left.

    Shapes   any[] -> [1, 1]; any[n] -> [1, n]; others as they are

    >>> import eqsat.tensor as T
    >>> T.atleast_2d([3, 4]).eval()
    array([[3, 4]])
    """
    return _at_least(arrays, lambda x: dimshuffle(x, *("x",) * (2 - x.ndim), *range(x.ndim)))


def atleast_3d(*arrays: Any) -> Any:
    """Tensors with at least three axes; a vector becomes any[1, n, 1], a matrix any[n, m, 1].

    Shapes   any[] -> [1, 1, 1]; any[n] -> [1, n, 1]; any[n, m] -> [n, m, 1]; others as they are

    >>> import eqsat.tensor as T
    >>> T.atleast_3d([3, 4]).type.shape
    (1, 2, 1)
    """
    patterns: dict[int, tuple[Any, ...]] = {0: ("x", "x", "x"), 1: ("x", 0, "x"), 2: (0, 1, "x")}
    return _at_least(arrays, lambda x: dimshuffle(x, *patterns.get(x.ndim, tuple(range(x.ndim)))))


# ------------------------------------------------------------------------------------------- order of elements


def ravel(x: Any) -> Any:
    """All elements in row-major order in one axis.

    Shapes   x: any[a, b] -> [a * b]

    >>> import eqsat.tensor as T
    >>> T.ravel([[1, 2], [3, 4]]).eval()
    array([1, 2, 3, 4])
    """
    return flatten(x)


def flip(x: Any, axis: Axes | None = None) -> Any:
    """Tensor with axes in reverse order: all of them, or those given.

    Shapes   x: any[...] -> [...]
    Errors   AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> T.flip([1, 2, 3]).eval()
    array([3, 2, 1])
    """
    x = as_tensor(x)
    axes = range(x.ndim) if axis is None else several_axes("flip", axis, x.ndim, x)
    if not axes:
        return x
    return x[tuple(slice(None, None, -1) if a in axes else slice(None) for a in range(x.ndim))]


def _needs_rank(name: str, x: Any, ndim: int) -> None:
    if x.ndim < ndim:
        raise RankError(
            f"{name}: {x} has {x.ndim} dimensions", operands=[(str(x), x)], needs=f"{ndim} or more dimensions"
        )


def fliplr(x: Any) -> Any:
    """Tensor with its second axis in reverse order.

    Shapes   x: any[a, b, ...] -> [a, b, ...]

    >>> import eqsat.tensor as T
    >>> T.fliplr([[1, 2]]).eval()
    array([[2, 1]])
    """
    x = as_tensor(x)
    _needs_rank("fliplr", x, 2)
    return flip(x, 1)


def flipud(x: Any) -> Any:
    """Tensor with its first axis in reverse order.

    Shapes   x: any[a, ...] -> [a, ...]

    >>> import eqsat.tensor as T
    >>> T.flipud([1, 2]).eval()
    array([2, 1])
    """
    x = as_tensor(x)
    _needs_rank("flipud", x, 1)
    return flip(x, 0)


def rot90(x: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    """Tensor turned by k quarters in the plane of two axes, from the first towards the second.

    Shapes   x: any[a, b] -> [b, a] for an odd k, else [a, b]

    >>> import eqsat.tensor as T
    >>> T.rot90([[1, 2], [3, 4]]).eval()
    array([[2, 4],
           [1, 3]])
    """
    x = as_tensor(x)
    _needs_rank("rot90", x, 2)
    a, b = several_axes("rot90", axes, x.ndim, x)
    turns = int(k) % 4
    if turns == 0:
        return x
    if turns == 2:
        return flip(x, (a, b))
    return swapaxes(flip(x, b), a, b) if turns == 1 else flip(swapaxes(x, a, b), b)


def roll(x: Any, shift: Any, axis: Axes | None = None) -> Any:
    """Tensor whose elements move by ``shift`` places along axes; those that leave come in at the other end.

    Without an axis the elements move in row-major order. Shifts may be symbolic.

    Shapes   x: any[...] -> [...]
    Errors   AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> T.roll([1, 2, 3], 1).eval()
    array([3, 1, 2])
    """
    x = as_tensor(x)
    if axis is None:
        shifts = list(shift) if isinstance(shift, (list, tuple)) else [shift]
        flat = flatten(x)
        for s in scalar_integers("roll", shifts):
            flat = _rolled(flat, s, 0)
        return reshape(flat, [length(x, a) for a in range(x.ndim)]) if x.ndim != 1 else flat
    axes = [normal_axis("roll", a, x.ndim, x) for a in (axis if isinstance(axis, (list, tuple)) else [axis])]
    shifts = list(shift) if isinstance(shift, (list, tuple)) else [shift] * len(axes)
    if len(axes) == 1:
        axes = axes * len(shifts)
    if len(shifts) != len(axes):
        raise ArgumentError(f"roll: {len(shifts)} shifts for {len(axes)} axes", operands=[(str(x), x)])
    for s, a in zip(scalar_integers("roll", shifts), axes, strict=True):
        x = _rolled(x, s, a)
    return x


def _rolled(x: Any, shift: Any, axis: int) -> Any:
    n = length(x, axis)
    back = e.mod(e.neg(shift), n)
    whole = (slice(None),) * axis
    if isinstance(n, Constant) and isinstance(shift, Constant):
        back = -int(shift.data) % int(n.data) if int(n.data) else 0
    joined = concatenate([x[(*whole, slice(back, None))], x[(*whole, slice(None, back))]], axis)
    return specify(joined, x.type.shape)


# -------------------------------------------------------------------------------------------------- broadcasting


def broadcast_to(x: Any, shape: Any) -> Any:
    """Tensor repeated to a shape; an axis is repeated where its length is 1 by type.

    Shapes   x: any[a, 1], (a, b) -> [a, b]
    Errors   ShapeError where a known length does not fit; RankError for a shape that is too short

    >>> import eqsat.tensor as T
    >>> T.broadcast_to([1, 2], (2, 2)).eval()
    array([[1, 2],
           [1, 2]])
    """
    return alloc(x, shape)


def _common_lengths(name: str, shapes: Sequence[Sequence[Any]]) -> list[Any]:
    """The length of each axis after broadcasting; a constant where it is known."""
    ndim = max((len(s) for s in shapes), default=0)
    one = as_tensor(np.ones((), "int64"))
    padded = [[one] * (ndim - len(s)) + list(s) for s in shapes]
    result = []
    for axis, lengths in enumerate(zip(*padded, strict=True)):
        known = {int(n.data) for n in lengths if isinstance(n, Constant)} - {1}
        if len(known) > 1:
            raise ShapeError(
                f"{name}: axis {axis} has the lengths {' and '.join(map(str, sorted(known)))}", axis=axis
            )
        longer = [n for n in lengths if not isinstance(n, Constant)]
        result.append(as_tensor(np.int64(known.pop())) if known else longer[0] if longer else one)
    return result


def broadcast_shape(*arrays: Any, arrays_are_shapes: bool = False) -> tuple[Any, ...]:
    """Lengths of what tensors broadcast to, each a 0-d int64; length 1 broadcasts where the type says so.

    Shapes   n tensors -> as many 0-d int64 as the longest shape has lengths
    Errors   ShapeError where known lengths differ

    >>> import eqsat.tensor as T
    >>> [int(n.eval()) for n in T.broadcast_shape(T.zeros((3, 1)), T.zeros(4))]
    [3, 4]
    """
    if arrays_are_shapes:
        return broadcast_shapes(*arrays)
    xs = [as_tensor(x) for x in arrays]
    return tuple(_common_lengths("broadcast_shape", [[length(x, a) for a in range(x.ndim)] for x in xs]))


def broadcast_shapes(*shapes: Sequence[Any]) -> tuple[Any, ...]:
    """The shape that tensors of some shapes broadcast to; a symbolic length never is taken for 1.

    Shapes   n shapes -> a tuple of lengths
    Errors   ShapeError where known lengths differ

    >>> import eqsat.tensor as T
    >>> [int(n.eval()) for n in T.broadcast_shapes((3, 1), (4,))]
    [3, 4]
    """
    return tuple(
        _common_lengths("broadcast_shapes", [scalar_integers("broadcast_shapes", s) for s in shapes])
    )


def broadcast_arrays(*arrays: Any) -> list[Any]:
    """Tensors repeated to their common shape.

    Shapes   any[a, 1], any[b] -> [a, b], [a, b]
    Errors   ShapeError where known lengths differ

    >>> import eqsat.tensor as T
    >>> [x.eval().tolist() for x in T.broadcast_arrays([1, 2], [[3], [4]])]
    [[[1, 2], [1, 2]], [[3, 3], [4, 4]]]
    """
    xs = [as_tensor(x) for x in arrays]
    lengths = broadcast_shape(*xs)
    return [alloc(x, lengths) for x in xs]


def patternbroadcast(x: Any, broadcastable: Sequence[bool]) -> Any:
    """Tensor whose axes broadcast exactly where the pattern is true; checked when the function runs.

    Shapes   x: any[...] -> [...]
    Errors   RankError for a pattern of another length

    >>> import eqsat.tensor as T
    >>> T.patternbroadcast(T.dmatrix(), (True, False)).broadcastable
    (True, False)
    """
    x = as_tensor(x)
    pattern = [bool(b) for b in broadcastable]
    if len(pattern) != x.ndim:
        raise RankError(
            f"patternbroadcast: the pattern has {len(pattern)} entries, {x} has {x.ndim} dimensions",
            operands=[(str(x), x)],
        )
    lost = [a for a, b in enumerate(pattern) if not b and x.type.shape[a] == 1]
    return addbroadcast(unbroadcast(x, *lost), *(a for a, b in enumerate(pattern) if b))


def specify_broadcastable(x: Any, *axes: int) -> Any:
    """Tensor with axes that broadcast, as ``addbroadcast``.

    Shapes   x: any[a, b], specify_broadcastable(x, 0) -> [1, b]

    >>> import eqsat.tensor as T
    >>> T.specify_broadcastable(T.dmatrix(), 0).broadcastable
    (True, False)
    """
    return addbroadcast(x, *axes)


class Rebroadcast:
    """Changes which axes broadcast: called with a tensor, each pair (axis, flag) sets one axis.

    >>> import eqsat.tensor as T
    >>> T.Rebroadcast((0, True), (1, False))(T.dcol()).broadcastable
    (True, False)
    """

    def __init__(self, *axes: tuple[int, bool]) -> None:
        self.axes = dict(axes)

    def __call__(self, x: Any) -> Any:
        x = as_tensor(x)
        wanted = {normal_axis("Rebroadcast", a, x.ndim, x): bool(b) for a, b in self.axes.items()}
        return patternbroadcast(x, [wanted.get(a, b) for a, b in enumerate(x.type.broadcastable)])


def size(x: Any, axis: int | None = None) -> Any:
    """Number of elements, or the length of one axis, as a 0-d int64.

    Shapes   x: any[...] -> i64[]

    >>> import eqsat.tensor as T
    >>> int(T.size(T.zeros((2, 3))).eval())
    6
    """
    x = as_tensor(x)
    if axis is not None:
        return length(x, normal_axis("size", axis, x.ndim, x))
    return cast_to(x.size, "int64")


def tensor_copy(x: Any) -> Any:
    """A new variable with the value of x.

    Shapes   x: any[...] -> [...]

    >>> import eqsat.tensor as T
    >>> x = T.dvector()
    >>> T.tensor_copy(x) is x
    False
    """
    return as_tensor(x).copy()
