"""Ops of ONNX that move elements; shapes may be computed at run time, ranks may not."""

from __future__ import annotations

from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.bridges.axes import length, lengths, product, spread
from eqsat.bridges.combined import combined_at
from eqsat.bridges.onnx.reading import array_of, as_constant
from eqsat.bridges.onnx.table import at, count_of, integers, known, number_type, on, over_axes, packed, raised
from eqsat.bridges.translate import Refused


def bounds(start: int, stop: int | None, rank: int) -> range:
    """The axes between two that may be counted from the end."""
    return range(rank)[slice(start, stop)]


@on("Shape")
def shape(c: Any, x: Any) -> Any:
    return packed([length(x, a) for a in bounds(c.get("start", 0), c.get("end"), x.ndim)])


@on("Size")
def size(c: Any, x: Any) -> Any:
    return T.cast(T.as_tensor(product(lengths(x))), "int64")


def chosen_rank(c: Any, shape: Any, what: str) -> int:
    """The number of lengths that an operand gives, or the rank that the model declares."""
    if shape.type.shape[0] is None and c.rank_of_result() is not None:
        return int(c.rank_of_result())
    return count_of(shape, what)


@on("Reshape")
def reshape(c: Any, x: Any, shape: Any = None) -> Any:
    if shape is None:
        wanted = list(c.get("shape"))
    else:
        wanted = integers(shape, "lengths", chosen_rank(c, shape, "lengths"))
    if not c.get("allowzero", 0):
        wanted = [_or_own(x, a, n) for a, n in enumerate(wanted)]
    return T.reshape(x, wanted, ndim=len(wanted))


def _or_own(x: Any, axis: int, n: Any) -> Any:
    """The length of x where 0 stands."""
    if isinstance(n, int):
        return length(x, axis) if n == 0 else n
    return T.switch(T.eq(n, 0), T.as_tensor(length(x, axis)), n) if axis < x.ndim else n


@on("Flatten")
def flatten(c: Any, x: Any) -> Any:
    axis = c.get("axis", 1)
    axis = axis + x.ndim if axis < 0 else axis
    return T.reshape(x, [product(lengths(x, 0, axis)), product(lengths(x, axis))], ndim=2)


@on("Transpose")
def transpose(c: Any, x: Any) -> Any:
    return x.dimshuffle(*(c.get("perm") or range(x.ndim)[::-1]))


@on("Squeeze")
def squeeze(c: Any, x: Any, axes: Any = None) -> Any:
    if axes is None and c.get("axes") is not None:
        axes = as_constant(np.asarray(c.get("axes"), np.int64))
    if axes is None:
        rank = c.rank_of_result()
        ones = tuple(a for a in range(x.ndim) if x.type.shape[a] == 1)
        if rank != x.ndim - len(ones) and None in x.type.shape:
            raise Refused("which axes have length 1 is known at run time alone")
        return dropped(x, ones)
    short = [a for a in range(x.ndim) if x.type.shape[a] in (1, None)]
    return over_axes(axes, x.ndim, lambda a: dropped(x, a), short)


def dropped(x: Any, axes: tuple[int, ...]) -> Any:
    """x without axes, whose lengths are checked to be 1."""
    rest = [a for a in range(x.ndim) if a not in axes]
    if all(x.type.shape[a] == 1 for a in axes):
        return x.dimshuffle(*rest)
    return T.reshape(x, [length(x, a) for a in rest], ndim=len(rest))


@on("Unsqueeze")
def unsqueeze(c: Any, x: Any, axes: Any = None) -> Any:
    if axes is None:
        axes = as_constant(np.asarray(c.get("axes"), np.int64))
    rank = x.ndim + (count_of(axes, "axes"))

    def spread(new: tuple[int, ...]) -> Any:
        rest = iter(range(x.ndim))
        return x.dimshuffle(*("x" if a in new else next(rest) for a in range(rank)))

    return over_axes(axes, rank, spread)


@on("Concat")
def concat(c: Any, *xs: Any) -> Any:
    return T.join(c.get("axis", 1) % xs[0].ndim, *xs)


@on("Expand")
def expand(c: Any, x: Any, shape: Any) -> Any:
    wanted = integers(shape, "lengths", chosen_rank(c, shape, "lengths"))
    rank = max(x.ndim, len(wanted))
    x = raised(x, rank)
    wanted = [1] * (rank - len(wanted)) + wanted
    return T.broadcast_to(x, [_larger(length(x, a), n) for a, n in enumerate(wanted)])


def _larger(a: Any, b: Any) -> Any:
    """The length that two become where one of them is 1."""
    if isinstance(a, int) and isinstance(b, int):
        return b if a == 1 else a
    if isinstance(a, int):
        return b if a == 1 else a
    return a if isinstance(b, int) and b == 1 else T.switch(T.eq(a, 1), b, a)


@on("Tile")
def tile(c: Any, x: Any, repeats: Any) -> Any:
    return T.tile(x, integers(repeats, "repeats", x.ndim))


# ------------------------------------------------------------------------------------------------------------- parts


def per_axis(rank: int, axes: Any, values: list[Any], default: Any) -> list[Any]:
    """One value per axis, where values are given for some; which these are may be known at run time alone."""
    if isinstance(axes, list):
        full = [default] * rank
        for a, v in zip(axes, values, strict=True):
            full[a % rank] = v
        return full
    start: Any = as_constant(np.full(rank, default, np.int64))
    full_vector = T.set_subtensor(start[T.mod(T.cast(axes, "int64"), rank)], packed(values))
    return [full_vector[a] for a in range(rank)]


def named_axes(axes: Any, count: int, rank: int) -> Any:
    """Axes as numbers; a vector where they are computed."""
    if axes is None:
        return list(range(count))
    value = known(axes)
    return axes if value is None else [int(a) % rank for a in value.ravel()]


@on("Slice")
def part(c: Any, x: Any, starts: Any = None, ends: Any = None, axes: Any = None, steps: Any = None) -> Any:
    if starts is None:
        starts, ends = (as_constant(np.asarray(c.get(n), np.int64)) for n in ("starts", "ends"))
        axes = None if c.get("axes") is None else as_constant(np.asarray(c.get("axes"), np.int64))
    first = integers(starts, "starts")
    which = named_axes(axes, len(first), x.ndim)
    by = [1] * len(first) if steps is None else integers(steps, "steps")
    last = integers(ends, "ends")
    if isinstance(which, list) and all(isinstance(n, int) for n in by):
        index: list[Any] = [slice(None)] * x.ndim
        for a, s, e, k in zip(which, first, last, by, strict=True):
            index[a] = _bounded(length(x, a), s, e, k)
        return x[tuple(index)]
    far = 2**62
    made = x
    for a, (s, e, k) in enumerate(
        zip(*(per_axis(x.ndim, which, v, d) for v, d in ((first, 0), (last, far), (by, 1))), strict=True)
    ):
        if not (isinstance(s, int) and isinstance(e, int) and (s, e, k) == (0, far, 1)):
            made = T.take(made, _places(x.shape[a], s, e, k), axis=a)
    return made


def _bounded(n: Any, start: Any, end: Any, step: int) -> slice:
    """A slice as NumPy reads it: ends beyond the axis are cut, also those that stand for "as far as it goes"."""
    if isinstance(start, int) and isinstance(end, int) and isinstance(n, int):
        return slice(*_whole(slice(start, end, step).indices(n)))
    if isinstance(end, int) and (end >= 2**31 - 1 or (step < 0 and end <= -(2**31) + 1)):
        end = None
    return slice(start, end, step)


def _whole(bounds: tuple[int, int, int]) -> tuple[int | None, ...]:
    start, stop, step = bounds
    return start, (None if stop < 0 else stop), step


def _places(n: Any, start: Any, end: Any, step: Any) -> Any:
    """The indices of a slice whose step is computed."""
    n, start, end, step = (T.cast(T.as_tensor(v), "int64") for v in (n, start, end, step))
    back = step < 0
    low, high = T.switch(back, -1, 0), T.switch(back, n - 1, n)
    start = T.clip(T.switch(start < 0, start + n, start), low, high)
    end = T.clip(T.switch(end < 0, end + n, end), low, high)
    return T.arange(start, end, step)


@on("Split")
def split(c: Any, x: Any, sizes: Any = None) -> Any:
    axis, count = c.get("axis", 0) % x.ndim, len(c.node.outputs)
    n = length(x, axis)
    if sizes is not None:
        cuts = integers(sizes, "parts", count)
    elif c.get("split") is not None:
        cuts = list(c.get("split"))
    else:
        each = -(-n // count) if isinstance(n, int) else T.floordiv(n + count - 1, count)
        cuts = [each] * (count - 1) + [n - each * (count - 1)]
    made: list[Any] = []
    start: Any = 0
    for k in cuts:
        made.append(at(x, axis, slice(start, start + k)))
        start = start + k
    return made


def from_front(i: Any, n: Any) -> Any:
    """Indices counted from the front."""
    i = T.cast(i, "int64")
    return T.switch(i < 0, i + n, i)


@on("Gather")
def gather(c: Any, x: Any, i: Any) -> Any:
    return at(x, c.get("axis", 0) % x.ndim, T.cast(i, "int64"))


def beside(i: Any, axis: int) -> list[Any]:
    """The index of every element of i with i in the place of one axis."""
    return [
        T.cast(i, "int64") if a == axis else spread(T.arange(i.shape[a]), a, i.ndim) for a in range(i.ndim)
    ]


@on("GatherElements")
def gather_elements(c: Any, x: Any, i: Any) -> Any:
    return x[tuple(beside(i, c.get("axis", 0) % x.ndim))]


def last_index(i: Any) -> list[Any]:
    """The parts of index tuples that lie along the last axis."""
    n = length(i, i.ndim - 1)
    if not isinstance(n, int):
        raise Refused("the number of axes that are indexed is computed at run time")
    return [T.cast(i[..., k], "int64") for k in range(n)]


@on("GatherND")
def gather_nd(c: Any, x: Any, i: Any) -> Any:
    batch = [spread(T.arange(x.shape[a]), a, i.ndim - 1) for a in range(c.get("batch_dims", 0))]
    return x[(*batch, *last_index(i))]


EXTREMES = {"max": T.maximum, "min": T.minimum}


def written(c: Any, x: Any, index: list[Any], y: Any) -> Any:
    """x with y in the places of an index of its first axes, or joined to what is there."""
    kind = c.get("reduction", "none")
    joining = T.mul if kind == "mul" else EXTREMES.get(kind)
    if joining is not None:
        return combined_at(joining, x, index, y)
    if kind not in ("none", "add"):
        raise Refused(f"it joins by {kind}")
    return (T.inc_subtensor if kind == "add" else T.set_subtensor)(x[tuple(index)], y)


@on("ScatterElements", "Scatter")
def scatter_elements(c: Any, x: Any, i: Any, y: Any) -> Any:
    return written(c, x, beside(i, c.get("axis", 0) % x.ndim), y)


@on("ScatterND")
def scatter_nd(c: Any, x: Any, i: Any, y: Any) -> Any:
    return written(c, x, last_index(i), y)


@on("TensorScatter")
def tensor_scatter(c: Any, past: Any, update: Any, indices: Any = None) -> Any:
    """Rows of a cache replaced from a place of each batch on, in a circle where so asked."""
    axis = c.get("axis", -2) % past.ndim
    rows, n = length(update, axis), length(past, axis)
    start = T.zeros((past.shape[0],), dtype="int64") if indices is None else T.cast(indices, "int64")
    place = start.dimshuffle(0, "x") + T.arange(rows).dimshuffle("x", 0)
    if c.get("mode", "linear") == "circular":
        place = T.mod(place, n)
    index = [
        spread(T.arange(update.shape[a]), a, update.ndim) if a != axis else _two(place, axis, update.ndim)
        for a in range(update.ndim)
    ]
    return T.set_subtensor(past[tuple(index)], update)


def _two(place: Any, axis: int, rank: int) -> Any:
    return place.dimshuffle(*(0 if a == 0 else 1 if a == axis else "x" for a in range(rank)))


@on("OneHot")
def one_hot(c: Any, i: Any, depth: Any, values: Any) -> Any:
    n = T.cast(depth if depth.ndim == 0 else depth[0], "int64")
    axis = c.get("axis", -1)
    axis = axis + i.ndim + 1 if axis < 0 else axis
    hot = T.eq(spread(T.arange(n), axis, i.ndim + 1), T.expand_dims(from_front(i, n), axis))
    return T.switch(hot, raised(values[1], hot.ndim), raised(values[0], hot.ndim))


@on("Compress")
def compress(c: Any, x: Any, condition: Any) -> Any:
    axis = c.get("axis")
    x, axis = (T.reshape(x, [-1], ndim=1), 0) if axis is None else (x, axis % x.ndim)
    return T.take(x, T.nonzero(condition)[0], axis=axis)


@on("NonZero")
def nonzero(c: Any, x: Any) -> Any:
    return T.stack([T.cast(v, "int64") for v in T.nonzero(x if x.ndim else x.dimshuffle("x"))])


@on("TopK")
def top_k(c: Any, x: Any, k: Any) -> Any:
    """The first of equal elements comes first."""
    axis = c.get("axis", -1) % x.ndim
    n = integers(k, "elements")[0]
    if c.get("largest", 1):
        back = at(x, axis, slice(None, None, -1))
        order = (
            length(x, axis) - 1 - at(T.argsort(back, axis=axis, kind="stable"), axis, slice(None, None, -1))
        )
    else:
        order = T.argsort(x, axis=axis, kind="stable")
    order = T.cast(at(order, axis, slice(0, n)), "int64")
    return [T.take_along_axis(x, order, axis=axis), order]


@on("ReverseSequence")
def reverse_sequence(c: Any, x: Any, counts: Any) -> Any:
    batch, time = c.get("batch_axis", 1), c.get("time_axis", 0)
    t = spread(T.arange(x.shape[time]), time, x.ndim)
    n = T.cast(spread(counts, batch, x.ndim), "int64")
    place = T.switch(t < n, n - 1 - t, t)
    index = [spread(T.arange(x.shape[a]), a, x.ndim) if a != time else place for a in range(x.ndim)]
    return x[tuple(index)]


# ------------------------------------------------------------------------------------------------------- new tensors


@on("Constant")
def constant(c: Any) -> Any:
    for name, value in c.node.op.attributes.items():
        if name == "value":
            return as_constant(array_of(value))
        if name in ("value_float", "value_floats"):
            return as_constant(np.asarray(value, np.float32))
        if name in ("value_int", "value_ints"):
            return as_constant(np.asarray(value, np.int64))
        raise Refused(f"a constant of {name}")
    raise Refused("a constant without a value")


@on("ConstantOfShape")
def constant_of_shape(c: Any, shape: Any) -> Any:
    value = c.get("value")
    number = np.float32(0) if value is None else array_of(value).ravel()[0]
    return T.alloc(as_constant(number), *integers(shape, "lengths", c.rank_of_result()))


@on("Range")
def arange(c: Any, start: Any, limit: Any, delta: Any) -> Any:
    start, limit, delta = (v if v.ndim == 0 else v[0] for v in (start, limit, delta))
    dtype = start.type.dtype
    ends = [known(v) for v in (start, limit, delta)]
    if all(v is not None for v in ends):
        return as_constant(np.arange(*(v.item() for v in ends if v is not None), dtype=dtype))
    count = T.ceil(T.truediv(T.cast(limit - start, "float64"), T.cast(delta, "float64")))
    steps = T.arange(T.cast(T.maximum(count, 0.0), "int64"))
    return start + T.cast(steps, dtype) * delta


@on("EyeLike")
def eye_like(c: Any, x: Any) -> Any:
    return T.eye(x.shape[0], x.shape[1], c.get("k", 0), dtype=number_type(c, "dtype", x.type.dtype))


@on("Trilu")
def triangle(c: Any, x: Any, k: Any = None) -> Any:
    rows = spread(T.arange(x.shape[x.ndim - 2]), x.ndim - 2, x.ndim)
    columns = spread(T.arange(x.shape[x.ndim - 1]), x.ndim - 1, x.ndim)
    shift = T.as_tensor(0) if k is None else T.cast(k if k.ndim == 0 else k[0], "int64")
    past = columns - rows
    shift = raised(shift, x.ndim)
    inside = past >= shift if c.get("upper", 1) else past <= shift
    return T.switch(inside, x, as_constant(np.zeros((), x.type.dtype)))


@on("Pad")
def pad(c: Any, x: Any, pads: Any = None, value: Any = None, axes: Any = None) -> Any:
    """Lengths below zero cut."""
    mode = c.get("mode", "constant")
    widths = integers(
        as_constant(np.asarray(c.get("pads"), np.int64)) if pads is None else pads, "widths", 2 * x.ndim
    )
    half = len(widths) // 2
    which = named_axes(axes, half, x.ndim)
    before, behind = per_axis(x.ndim, which, widths[:half], 0), per_axis(x.ndim, which, widths[half:], 0)
    cut = [slice(_cut(a), _cut_end(b, length(x, k))) for k, (a, b) in enumerate(zip(before, behind))]
    if any(s != slice(None) for s in cut):
        x = x[tuple(cut)]
    pairs = [(_positive(a), _positive(b)) for a, b in zip(before, behind)]
    if mode != "constant":
        return T.pad(x, pairs, mode=mode)
    if value is None:
        fill: Any = c.number("value", 0.0, x)
    else:
        fill = value if value.ndim == 0 else value[0]
    return T.pad(x, pairs, mode="constant", constant_values=fill)


def _cut(n: Any) -> Any:
    if isinstance(n, int):
        return -n if n < 0 else None
    return T.maximum(-n, 0)


def _cut_end(n: Any, whole: Any) -> Any:
    if isinstance(n, int):
        return n if n < 0 else None
    return whole + T.minimum(n, 0)


def _positive(n: Any) -> Any:
    return max(n, 0) if isinstance(n, int) else T.maximum(n, 0)


@on("CenterCropPad")
def crop_or_pad(c: Any, x: Any, shape: Any) -> Any:
    axes = c.get("axes")
    axes = list(range(x.ndim)) if axes is None else [a % x.ndim for a in axes]
    for axis, n in zip(axes, integers(shape, "lengths", len(axes)), strict=True):
        have = length(x, axis)
        fixed = isinstance(n, int) and isinstance(have, int)
        large, small = (max, min) if fixed else (T.maximum, T.minimum)
        cut, room = large(have - n, 0) // 2, large(n - have, 0)
        widths: list[Any] = [(0, 0)] * x.ndim
        widths[axis] = room // 2, room - room // 2
        x = T.pad(at(x, axis, slice(cut, cut + small(n, have))), widths)
    return x


@on("DepthToSpace")
def depth_to_space(c: Any, x: Any) -> Any:
    b, ch, h, w = lengths(x)
    s = c.get("blocksize")
    deep = ch // (s * s)
    if c.get("mode", "DCR") == "DCR":
        spread = T.reshape(x, [b, s, s, deep, h, w], ndim=6).dimshuffle(0, 3, 4, 1, 5, 2)
    else:
        spread = T.reshape(x, [b, deep, s, s, h, w], ndim=6).dimshuffle(0, 1, 4, 2, 5, 3)
    return T.reshape(spread, [b, deep, h * s, w * s], ndim=4)


@on("SpaceToDepth")
def space_to_depth(c: Any, x: Any) -> Any:
    b, ch, h, w = lengths(x)
    s = c.get("blocksize")
    order = (0, 3, 5, 1, 2, 4) if c.get("mode", "DCR") == "DCR" else (0, 1, 3, 5, 2, 4)
    spread = T.reshape(x, [b, ch, h // s, s, w // s, s], ndim=6).dimshuffle(*order)
    return T.reshape(spread, [b, ch * s * s, h // s, w // s], ndim=4)
