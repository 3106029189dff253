"""Shapes and axes with the names and parameters of PyTensor."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

from eqsat import tensor
from eqsat.errors import ArgumentError
from eqsat.graph.core import Constant

T: Any = tensor


def atleast_Nd(arry: Any, *, n: int = 1, left: bool = True) -> Any:
    """A tensor of at least n axes; those that are added stand on the left, or on the right."""
    x = T.as_tensor_variable(arry)
    missing = max(n - x.ndim, 0)
    return T.shape_padleft(x, missing) if left else T.shape_padright(x, missing)


def shape_tuple(x: Any) -> tuple[Any, ...]:
    """The lengths as scalars, those that the type knows as constants."""
    return tuple(
        T.constant(n, dtype="int64") if n is not None else x.shape[k] for k, n in enumerate(x.type.shape)
    )


def join_dims(x: Any, start_axis: int = 0, n_axes: int | None = None) -> Any:
    """Several axes from ``start_axis`` on as one; none of them puts in an axis of length 1."""
    x = T.as_tensor_variable(x)
    first = start_axis + max(1, x.ndim) if start_axis < 0 else start_axis
    many = x.ndim - first if n_axes is None else n_axes
    if first < 0 or many < 0 or first + many > x.ndim:
        raise ArgumentError(f"join_dims: {x} has {x.ndim} axes", operands=[("x", x)])
    if many == 0:
        return T.expand_dims(x, first)
    lengths = shape_tuple(x)
    return T.reshape(x, (*lengths[:first], _product(lengths[first : first + many]), *lengths[first + many :]))


def _product(lengths: Sequence[Any]) -> Any:
    if all(isinstance(n, Constant) for n in lengths):
        return math.prod(int(n.data) for n in lengths)
    return functools.reduce(lambda a, b: a * b, lengths)


def split_dims(x: Any, shape: Any, axis: int = 0) -> Any:
    """One axis as several of the lengths in ``shape``."""
    x = T.as_tensor_variable(x)
    place = axis + x.ndim if axis < 0 else axis
    listed = shape if isinstance(shape, (list, tuple)) else T.as_tensor_variable(shape)
    parts = listed if isinstance(listed, (list, tuple)) else list(listed) if listed.ndim else [listed]
    lengths = shape_tuple(x)
    return T.reshape(x, (*lengths[:place], *parts, *lengths[place + 1 :]))


def pack(*tensors: Any, keep_axes: int | Sequence[int] | None = None) -> tuple[Any, list[Any]]:
    """Tensors joined along one axis, in which all axes but those kept are laid one after another, and their lengths."""
    parts, shapes = [], []
    for x in map(T.as_tensor_variable, tensors):
        before, behind = _kept(keep_axes, x.ndim)
        shapes.append(x.shape[before : x.ndim - behind])
        parts.append(join_dims(x, before, x.ndim - before - behind))
    return T.concatenate(parts, axis=_kept(keep_axes, None)[0]), shapes


def unpack(
    packed_input: Any, packed_shapes: Sequence[Any], keep_axes: int | Sequence[int] | None = None
) -> list[Any]:
    """The tensors that ``pack`` has joined."""
    x = T.as_tensor_variable(packed_input)
    axis = _kept(keep_axes, None)[0]
    shapes = [T.as_tensor_variable(s) for s in packed_shapes]
    sizes = T.stack([T.cast(T.prod(s), "int64") for s in shapes])
    return [
        split_dims(part, s, axis)
        for part, s in zip(T.split(x, sizes, len(shapes), axis=axis), shapes, strict=True)
    ]


def _kept(keep_axes: int | Sequence[int] | None, ndim: int | None) -> tuple[int, int]:
    """The numbers of first and of last axes that stay as they are."""
    axes = () if keep_axes is None else (keep_axes,) if isinstance(keep_axes, int) else tuple(keep_axes)
    before = sorted(a for a in axes if a >= 0)
    behind = sorted(-a for a in axes if a < 0)
    if before != list(range(len(before))) or behind != list(range(1, len(behind) + 1)):
        raise ArgumentError(
            f"pack: keep_axes is {keep_axes!r}", needs="axes from the first on, or up to the last, as [0, -1]"
        )
    if ndim is not None and len(axes) > ndim:
        raise ArgumentError(f"pack: {len(axes)} axes are to be kept of a tensor that has {ndim}")
    return len(before), len(behind)


def concat_with_broadcast(tensor_list: Sequence[Any], axis: int = 0) -> Any:
    """Tensors joined along an axis, repeated along others where their length there is 1."""
    tensors = [T.as_tensor_variable(x) for x in tensor_list]
    if not tensors or len({x.ndim for x in tensors}) > 1:
        raise ArgumentError("concat_with_broadcast: tensors of one number of axes are needed")
    place = axis + tensors[0].ndim if axis < 0 else axis
    shapes = [[n if k != place else 1 for k, n in enumerate(shape_tuple(x))] for x in tensors]
    common = T.broadcast_shape(*map(tuple, shapes), arrays_are_shapes=True)
    wanted = [[common[k] if k != place else shape_tuple(x)[k] for k in range(x.ndim)] for x in tensors]
    return T.concatenate([T.broadcast_to(x, w) for x, w in zip(tensors, wanted, strict=True)], axis=place)


def slice_at_axis(sl: slice, axis: int) -> tuple[Any, ...]:
    """The index that applies a slice along one axis."""
    if axis >= 0:
        return (*(slice(None),) * axis, sl)
    return (..., sl, *(slice(None),) * (-axis - 1))


def matrix_transpose(x: Any) -> Any:
    """The last two axes exchanged."""
    return T.swapaxes(x, -1, -2)
