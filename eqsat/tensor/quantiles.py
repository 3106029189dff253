"""Medians and quantiles over axes, from the sorted elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, DTypeError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.core import Constant
from eqsat.graph.dtypes import FLOATS
from eqsat.graph.ops import elemwise as e
from eqsat.graph.ops.gather import gather_op
from eqsat.graph.ops.join import concatenate
from eqsat.graph.ops.reshape import flatten, reshape
from eqsat.graph.ops.shape import dimshuffle, length
from eqsat.graph.ops.sort import sort_op
from eqsat.tensor.reduction import Axis, normal_axes
from eqsat.tensor.sorting import ordered


def rows_over(name: str, x: Any, axis: Axis) -> tuple[Any, tuple[int, ...]]:
    """The elements over some axes as the last axis, and those axes."""
    axes = normal_axes(name, x, axis)
    kept = [a for a in range(x.ndim) if a not in axes]
    if len(axes) == 1:
        return dimshuffle(x, *kept, *axes), axes
    total: Any = as_tensor(np.int64(1))
    for a in axes:
        total = total * length(x, a)
    return reshape(dimshuffle(x, *kept, *axes), (*(length(x, a) for a in kept), total)), axes


def _pick(rows: Any, places: Any) -> Any:
    """Elements of the last axis at a vector of places."""
    return gather_op(rows, places, pattern=(*(-1,) * (rows.ndim - 1), 0))


def with_axes(out: Any, axes: tuple[int, ...], first: int) -> Any:
    """The axes that were taken, with length 1, behind some first axes."""
    ndim = out.ndim - first + len(axes)
    kept = iter(range(first, out.ndim))
    return dimshuffle(out, *range(first), *("x" if a in axes else next(kept) for a in range(ndim)))


def floating(x: Any) -> Any:
    """A tensor in its own floating dtype, or in float64."""
    return x if x.dtype in FLOATS else cast_to(x, "float64")


def median(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Middle element over axes, or the mean of both middle ones; NaN where there is one, or no element.

    Shapes   x: any[...] -> f[...] without the axes, or with length 1 there for keepdims=True
    Errors   DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.median([[1, 9], [3, 4]], axis=1).eval()
    array([5. , 3.5])
    """
    rows, axes = rows_over("median", floating(ordered("median", x)), axis)
    last = rows.ndim - 1
    n = length(rows, last)
    start = (slice(None),) * last + (slice(0, 1),)
    nothing = cast_to(as_tensor(np.nan), rows.dtype)
    places = e.maximum(concatenate([reshape(e.floordiv(n - k, 2), (1,)) for k in (1, 0)]), 0)
    if rows.type.shape[last] is None or rows.type.shape[last] == 0:
        rows = concatenate([rows, _nan_column(rows, e.switch(e.eq(n, 0), 1, 0))], last)
    pair = _pick(sort_op(rows, axis=last), places)
    end = _pick(sort_op(rows, axis=last), reshape(e.maximum(n - 1, 0), (1,)))
    half = cast_to(as_tensor(0.5), rows.dtype)
    mean = (pair[start] + pair[(slice(None),) * last + (slice(1, 2),)]) * half
    out = e.switch(e.isnan(end), nothing, mean)[(slice(None),) * last + (0,)]
    return with_axes(out, axes, 0) if keepdims else out


def _nan_column(rows: Any, count: Any) -> Any:
    from eqsat.graph.ops.create import alloc

    lengths = [length(rows, a) for a in range(rows.ndim - 1)]
    return alloc(np.asarray(np.nan, rows.dtype), *lengths, count)


def probabilities(name: str, q: Any, x: Any, whole: int) -> Any:
    """q / whole in the dtype in which NumPy computes."""
    number = isinstance(q, (int, float)) and not isinstance(q, np.generic)
    v = as_tensor(np.asarray(q, x.dtype if x.dtype in FLOATS else "float64") if number else q)
    if v.dtype not in FLOATS and v.dtype[:3] not in ("int", "uin"):
        raise DTypeError(f"{name}: q is {v.dtype}", operands=[("q", v)], needs="real numbers")
    v = floating(v)
    if isinstance(v, Constant) and not ((v.data >= 0) & (v.data <= whole)).all():
        raise ArgumentError(f"{name}: q is not between 0 and {whole}", operands=[("q", v)])
    return v if whole == 1 else v / cast_to(as_tensor(float(whole)), v.dtype)


def quantile(x: Any, q: Any, axis: Axis = None, method: str = "linear", keepdims: bool = False) -> Any:
    """Values below which the fractions q of the elements over axes lie, interpolated linearly.

    Shapes   x: any[...], q: f[...] -> the axes of q, then those of x that are kept
    Errors   ArgumentError for q outside 0 to 1 or another method; BoundsError at run time for such a q that is
             no constant, and where there is no element

    >>> import eqsat.tensor as T
    >>> T.quantile([1.0, 2.0, 4.0], [0.5, 0.75]).eval()
    array([2., 3.])
    """
    return _quantile("quantile", x, q, axis, method, keepdims, 1)


def percentile(x: Any, q: Any, axis: Axis = None, method: str = "linear", keepdims: bool = False) -> Any:
    """Values below which q percent of the elements over axes lie, as T.quantile.

    Shapes   x: any[...], q: f[...] -> the axes of q, then those of x that are kept
    Errors   those of T.quantile, with 100 for 1

    >>> import eqsat.tensor as T
    >>> T.percentile([1.0, 2.0, 4.0], 75).eval().item()
    3.0
    """
    return _quantile("percentile", x, q, axis, method, keepdims, 100)


def _quantile(name: str, x: Any, q: Any, axis: Axis, method: str, keepdims: bool, whole: int) -> Any:
    if method != "linear":
        raise ArgumentError(f"{name}: there is no method {method!r}", needs="'linear'")
    x = ordered(name, x)
    if x.dtype == "bool":
        raise DTypeError(f"{name}: {x} is bool", operands=[("x", x)], hint="x.astype('int8')")
    return quantile_over(name, floating(x), probabilities(name, q, x, whole), axis, keepdims, _interpolated)


def quantile_over(
    name: str, x: Any, q: Any, axis: Axis, keepdims: bool, between: Callable[[Any, Any], Any]
) -> Any:
    """Quantiles over axes, where ``between`` gives those of sorted rows at a vector of probabilities."""
    rows, axes = rows_over(name, x, axis)
    kept = rows.ndim - 1
    out = between(sort_op(rows, axis=kept), flatten(q))
    out = dimshuffle(out, kept, *range(kept))
    if q.ndim != 1:
        out = reshape(out, (*(length(q, a) for a in range(q.ndim)), *(length(rows, a) for a in range(kept))))
    return with_axes(out, axes, q.ndim) if keepdims else out


def _interpolated(rows: Any, q: Any) -> Any:
    """Between the sorted elements on both sides of each place; a q that fits nowhere has a place that is refused."""
    n = length(rows, rows.ndim - 1)
    last = n - 1
    place = cast_to(last, q.dtype) * q
    below = e.floor(place)
    fits = e.and_(e.ge(q, 0), e.le(q, 1))
    low = e.switch(fits, cast_to(below, "int64"), n)
    a, b = _pick(rows, low), _pick(rows, e.minimum(low + 1, last))
    t, step = place - below, b - a
    value = e.switch(e.ge(t, 0.5), b - step * (1 - t), a + step * t)
    end = _pick(rows, reshape(last, (1,)))
    return e.switch(e.isnan(end), cast_to(as_tensor(np.nan), value.dtype), value)
