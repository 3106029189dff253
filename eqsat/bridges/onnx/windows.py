"""Windows over the last axes of a tensor with any padding, distance and end, and sizes that are changed by interpolation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.base.values import dataclass
from eqsat.bridges.axes import length, spread
from eqsat.bridges.onnx.reading import as_constant
from eqsat.bridges.onnx.table import at, raised
from eqsat.bridges.translate import Refused
from eqsat.graph.dtypes import FLOATS
from eqsat.graph.ops.pool import pool_max_op, pool_sum_op


@dataclass(frozen=True)
class Windows:
    """Windows over spatial axes: lengths, distances, dilations, and elements added before and behind each axis.

    ``room`` is the further room behind an axis that the last windows need where part of a window counts as one.
    """

    size: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]
    room: tuple[int, ...]

    def spans(self) -> list[int]:
        return [(k - 1) * d + 1 for k, d in zip(self.size, self.dilations)]


def windows_of(c: Any, x: Any, size: Sequence[int]) -> Windows:
    """The windows that the attributes of a node say over the axes of x behind the first two."""
    n = len(size)
    strides = tuple(c.get("strides") or [1] * n)
    dilations = tuple(c.get("dilations") or [1] * n)
    pads = paddings(c, x, size, strides, dilations)
    room = [0] * n
    if c.get("ceil_mode", 0):
        for a in range(n):
            have = known_length(x, 2 + a) + sum(pads[a])
            span = (size[a] - 1) * dilations[a] + 1
            count = -(-(have - span) // strides[a]) + 1
            if (count - 1) * strides[a] >= have - pads[a][
                1
            ]:  # a window that begins in the padding does not count
                count -= 1
            room[a] = max((count - 1) * strides[a] + span - have, 0)
    return Windows(tuple(size), strides, dilations, tuple(pads), tuple(room))


def known_length(x: Any, axis: int) -> int:
    n = length(x, axis)
    if not isinstance(n, int):
        raise Refused("a spatial length that is known at run time alone")
    return n


def paddings(c: Any, x: Any, size: Sequence[int], strides: Any, dilations: Any) -> list[tuple[int, int]]:
    """The elements that are added before and behind each spatial axis."""
    n, kind = len(size), c.get("auto_pad", "NOTSET") or "NOTSET"
    if kind == "NOTSET":
        p = c.get("pads") or [0] * (2 * n)
        return [(p[a], p[a + n]) for a in range(n)]
    if kind == "VALID":
        return [(0, 0)] * n
    found = []
    for a in range(n):
        have, span = known_length(x, 2 + a), (size[a] - 1) * dilations[a] + 1
        total = max((-(-have // strides[a]) - 1) * strides[a] + span - have, 0)
        small = total // 2
        found.append((small, total - small) if kind == "SAME_UPPER" else (total - small, small))
    return found


def padded(x: Any, w: Windows, fill: Any, room: bool = True) -> Any:
    """x with elements added around its spatial axes."""
    pairs = [(a, b + (r if room else 0)) for (a, b), r in zip(w.pads, w.room)]
    if not any(a or b for a, b in pairs):
        return x
    lead = [(0, 0)] * (x.ndim - len(pairs))
    return T.pad(x, [*lead, *pairs], constant_values=as_constant(np.asarray(fill, x.type.dtype)))


def elements(x: Any, w: Windows) -> Any:
    """The elements of each window of a padded tensor, on one further axis at the end."""
    n, lead = len(w.size), x.ndim - len(w.size)
    for a in range(n):  # axis by axis: lead, done pairs, this axis, rest
        axis = lead + 2 * a
        count = (known_length(x, axis) - w.spans()[a]) // w.strides[a] + 1
        places = np.arange(count)[:, None] * w.strides[a] + np.arange(w.size[a])[None, :] * w.dilations[a]
        x = at(x, axis, as_constant(places))
    counts = [known_length(x, lead + 2 * a) for a in range(n)]
    order = [*range(lead), *(lead + 2 * a for a in range(n)), *(lead + 2 * a + 1 for a in range(n))]
    spread = x.dimshuffle(*order)
    return T.reshape(
        spread, [*(length(x, a) for a in range(lead)), *counts, int(np.prod(w.size))], ndim=lead + n + 1
    )


def least(dtype: str) -> Any:
    """The number that is below all of a dtype."""
    return -np.inf if np.dtype(dtype).kind == "f" else np.iinfo(dtype).min


def largest(x: Any, w: Windows) -> Any:
    """The largest element of each window."""
    whole = padded(x, w, least(x.type.dtype))
    if any(d != 1 for d in w.dilations):
        return T.max(elements(whole, w), axis=-1)
    return pool_max_op.bind(**_parameters(w))(whole)


def _parameters(w: Windows) -> dict[str, Any]:
    return {"window": w.size, "strides": w.strides, "pads": (0,) * len(w.size), "partial": False}


def sums(whole: Any, w: Windows) -> Any:
    """The sum of each window of a padded tensor."""
    if any(d != 1 for d in w.dilations):
        return T.sum(elements(whole, w), axis=-1)
    return pool_sum_op.bind(**_parameters(w))(whole)


def means(x: Any, w: Windows, count_padding: bool) -> Any:
    """The mean of each window; padding counts where so asked, the room behind never does."""
    spatial = [known_length(x, x.ndim - len(w.size) + a) for a in range(len(w.size))]
    inside = T.ones(spatial, dtype=x.type.dtype)
    if count_padding:
        inside = padded(
            T.ones([n + a + b for n, (a, b) in zip(spatial, w.pads)], dtype=x.type.dtype), _only_room(w), 0
        )
    else:
        inside = padded(inside, w, 0)
    return sums(padded(x, w, 0), w) / raised(sums(inside, w), x.ndim)


def _only_room(w: Windows) -> Windows:
    return Windows(w.size, w.strides, w.dilations, ((0, 0),) * len(w.size), w.room)


# ---------------------------------------------------------------------------------------------------- interpolation


def original(c: Any, out: Any, scale: Any, n_in: Any, n_out: Any, roi: tuple[Any, Any]) -> Any:
    """The places of the elements of a resized axis on the axis that it was; the length that it becomes need not be whole."""
    mode = c.get("coordinate_transformation_mode", "half_pixel")
    i = T.cast(out, "float32")
    whole_in = T.cast(T.as_tensor(n_in), "float32")
    width = scale * whole_in
    single = T.eq(width, 1.0)
    if mode == "half_pixel":
        return (i + 0.5) / scale - 0.5
    if mode == "half_pixel_symmetric":
        adjust = T.cast(T.as_tensor(n_out), "float32") / width
        return whole_in / 2 * (1 - adjust) + (i + 0.5) / scale - 0.5
    if mode == "pytorch_half_pixel":
        return T.switch(single, T.zeros_like(i), (i + 0.5) / scale - 0.5)
    if mode == "asymmetric":
        return i / scale
    if mode == "align_corners":
        return T.switch(single, T.zeros_like(i), i * (whole_in - 1) / (width - 1))
    if mode == "tf_crop_and_resize":
        start, end = roi
        extent = (end - start) * (whole_in - 1)
        return start * (whole_in - 1) + T.switch(
            single, extent / 2 + T.zeros_like(i), i * extent / (width - 1)
        )
    raise Refused(f"coordinates by {mode}")


def nearest(mode: str, x: Any) -> Any:
    """The neighbour of a place."""
    if mode == "round_prefer_floor":
        return T.ceil(x - 0.5)
    if mode == "round_prefer_ceil":
        return T.floor(x + 0.5)
    return T.floor(x) if mode == "floor" else T.ceil(x)


def kernel(c: Any, distance: Any) -> Any:
    """The weight of an element at a distance."""
    d = T.abs(distance)
    if c.get("mode", "nearest") == "linear":
        return T.maximum(1 - d, 0)
    a = float(c.get("cubic_coeff_a", -0.75))
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return T.switch(d <= 1, near, T.switch(d < 2, far, 0.0))


def resized(c: Any, x: Any, axis: int, scale: Any, n_out: Any, roi: tuple[Any, Any]) -> Any:
    """x with another length on one axis."""
    n_in, dtype = length(x, axis), x.type.dtype
    last = T.cast(T.as_tensor(n_in), "float32") - 1
    places = original(c, T.arange(n_out), scale, n_in, n_out, roi)
    if c.get("mode", "nearest") == "nearest":
        found = nearest(c.get("nearest_mode", "round_prefer_floor"), places)
        made = at(x, axis, T.cast(T.clip(found, 0, last), "int64"))
    else:
        made = interpolated(c, x, axis, T.clip(places, -1, last + 1), scale, n_out)
    if c.get("coordinate_transformation_mode") == "tf_crop_and_resize":
        outside = T.or_(places < 0, places > last)
        made = T.switch(spread(outside, axis, x.ndim), c.number("extrapolation_value", 0.0, made), made)
    return made if made.type.dtype == dtype else T.cast(T.round_half_to_even(made), dtype)


def interpolated(c: Any, x: Any, axis: int, places: Any, scale: Any, n_out: Any) -> Any:
    """Weighted sums along an axis; beyond its ends stand the elements of its ends, which may be left out."""
    n_in, smooth, outside = length(x, axis), c.get("antialias", 0), c.get("exclude_outside", 0)
    beyond = 3
    if smooth:
        if not isinstance(n_in, int) or not isinstance(n_out, int):
            raise Refused("antialias with lengths that are known at run time alone")
        beyond = 3 + 2 * -(-n_in // max(n_out, 1))
    columns = (T.cast(T.arange(n_in + 2 * beyond), "float32") - beyond).dimshuffle("x", 0)
    distance = columns - places.dimshuffle(0, "x")
    weights = kernel(c, distance * T.minimum(scale, 1.0) if smooth else distance)
    if outside:
        last = T.cast(T.as_tensor(n_in), "float32") - 1
        weights = T.switch(T.and_(columns >= 0, columns <= last), weights, as_constant(np.float32(0)))
    if smooth or outside:
        weights = weights / T.sum(weights, axis=1, keepdims=True)
    dtype = x.type.dtype if x.type.dtype in FLOATS else "float32"
    wide = T.pad(
        T.cast(x, dtype), [(beyond, beyond) if a == axis else (0, 0) for a in range(x.ndim)], mode="edge"
    )
    order = [*(a for a in range(x.ndim) if a != axis), axis]
    made = T.dot(wide.dimshuffle(*order), T.cast(weights, dtype).T)
    back = [order.index(a) for a in range(x.ndim)]
    return made.dimshuffle(*back)
