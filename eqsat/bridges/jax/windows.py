"""Convolutions, and reductions of windows."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.bridges.axes import along
from eqsat.bridges.jax.elements import number
from eqsat.bridges.jax.indexing import TABLE
from eqsat.bridges.jax.shapes import ALL, JOINS, WORDS, greatest, least, monoid, neutral, padded
from eqsat.bridges.translate import Refused
from eqsat.graph.dtypes import COMPLEX, FLOATS

CONVOLUTIONS: dict[int, Any] = {1: T.nnet.conv1d, 2: T.nnet.conv2d, 3: T.nnet.conv3d}


def _ints(values: Any) -> list[int]:
    return [int(v) for v in values]


@TABLE.on("conv_general_dilated")
def convolution(t: Any, op: Any, node: Any, x: Any, w: Any) -> Any:
    """Images and filters in the order of eqsat; gaps and negative paddings of images are made before."""
    p, kind = op.params, t.reader.type_of(node.outputs[0])
    numbers, pads = p["dimension_numbers"], [tuple(_ints(q)) for q in p["padding"]]
    x, w = x.dimshuffle(*_ints(numbers.lhs_spec)), w.dimshuffle(*_ints(numbers.rhs_spec))
    gaps = [n - 1 for n in _ints(p["lhs_dilation"])]
    if any(gaps) or any(min(q) < 0 for q in pads):
        x = padded(
            x, number(0, x), [(0, 0, 0), (0, 0, 0), *((*q, g) for q, g in zip(pads, gaps, strict=True))]
        )
        pads = [(0, 0)] * len(pads)
    settings = _ints(p["window_strides"]), _ints(p["rhs_dilation"])
    made = _grouped(t, x, w, pads, settings, p["feature_group_count"], p["batch_group_count"], kind)
    order = _ints(numbers.out_spec)
    return made.dimshuffle(*(order.index(a) for a in range(made.ndim)))


def _grouped(t: Any, x: Any, w: Any, pads: Any, settings: Any, features: int, batches: int, kind: Any) -> Any:
    """Groups of the batch become groups of the channels."""
    if batches > 1:
        b, c, *rest = x.type.shape
        x = T.reshape(x, [batches, b // batches, c, *rest], ndim=x.ndim + 1)
        x = T.reshape(
            x.dimshuffle(1, 0, *range(2, x.ndim)), [b // batches, batches * c, *rest], ndim=x.ndim - 1
        )
        features = batches
    if x.dtype in COMPLEX:
        parts = partial(
            _convolved,
            pads=pads,
            settings=settings,
            groups=features,
            dtype="float64" if x.dtype == "complex128" else "float32",
        )
        a, b, c, d = T.real(x), T.imag(x), T.real(w), T.imag(w)
        return T.complex(parts(a, c) - parts(b, d), parts(a, d) + parts(b, c))
    return _convolved(x, w, pads, settings, features, kind.dtype)


def _convolved(x: Any, w: Any, pads: Any, settings: Any, groups: int, dtype: str) -> Any:
    spatial, (strides, dilation) = x.ndim - 2, settings
    known = dtype in FLOATS and spatial in CONVOLUTIONS and 0 not in (*x.type.shape, *w.type.shape)
    if known and all(n >= 0 for n in _lengths(x, w, pads, dilation)):
        return CONVOLUTIONS[spatial](
            T.cast(x, dtype),
            T.cast(w, dtype),
            border_mode=tuple(pads),
            subsample=tuple(strides),
            filter_flip=False,
            filter_dilation=tuple(dilation),
            num_groups=groups,
        )
    return _by_patches(T.cast(x, dtype), T.cast(w, dtype), pads, strides, dilation, groups)


def _lengths(x: Any, w: Any, pads: Any, dilation: Any) -> list[int]:
    """The room that windows have to move in along each axis."""
    numbers = zip(x.type.shape[2:], w.type.shape[2:], pads, dilation, strict=True)
    return [n + sum(p) - ((k - 1) * d + 1) for n, k, p, d in numbers]


def _by_patches(x: Any, w: Any, pads: Any, strides: Any, dilation: Any, groups: int) -> Any:
    """Products of filters with all windows, for any number of axes and any dtype."""
    b = x.type.shape[0]
    o, per = w.type.shape[:2]
    window = w.type.shape[2:]
    x = padded(x, number(0, x), [(0, 0, 0), (0, 0, 0), *((*p, 0) for p in pads)])
    patches, out = flat_windows(x, 2, window, strides, dilation)  # (b, c, places, window)
    places, inside = int(np.prod(out)), int(np.prod(window))
    patches = T.reshape(patches, [b, groups, per, places, inside], ndim=5)
    filters = T.reshape(w, [groups, o // groups, per, inside], ndim=4)
    rows = T.reshape(patches.dimshuffle(1, 0, 3, 2, 4), [groups, b * places, per * inside], ndim=3)
    columns = T.reshape(filters, [groups, o // groups, per * inside], ndim=3).dimshuffle(0, 2, 1)
    made = T.reshape(T.matmul(rows, columns), [groups, b, places, o // groups], ndim=4)
    return T.reshape(made.dimshuffle(1, 0, 3, 2), [b, o, *out], ndim=2 + len(out))


def window_places(lengths: Any, window: Any, strides: Any, dilation: Any) -> tuple[Any, list[int]]:
    """For each place of a window the flat indices of its elements, and how many places there are along each axis."""
    out = [
        max((n - ((k - 1) * d + 1)) // s + 1, 0) if n >= (k - 1) * d + 1 else 0
        for n, k, s, d in zip(lengths, window, strides, dilation, strict=True)
    ]
    index = np.zeros((1, 1), np.int64)
    for n, k, s, d, m in zip(lengths, window, strides, dilation, out, strict=True):
        line = np.arange(m)[:, None] * s + np.arange(k)[None, :] * d
        index = index[:, None, :, None] * n + line[None, :, None, :]
        index = index.reshape(index.shape[0] * m, index.shape[2] * k)
    return index, out


def flat_windows(x: Any, first: int, window: Any, strides: Any, dilation: Any) -> tuple[Any, list[int]]:
    """The windows over the axes from ``first`` on: (axes before, places, elements of a window)."""
    lengths, before = x.type.shape[first:], x.type.shape[:first]
    index, out = window_places(lengths, window, strides, dilation)
    flat = T.reshape(x, [*before, int(np.prod(lengths))], ndim=first + 1)
    return flat[(*[ALL] * first, T.constant(index))], out


# ------------------------------------------------------------------------------------------- reductions of windows


@TABLE.on("reduce_window_sum", "reduce_window_max", "reduce_window_min")
def window_reduction(t: Any, op: Any, node: Any, x: Any) -> Any:
    word = op.op_name.removeprefix("reduce_window_")
    name = WORDS.get(word, word)
    return reduced_windows(op.params, name, x, neutral(name, x.dtype))


@TABLE.on("reduce_window")
def window_reduction_by(t: Any, op: Any, node: Any, *operands: Any) -> Any:
    """By a known primitive, from a number that is given."""
    name = monoid(op.params["jaxpr"])
    if len(operands) != 2 or name not in JOINS or JOINS[name].start is None:
        raise Refused("windows that are reduced by a function of their own")
    x, start = operands
    made = reduced_windows(op.params, name, x, neutral(name, x.dtype))
    return JOINS[name].function(made, start.dimshuffle(*["x"] * made.ndim) if made.ndim else start)


def reduced_windows(p: Any, name: str, x: Any, empty: Any) -> Any:
    """Windows joined axis by axis, which the functions that are known allow."""
    if x.dtype == "bool":
        made = reduced_windows(
            p,
            {"add": "max", "mul": "min"}.get(name, name),
            T.cast(x, "int8"),
            np.asarray(name in ("mul", "min"), "int8"),
        )
        return T.cast(made, "bool")
    if x.dtype in COMPLEX and name in ("max", "min"):
        raise Refused("extremes of complex numbers")
    window, strides = _ints(p["window_dimensions"]), _ints(p["window_strides"])
    gaps, dilation = _ints(p["base_dilation"]), _ints(p["window_dilation"])
    x = padded(x, empty, [(int(a), int(b), g - 1) for (a, b), g in zip(p["padding"], gaps, strict=True)])
    for axis, (k, s, d) in enumerate(zip(window, strides, dilation, strict=True)):
        x = _along(name, x, axis, k, s, d)
    return x


def _along(name: str, x: Any, axis: int, k: int, s: int, d: int) -> Any:
    """Windows along one axis: parts of the array joined where they are few, rows of windows reduced where they are many."""
    if (k, s) == (1, 1):
        return x
    n = x.type.shape[axis]
    count = (n - ((k - 1) * d + 1)) // s + 1
    if count <= 0:
        shape = list(x.type.shape)
        shape[axis] = 0
        return T.zeros(shape, dtype=x.dtype)
    if k <= 16:
        parts = [x[along(axis, slice(i * d, i * d + (count - 1) * s + 1, s))] for i in range(k)]
        made = parts[0]
        for part in parts[1:]:
            made = JOINS[name].function(made, part)
        return made
    index = np.arange(count)[:, None] * s + np.arange(k)[None, :] * d
    return JOINS[name].reduction(x[along(axis, T.constant(index))], (axis + 1,))


def _spatial(x: Any, window: Any, strides: Any, pads: Any) -> tuple[list[int], list[int]]:
    """The axes that windows do not span, and those that they do."""
    over = [a for a in range(x.ndim) if window[a] != 1 or strides[a] != 1 or tuple(pads[a]) != (0, 0)]
    return [a for a in range(x.ndim) if a not in over], over


def _chosen(p: Any, select: str, operand: Any, fill: Any) -> tuple[Any, ...]:
    """For each window the flat place of its best element in the padded array, and what is needed to go back."""
    window, strides = _ints(p["window_dimensions"]), _ints(p["window_strides"])
    pads = [tuple(_ints(q)) for q in p["padding"]]
    rest, over = _spatial(operand, window, strides, pads)
    turned = padded(operand, fill, [(*q, 0) for q in pads]).dimshuffle(*rest, *over)
    sizes = [window[a] for a in over]
    patches, out = flat_windows(turned, len(rest), sizes, [strides[a] for a in over], [1] * len(over))
    best = (T.argmax if select == "ge" else T.argmin)(patches, axis=patches.ndim - 1)
    index, _ = window_places(
        turned.type.shape[len(rest) :], sizes, [strides[a] for a in over], [1] * len(over)
    )
    places = T.constant(index)[T.arange(index.shape[0]), best]
    return turned, places, rest, over, out


def _selection(op: Any) -> str:
    name = str(op.params["select_prim"].name)
    if name not in ("ge", "le"):
        raise Refused(f"elements chosen by {name}")
    return name


@TABLE.on("select_and_scatter_add")
def select_and_scatter_add(t: Any, op: Any, node: Any, source: Any, operand: Any) -> Any:
    """Each element of the source goes to where its window of the operand has the extreme, the first of equal ones."""
    name = _selection(op)
    fill = (least if name == "ge" else greatest)(operand.dtype)
    turned, places, rest, over, out = _chosen(op.params, name, operand, fill)
    before, lengths = turned.type.shape[: len(rest)], turned.type.shape[len(rest) :]
    count, rows = int(np.prod(lengths)), int(np.prod(before))
    flat = T.zeros((rows, count), dtype=source.dtype)
    given = T.reshape(source.dimshuffle(*rest, *over), [rows, int(np.prod(out))], ndim=2)
    where = T.reshape(places, [rows, int(np.prod(out))], ndim=2)
    flat = T.inc_subtensor(flat[T.arange(rows).dimshuffle(0, "x"), where], given)
    whole = T.reshape(flat, [*before, *lengths], ndim=turned.ndim)
    order = [*rest, *over]
    whole = whole.dimshuffle(*(order.index(a) for a in range(whole.ndim)))
    pads = op.params["padding"]
    return padded(whole, number(0, source), [(-int(a), -int(b), 0) for a, b in pads])


@TABLE.on("select_and_gather_add")
def select_and_gather_add(t: Any, op: Any, node: Any, tangents: Any, operand: Any) -> Any:
    """The tangents where windows of the operand have their extremes."""
    p, name = op.params, _selection(op)
    if any(int(n) != 1 for n in (*p["base_dilation"], *p["window_dilation"])):
        raise Refused("windows with gaps")
    fill = (least if name == "ge" else greatest)(operand.dtype)
    _, places, rest, over, out = _chosen(p, name, operand, fill)
    pads = [(int(a), int(b), 0) for a, b in p["padding"]]
    given = padded(tangents, number(0, tangents), pads).dimshuffle(*rest, *over)
    before = given.type.shape[: len(rest)]
    rows, count = int(np.prod(before)), int(np.prod(given.type.shape[len(rest) :]))
    flat = T.reshape(given, [rows, count], ndim=2)
    where = T.reshape(places, [rows, int(np.prod(out))], ndim=2)
    found = T.reshape(
        flat[T.arange(rows).dimshuffle(0, "x"), where], [*before, *out], ndim=len(rest) + len(out)
    )
    order = [*rest, *over]
    return found.dimshuffle(*(order.index(a) for a in range(found.ndim)))
