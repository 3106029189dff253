"""Ops of ATen that reduce, accumulate, sort and search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.bridges.axes import along, length
from eqsat.bridges.torch.table import At, axes_of, axis_of, filled, number, on, to
from eqsat.bridges.translate import Refused
from eqsat.graph.dtypes import COMPLEX, FLOATS


@on("sum", "nansum", "prims.sum")
def total(c: At, x: Any, dim: Any = None, keepdim: bool = False, **named: Any) -> Any:
    x = to(x, c.dtype)
    if c.name == "nansum":
        x = T.switch(T.isnan(x), number(0, x.dtype), x)
    return T.any(x, axis=axes_of(dim, x), keepdims=keepdim) if c.dtype == "bool" else _summed(x, dim, keepdim)


def _summed(x: Any, dim: Any, keepdim: bool) -> Any:
    return T.sum(x, axis=axes_of(dim, x), keepdims=keepdim, dtype=x.dtype) if x.ndim else x


@on("prod", "prims.prod")
def product_of(c: At, x: Any, dim: Any = None, keepdim: bool = False, **named: Any) -> Any:
    x = to(x, c.dtype)
    return T.prod(x, axis=axes_of(dim, x), keepdims=keepdim, dtype=c.dtype) if x.ndim else x


@on("mean")
def mean(c: At, x: Any, dim: Any = None, keepdim: bool = False, **named: Any) -> Any:
    x = to(x, c.dtype)
    return T.mean(x, axis=axes_of(dim, x), keepdims=keepdim) if x.ndim else x


def _variance(c: At, x: Any, dim: Any, correction: Any, keepdim: bool) -> Any:
    """The squares from the mean over the number of elements less a correction; of no degree of freedom NaN or infinite."""
    axes = axes_of(dim, x)
    correction = 1 if correction is None else correction
    if not x.ndim:
        return T.truediv(T.sub(x, x), number(max(1 - correction, 0), x.dtype))
    count: Any = 1
    for a in axes:
        count = count * length(x, a)
    left = max(count - correction, 0) if isinstance(count, int) else T.maximum(count - correction, 0)
    middle = T.mean(x, axis=axes, keepdims=True)
    squares = T.sqr(T.abs(T.sub(x, middle)))
    return T.truediv(T.sum(squares, axis=axes, keepdims=keepdim), number(left, squares.dtype))


@on("var", "std", "var_mean", "std_mean")
def variance(
    c: At, x: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, correction: Any = None
) -> Any:
    """The overload ``correction`` names what is taken from the number of elements."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if unbiased is not None and correction is None:
        correction = int(unbiased)
    found = _variance(c, x, dim, correction, keepdim)
    found = T.sqrt(found) if c.name.startswith("std") else found
    if not c.name.endswith("mean"):
        return found
    return [found, T.mean(x, axis=axes_of(dim, x), keepdims=keepdim) if x.ndim else x]


def _extreme(name: str) -> Callable[..., Any]:
    largest = "max" in name

    def reduced(x: Any, axes: tuple[int, ...], keepdim: bool) -> Any:
        if not x.ndim:
            return x
        if x.dtype == "bool":
            return (T.any if largest else T.all)(x, axis=axes, keepdims=keepdim)
        return (T.max if largest else T.min)(x, axis=axes, keepdims=keepdim)

    return reduced


@on("amax", "amin", "prims.amax", "prims.amin")
def extreme(c: At, x: Any, dim: Any = (), keepdim: bool = False) -> Any:
    return _extreme(c.name)(x, axes_of(dim, x), keepdim)


@on("max", "min")
def extreme_with_place(c: At, x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """All elements, or along an axis with the places."""
    if c.overload == "other":
        return (T.maximum if c.name == "max" else T.minimum)(to(x, c.dtype), to(dim, c.dtype))
    if c.count == 1:
        return _extreme(c.name)(x, axes_of(None, x), False)
    place = extreme_place(f"arg{c.name}", x, dim, keepdim)
    return [_extreme(c.name)(x, axes_of(dim, x), keepdim), place]


def extreme_place(name: str, x: Any, dim: Any, keepdim: bool) -> Any:
    """The first place of an extreme element along an axis."""
    if not x.ndim:
        return T.constant(np.int64(0))
    x = T.cast(x, "int8") if x.dtype == "bool" else x
    return (T.argmax if name == "argmax" else T.argmin)(x, axis=axis_of(dim, x), keepdims=keepdim)


@on("argmax", "argmin")
def place_of_extreme(c: At, x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    if dim is not None:
        return extreme_place(c.name, x, dim, keepdim)
    found = extreme_place(c.name, T.reshape(x, [-1], ndim=1), 0, False)
    return T.reshape(found, [1] * x.ndim, ndim=x.ndim) if keepdim else found


@on("aminmax")
def both_extremes(c: At, x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return [_extreme(n)(x, axes_of(dim, x), keepdim) for n in ("min", "max")]


@on("any", "all")
def truth(c: At, x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    f = T.any if c.name == "any" else T.all
    x = to(x, "bool")
    return to(f(x, axis=axes_of(dim, x), keepdims=keepdim) if x.ndim else x, c.dtype)


@on("count_nonzero")
def counted(c: At, x: Any, dim: Any = None) -> Any:
    return T.sum(T.cast(to(x, "bool"), "int64"), axis=axes_of(dim, x))


@on("logsumexp", "special_logsumexp")
def logsumexp(c: At, x: Any, dim: Any, keepdim: bool = False) -> Any:
    x = to(x, c.dtype)
    return T.logsumexp(x, axis=axes_of(dim, x), keepdims=keepdim) if x.ndim else x


@on("_softmax", "softmax", "_log_softmax", "log_softmax", "_safe_softmax")
def softmax(c: At, x: Any, dim: int, *dtype: Any, **named: Any) -> Any:
    x = to(x, c.dtype)
    log = "log" in c.name
    if not x.ndim:
        return T.sub(x, x) if log else T.exp(T.sub(x, x))
    made = (T.log_softmax if log else T.softmax)(x, axis=axis_of(dim, x))
    if c.name != "_safe_softmax":
        return made
    least = number(-np.inf, x.dtype)
    return T.switch(T.all(T.eq(x, least), axis=axis_of(dim, x), keepdims=True), number(0, x.dtype), made)


@on("_softmax_backward_data", "_log_softmax_backward_data")
def softmax_gradient(c: At, dy: Any, y: Any, dim: int, dtype: Any) -> Any:
    axis = (axis_of(dim, y),) if y.ndim else ()
    if "log" in c.name:
        return dy - T.exp(y) * T.sum(dy, axis=axis, keepdims=True)
    inner = dy * y
    return inner - y * T.sum(inner, axis=axis, keepdims=True)


# ------------------------------------------------------------------------------------------------- running, sorting


@on("cumsum", "cumprod", "logcumsumexp")
def running(c: At, x: Any, dim: int, **named: Any) -> Any:
    x = to(x, c.dtype)
    if not x.ndim or 0 in x.type.shape:
        return x
    return {"cumsum": T.cumsum, "cumprod": T.cumprod}.get(c.name, T.logcumsumexp)(x, axis=axis_of(dim, x))


@on("cummax", "cummin")
def running_extreme(c: At, x: Any, dim: int) -> Any:
    """The extreme so far, and the last place where it was met."""
    if not x.ndim:
        return [x, T.constant(np.int64(0))]
    axis = axis_of(dim, x)
    if x.dtype == "bool":
        raise Refused("truth values")
    best = (T.cummax if c.name == "cummax" else T.cummin)(x, axis=axis)
    line = T.arange(length(x, axis)).dimshuffle(*(0 if a == axis else "x" for a in range(x.ndim)))
    met = T.eq(x, best) if x.dtype not in FLOATS else T.or_(T.eq(x, best), T.isnan(x))
    return [best, T.cummax(T.switch(met, line, np.int64(0)), axis=axis)]


@on("sort", "argsort")
def sort(c: At, x: Any, dim: Any = -1, descending: bool = False, **named: Any) -> Any:
    """Equal elements keep their order; NaN is above all."""
    if c.overload.startswith("stable") or "stable" in named:
        dim, descending = named.get("dim", dim), named.get("descending", descending)
    if x.dtype in COMPLEX:
        raise Refused("complex numbers have no order")
    if not x.ndim:
        return [x, T.constant(np.int64(0))][-c.count :]
    order = sorted_places(x, axis_of(dim, x), descending)
    return [T.take_along_axis(x, order, axis=axis_of(dim, x)), order] if c.count == 2 else order


def sorted_places(x: Any, axis: int, descending: bool) -> Any:
    """The order of elements along an axis, that of equal ones as it is."""
    x = T.cast(x, "int8") if x.dtype == "bool" else x
    if not descending:
        return T.cast(T.argsort(x, axis=axis, kind="stable"), "int64")
    back = along(axis, slice(None, None, -1))
    return length(x, axis) - 1 - T.cast(T.argsort(x[back], axis=axis, kind="stable"), "int64")[back]


@on("topk")
def topk(c: At, x: Any, k: Any, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    if not x.ndim:
        return [x, T.constant(np.int64(0))]
    axis = axis_of(dim, x)
    order = sorted_places(x, axis, largest)[along(axis, slice(0, k))]
    return [T.take_along_axis(x, order, axis=axis), order]


@on("kthvalue")
def kth(c: At, x: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    if not x.ndim:
        return [x, T.constant(np.int64(0))]
    axis = axis_of(dim, x)
    order = sorted_places(x, axis, False)[along(axis, slice(k - 1, k))]
    found = [T.take_along_axis(x, order, axis=axis), order]
    return found if keepdim else [v[along(axis, 0)] for v in found]


@on("median")
def median(c: At, x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The lower one of two in the middle; where there is NaN it is NaN, at the first place of one."""
    x, keepdim = (T.reshape(x, [-1], ndim=1), False) if dim is None else (x, keepdim)
    if not x.ndim:
        return [x, T.constant(np.int64(0))]
    axis = axis_of(0 if dim is None else dim, x)
    n = length(x, axis)
    if not isinstance(n, int) or n == 0:
        raise Refused("a length that is 0 or known at run time alone")
    place = sorted_places(x, axis, False)[along(axis, slice((n - 1) // 2, (n - 1) // 2 + 1))]
    if x.dtype in FLOATS:
        lost = T.isnan(x)
        first = T.argmax(T.cast(lost, "int8"), axis=axis, keepdims=True)
        place = T.switch(T.any(lost, axis=axis, keepdims=True), first, place)
    found = [T.take_along_axis(x, place, axis=axis), place]
    found = found if keepdim else [v[along(axis, 0)] for v in found]
    return found[: c.count]


@on("searchsorted", "bucketize")
def searched(c: At, row: Any, x: Any, out_int32: bool = False, right: bool = False, **named: Any) -> Any:
    """The places at which numbers would stand in a sorted row."""
    if c.name == "bucketize":
        row, x = x, row
    right = right or named.get("side") == "right"
    if named.get("sorter") is not None:
        raise Refused("a row that is not sorted")
    x = x if hasattr(x, "type") else number(x, row.dtype)
    rows = row.dimshuffle(*range(row.ndim - 1), "x", row.ndim - 1) if row.ndim > 1 else row
    wide = x.dimshuffle(*range(x.ndim), "x")
    before = T.le(rows, wide) if right else T.lt(rows, wide)
    before = T.invert(T.gt(rows, wide) if right else T.ge(rows, wide)) if x.dtype in FLOATS else before
    return T.sum(T.cast(before, c.dtype), axis=-1, dtype=c.dtype)


@on("histc")
def histogram(c: At, x: Any, bins: int = 100, min: Any = 0, max: Any = 0) -> Any:
    """The numbers of elements in each of as many equal parts of a range; of no range in that of the elements."""
    x, low, high = T.flatten(x), number(min, c.dtype), number(max, c.dtype)
    if min == max:
        low, high = T.min(x), T.max(x)
        apart = T.cast(T.eq(low, high), c.dtype)
        low, high = low - apart, high + apart
    place = T.floor((x - low) * number(bins, c.dtype) / (high - low))
    place = T.minimum(place, number(bins - 1, c.dtype))
    inside = T.and_(T.ge(x, low), T.le(x, high))
    place = T.cast(T.switch(inside, place, number(bins, c.dtype)), "int64")
    counts = T.inc_subtensor(filled([bins + 1], 0, c.dtype)[place], number(1, c.dtype))
    return counts[:bins]
