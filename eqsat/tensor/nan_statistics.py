"""Medians, quantiles, places of extremes and running sums that pass over NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.dtypes import FLOATS
from eqsat.graph.ops import elemwise as e
from eqsat.graph.ops.assertion import Assert
from eqsat.tensor import cumulative, quantiles, reduction
from eqsat.tensor.indexing import take_along_axis
from eqsat.tensor.reduction import Axis

NONE = "{name}: some elements over the axis are all NaN"


def _filled(x: Any, value: float) -> Any:
    return e.switch(e.isnan(x), np.asarray(value, x.dtype), x) if x.dtype in FLOATS else x


def nancumsum(x: Any, axis: int | None = None) -> Any:
    """``cumsum`` with 0 in place of NaN.

    Shapes   x: any[a, b], axis=0 -> [a, b]; without an axis -> [a * b]
    Errors   AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> T.nancumsum([1.0, float("nan"), 2.0]).eval()
    array([1., 1., 3.])
    """
    return cumulative.cumsum(_filled(as_tensor(x), 0.0), axis)


def nancumprod(x: Any, axis: int | None = None) -> Any:
    """``cumprod`` with 1 in place of NaN.

    Shapes   x: any[a, b], axis=0 -> [a, b]; without an axis -> [a * b]
    Errors   AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> T.nancumprod([2.0, float("nan"), 3.0]).eval()
    array([2., 2., 6.])
    """
    return cumulative.cumprod(_filled(as_tensor(x), 1.0), axis)


def _place(name: str, x: Any, axis: Axis, keepdims: bool, find: Callable[..., Any], worst: float) -> Any:
    x = as_tensor(x)
    found = find(_filled(x, worst), axis, keepdims)
    if x.dtype not in FLOATS:
        return found
    nothing = reduction.any(reduction.all(e.isnan(x), axis))
    return Assert(NONE.format(name=name))(found, e.invert(nothing))


def nanargmax(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """``argmax`` of the elements that are not NaN.

    Shapes   x: any[a, b], axis=0 -> i64[b]
    Errors   those of ``argmax``; AssertionError at run time where all elements are NaN

    >>> import eqsat.tensor as T
    >>> T.nanargmax([float("nan"), 1.0, 3.0]).eval()
    array(2)
    """
    return _place("nanargmax", x, axis, keepdims, reduction.argmax, -np.inf)


def nanargmin(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """``argmin`` of the elements that are not NaN.

    Shapes   x: any[a, b], axis=0 -> i64[b]
    Errors   those of ``argmin``; AssertionError at run time where all elements are NaN

    >>> import eqsat.tensor as T
    >>> T.nanargmin([float("nan"), 1.0, 3.0]).eval()
    array(1)
    """
    return _place("nanargmin", x, axis, keepdims, reduction.argmin, np.inf)


def nanquantile(x: Any, q: Any, axis: Axis = None, method: str = "linear", keepdims: bool = False) -> Any:
    """``quantile`` of the elements that are not NaN; NaN where there is none.

    Shapes   x: any[...], q: f[...] -> the axes of q, then those of x that are kept
    Errors   ArgumentError for q outside 0 to 1 or another method

    >>> import eqsat.tensor as T
    >>> T.nanquantile([1.0, float("nan"), 2.0, 4.0], 0.5).eval()
    array(2.)
    """
    return _quantile("nanquantile", x, q, axis, method, keepdims, 1)


def nanpercentile(x: Any, q: Any, axis: Axis = None, method: str = "linear", keepdims: bool = False) -> Any:
    """``percentile`` of the elements that are not NaN; NaN where there is none.

    Shapes   x: any[...], q: f[...] -> the axes of q, then those of x that are kept
    Errors   ArgumentError for q outside 0 to 100 or another method

    >>> import eqsat.tensor as T
    >>> T.nanpercentile([1.0, float("nan"), 2.0, 4.0], 75).eval()
    array(3.)
    """
    return _quantile("nanpercentile", x, q, axis, method, keepdims, 100)


def nanmedian(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """``median`` of the elements that are not NaN; NaN where there is none.

    Shapes   x: any[...] -> f[...] without the axes, or with length 1 there for keepdims=True
    Errors   DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.nanmedian([[1.0, float("nan")], [3.0, 4.0]], axis=1).eval()
    array([1. , 3.5])
    """
    return _quantile("nanmedian", x, 0.5, axis, "linear", keepdims, 1)


def _quantile(name: str, x: Any, q: Any, axis: Axis, method: str, keepdims: bool, whole: int) -> Any:
    """As that of quantiles.py, with the number of elements of each row on its own."""
    if method != "linear":
        raise ArgumentError(f"{name}: there is no method {method!r}", needs="'linear'")
    x = quantiles.floating(quantiles.ordered(name, x))
    q = quantiles.probabilities(name, q, x, whole)
    return quantiles.quantile_over(name, x, q, axis, keepdims, _between)


def _between(rows: Any, q: Any) -> Any:
    """Between the elements on both sides of each place among those of a sorted row that are not NaN, which come first."""
    last = rows.ndim - 1
    have = reduction.sum(e.invert(e.isnan(rows)), last, "int64", keepdims=True)
    top = e.maximum(e.sub(have, 1), 0)
    place = e.mul(cast_to(top, q.dtype), q)
    below = e.floor(place)
    low = cast_to(below, "int64")
    a, b = (take_along_axis(rows, k, last) for k in (low, e.minimum(e.add(low, 1), top)))
    t, step = e.sub(place, below), e.sub(b, a)
    return e.switch(e.ge(t, 0.5), b - step * (1 - t), a + step * t)
