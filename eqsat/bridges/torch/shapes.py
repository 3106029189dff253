"""Ops of ATen that move elements or make tensors: views are values here, and what writes into a view gives a new whole."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.bridges.axes import along, length, lengths, product
from eqsat.bridges.torch.reading import value_of
from eqsat.bridges.torch.table import ALL, At, axes_of, axis_of, filled, number, on, reshaped, to
from eqsat.bridges.translate import Refused
from eqsat.graph.core import Variable
from eqsat.graph.dtypes import INTEGERS

FARTHEST = 2**62


@on("view", "_unsafe_view", "reshape", "_reshape_alias", "view_copy")
def view(c: At, x: Any, shape: Any, *strides: Any) -> Any:
    """x in another shape; with a dtype in place of one the same bits."""
    if not isinstance(shape, (list, tuple)):
        if np.dtype(x.dtype).itemsize != np.dtype(c.dtype).itemsize or x.dtype == "bool" or c.dtype == "bool":
            raise Refused("bits of numbers of another width")
        return T.bitcast(x, c.dtype)
    return reshaped(x, shape)


@on("flatten")
def flatten(c: At, x: Any, *axes: Any) -> Any:
    return reshaped(x, c.lengths())


@on("permute", "permute_copy", "prims.transpose")
def permute(c: At, x: Any, dims: Sequence[int]) -> Any:
    return x.dimshuffle(*(axis_of(d, x) for d in dims)) if x.ndim else x


@on("t", "numpy_T", "mT", "adjoint")
def transposed(c: At, x: Any) -> Any:
    return x if x.ndim < 2 else T.swapaxes(x, -1, -2)


@on("transpose", "swapaxes")
def swapped(c: At, x: Any, a: int, b: int) -> Any:
    return T.swapaxes(x, a, b) if x.ndim else x


@on("expand", "expand_copy", "broadcast_to")
def expand(c: At, x: Any, size: Sequence[Any], implicit: bool = False) -> Any:
    have: list[Any] = [None] * (len(size) - x.ndim) + lengths(x)
    shape = [h if isinstance(n, int) and n == -1 else n for n, h in zip(size, have)]
    return T.broadcast_to(x, shape) if shape else x


@on("prims.broadcast_in_dim")
def broadcast(c: At, x: Any, shape: Sequence[Any], axes: Sequence[int]) -> Any:
    turned = x.dimshuffle(*(axes.index(a) if a in axes else "x" for a in range(len(shape))))
    return T.broadcast_to(turned, list(shape)) if shape else x


@on("unsqueeze", "unsqueeze_copy")
def unsqueeze(c: At, x: Any, axis: int) -> Any:
    return T.expand_dims(x, axis % (x.ndim + 1))


@on("squeeze", "squeeze_copy")
def squeeze(c: At, x: Any, dim: Any = None) -> Any:
    """Axes of a length that is 1, as the trace says."""
    shape = value_of(c.node.inputs[0]).shape
    named = [] if isinstance(dim, (list, tuple)) and not dim else axes_of(dim, x)
    gone = [a for a in named if shape[a] == 1]
    return x if not gone else T.unbroadcast(x)[tuple(0 if a in gone else ALL for a in range(x.ndim))]


@on("select", "select_copy")
def select(c: At, x: Any, axis: int, index: Any) -> Any:
    return x[along(axis_of(axis, x), index)]


def part(x: Any, start: Any, end: Any, step: int) -> slice:
    """The slice between bounds, of which the end may be far beyond."""
    far = end is None or (isinstance(end, int) and end > FARTHEST)
    return slice(start, None if far else end, step)


@on("slice", "slice_copy")
def sliced(c: At, x: Any, axis: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    return x[along(axis_of(axis, x), part(x, start, end, step))]


@on("narrow", "narrow_copy")
def narrow(c: At, x: Any, axis: int, start: Any, count: Any) -> Any:
    return x[along(axis_of(axis, x), slice(start, start + count))]


@on("cat", "concatenate", "prims.cat")
def joined(c: At, parts: Sequence[Any], axis: int = 0) -> Any:
    """Tensors in the dtype that they have together; a vector of no elements counts as nothing."""
    held = [to(x, c.dtype) for x in parts if not (x.ndim == 1 and x.type.shape == (0,))]
    if not held:
        return to(parts[0], c.dtype)
    return T.join(axis_of(axis, held[0]), *held) if len(held) > 1 else held[0]


@on("stack")
def stack(c: At, parts: Sequence[Any], axis: int = 0) -> Any:
    return T.stack([to(x, c.dtype) for x in parts], axis=axis)


@on("split_with_sizes", "split_with_sizes_copy", "split", "unsafe_split", "unsafe_split_with_sizes", "chunk")
def split(c: At, x: Any, sizes: Any, axis: int = 0) -> Any:
    axis = axis_of(axis, x)
    counts = [v.shape[axis] for v in c.node.value] if not isinstance(sizes, (list, tuple)) else list(sizes)
    if not all(isinstance(n, (int, Variable)) for n in counts):
        raise Refused("lengths that are known at run time alone")
    ends = list(accumulate(counts))
    return [x[along(axis, slice(e - n, e))] for e, n in zip(ends, counts)]


@on("unbind", "unbind_copy")
def unbind(c: At, x: Any, axis: int = 0) -> Any:
    return [x[along(axis_of(axis, x), k)] for k in range(c.count)]


@on("repeat")
def repeat(c: At, x: Any, counts: Sequence[Any]) -> Any:
    return T.tile(x, list(counts)) if len(counts) else x


@on("repeat_interleave")
def repeat_elements(c: At, x: Any, counts: Any = None, axis: Any = None, output_size: Any = None) -> Any:
    if not isinstance(counts, int):
        raise Refused("the number of elements is known at run time alone")
    return T.repeat(x, counts, axis=axis)


@on("flip", "prims.rev")
def flip(c: At, x: Any, dims: Sequence[int]) -> Any:
    turned = axes_of(list(dims), x) if len(dims) else ()
    return x[tuple(slice(None, None, -1) if a in turned else ALL for a in range(x.ndim))] if x.ndim else x


@on("roll")
def roll(c: At, x: Any, shifts: Any, dims: Any = ()) -> Any:
    """Of no axes all elements as one row."""
    listed = lambda v: list(v) if isinstance(v, (list, tuple)) else [v]
    if not listed(dims):
        flat = T.roll(T.reshape(x, [-1], ndim=1), listed(shifts)[0], 0)
        return reshaped(flat, lengths(x))
    for n, axis in zip(listed(shifts), listed(dims)):
        x = T.roll(x, n, axis_of(axis, x)) if x.ndim else x
    return x


@on("diagonal", "diagonal_copy")
def diagonal(c: At, x: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    return T.diagonal(x, offset, dim1 % x.ndim, dim2 % x.ndim)


@on("diag_embed")
def diagonal_matrix(c: At, x: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    n, rank = length(x, x.ndim - 1), x.ndim + 1
    count = n + abs(offset)
    whole = T.zeros([*lengths(x, 0, -1), count, count], dtype=x.dtype)
    row = T.arange(n)
    place = (..., row + max(-offset, 0), row + max(offset, 0))
    made = T.set_subtensor(whole[place], x)
    return T.moveaxis(made, (rank - 2, rank - 1), (dim1 % rank, dim2 % rank))


@on("tril", "triu")
def triangle(c: At, x: Any, diagonal: int = 0) -> Any:
    rows, columns = (T.arange(length(x, x.ndim - k)) for k in (2, 1))
    past = columns.dimshuffle("x", 0) - rows.dimshuffle(0, "x")
    inside = T.le(past, diagonal) if c.name == "tril" else T.ge(past, diagonal)
    return T.switch(inside, x, number(0, x.dtype))


@on("unfold")
def unfold(c: At, x: Any, axis: int, size: int, step: int) -> Any:
    """Windows along an axis, whose elements stand on a new last axis."""
    if not x.ndim:
        return T.reshape(x, [1], ndim=1)
    axis = axis_of(axis, x)
    count = (length(x, axis) - size) // step + 1
    starts = np.arange(count) if isinstance(count, int) else T.arange(count)
    places = (starts * step)[:, None] + np.arange(size)
    return T.moveaxis(x[along(axis, T.as_tensor(places))], axis + 1, -1)


@on("constant_pad_nd")
def padded(c: At, x: Any, widths: Sequence[int], value: Any = 0) -> Any:
    """Widths from the last axis on, before and behind; those below zero cut."""
    pairs = [(0, 0)] * (x.ndim - len(widths) // 2) + list(zip(widths[::2], widths[1::2]))[::-1]
    if any(not isinstance(n, int) for p in pairs for n in p):
        raise Refused("widths that are known at run time alone")
    if x.ndim and any(n < 0 for p in pairs for n in p):
        x = x[tuple(slice(max(-a, 0), b if b < 0 else None) for a, b in pairs)]
    more = [(max(a, 0), max(b, 0)) for a, b in pairs]
    return T.pad(x, more, constant_values=number(value, x.dtype)) if any(map(any, more)) else x


@on("reflection_pad1d", "reflection_pad2d", "reflection_pad3d", "replication_pad1d", "replication_pad2d", "replication_pad3d")  # fmt: skip
def padded_by_itself(c: At, x: Any, widths: Sequence[int]) -> Any:
    """Padded with what lies inside of the border, or with the border."""
    for k, (a, b) in enumerate(zip(widths[::2], widths[1::2])):
        axis = x.ndim - 1 - k
        n = length(x, axis)
        if not isinstance(n, int):
            raise Refused("lengths that are known at run time alone")
        places = np.arange(-a, n + b)
        if c.name.startswith("reflection"):
            places = np.abs(places)
            places = np.where(places >= n, 2 * (n - 1) - places, places)
        x = x[along(axis, T.constant(np.clip(places, 0, n - 1)))]
    return x


# ------------------------------------------------------------------------------------------------------ new tensors


@on("full", "prims.full", "full_like", "zeros", "ones", "zeros_like", "ones_like", "scalar_tensor", "new_full", "fill", "new_zeros", "new_ones")  # fmt: skip
def full(c: At, x: Any = None, *values: Any, **where: Any) -> Any:
    """One number everywhere; the shape is the one of the trace, or that of an operand."""
    name = c.name.removeprefix("new_").removesuffix("_like")
    if name == "scalar_tensor":
        return number(x, c.dtype)
    value = {"zeros": 0, "ones": 1}.get(name, values[-1] if values else None)
    if c.name.startswith("new_"):
        x = values[0]
    shape = lengths(x) if isinstance(x, Variable) else x
    return filled(list(shape), value, c.dtype)


@on("empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided")
def empty(c: At, x: Any = None, *more: Any, **where: Any) -> Any:
    """Elements that are not written yet are 0."""
    shape = lengths(x) if c.name == "empty_like" else more[0] if c.name.startswith("new_") else x
    return filled(list(shape), 0, c.dtype)


@on("arange", "prims.iota")
def arange(c: At, *ends: Any, **named: Any) -> Any:
    """Computed in the dtype of the result, start plus a multiple of the step."""
    if c.node.op.op_name.startswith("prims"):
        count, start, step = ends[0], named.get("start", 0), named.get("step", 1)
    else:
        start, end, step = (*ends, 1)[:3] if len(ends) > 1 else (0, *ends, 1)
        start, end, step = (
            int(v) if isinstance(v, float) and v.is_integer() and c.dtype in INTEGERS else v
            for v in (start, end, step)
        )
        (count,) = c.kind().shape
        if count is None and all(isinstance(v, (Variable, int)) for v in (start, end, step)):
            count = T.maximum(
                (end - start + step - (1 if isinstance(step, int) and step > 0 else -1)) // step, 0
            )
        if count is None:
            raise Refused("lengths that are known at run time alone")
    wide = "float64" if c.dtype.startswith("float") else c.dtype
    line = T.cast(T.arange(count), wide) * number(step, wide) + number(start, wide)
    return T.cast(line, c.dtype)


@on("linspace")
def linspace(c: At, start: Any, end: Any, steps: int, **where: Any) -> Any:
    """Counted from the nearer end."""
    if isinstance(start, Variable) or isinstance(end, Variable):
        raise Refused("bounds that are tensors")
    return T.constant(np.linspace(start, end, steps).astype(c.dtype))


@on("eye")
def eye(c: At, n: Any, m: Any = None, **where: Any) -> Any:
    return T.eye(n, n if m is None else m, dtype=c.dtype)


# --------------------------------------------------------------------------------------------- writing into a view


@on("copy")
def copied(c: At, x: Any, y: Any, *more: Any) -> Any:
    y = to(y, c.dtype)
    return y if y.type.shape == x.type.shape else T.broadcast_to(y, lengths(x)) if x.ndim else y


@on("select_scatter")
def select_scatter(c: At, x: Any, y: Any, axis: int, index: Any) -> Any:
    return T.set_subtensor(x[along(axis_of(axis, x), index)], to(y, x.dtype))


@on("slice_scatter")
def slice_scatter(
    c: At, x: Any, y: Any, axis: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Any:
    return T.set_subtensor(x[along(axis_of(axis, x), part(x, start, end, step))], to(y, x.dtype))


@on("diagonal_scatter")
def diagonal_scatter(c: At, x: Any, y: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    places = _flat_places(x).diagonal(offset, dim1, dim2)
    return written_flat(x, places, y)


def _flat_places(x: Any) -> Any:
    shape = [int(n) for n in x.type.shape if n is not None]
    if len(shape) != x.ndim:
        raise Refused("lengths that are known at run time alone")
    return np.arange(product(shape)).reshape(shape)


def written_flat(x: Any, places: Any, y: Any) -> Any:
    """x with y at flat places."""
    flat = T.reshape(x, [-1], ndim=1)
    values = T.reshape(to(y, x.dtype), [-1], ndim=1)
    return reshaped(T.set_subtensor(flat[T.constant(places.ravel())], values), lengths(x))


def _memory(c: At, x: Any, size: Any, stride: Any, offset: Any) -> tuple[Any, Any, Any]:
    """The elements of x as they lie in memory, the order of axes there, and the flat places of a view."""
    value = value_of(c.node.inputs[0])
    order = sorted(range(x.ndim), key=lambda a: (-value.stride(a), value.shape[a] != 1, a))
    numbers = [*value.shape, *value.stride(), *size, *stride, offset or 0]
    if not all(isinstance(n, int) for n in numbers):
        raise Refused("lengths that are known at run time alone")
    dense, step = True, 1
    for a in reversed(order):
        dense, step = (
            dense and value.shape[a] in (1, 0) or value.stride(a) == step and dense,
            step * value.shape[a],
        )
    if not dense:
        raise Refused("a tensor whose memory has gaps")
    start = (value.storage_offset() if offset is None else offset) - 0
    places = np.full((), start)
    for n, s in zip(size, stride):
        places = places[..., None] + np.arange(n) * s
    if places.size and (places.min() < 0 or places.max() >= max(step, 1)):
        raise Refused("a view beyond the elements")
    return T.reshape(x.dimshuffle(*order) if order else x, [-1], ndim=1), order, places


@on("as_strided", "as_strided_copy")
def as_strided(c: At, x: Any, size: Any, stride: Any, offset: Any = None) -> Any:
    """Elements by their places in memory, as the trace laid them out."""
    flat, _, places = _memory(c, x, size, stride, offset)
    return flat[T.constant(places)]


@on("as_strided_scatter")
def as_strided_scatter(c: At, x: Any, y: Any, size: Any, stride: Any, offset: Any = None) -> Any:
    flat, order, places = _memory(c, x, size, stride, offset)
    made = T.set_subtensor(flat[T.constant(places)], to(y, x.dtype))
    turned = reshaped(made, [length(x, a) for a in order])
    return turned.dimshuffle(*(order.index(a) for a in range(x.ndim))) if order else turned
