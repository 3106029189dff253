"""Running sums, products, extremes and logarithms of sums, differences of neighbours, and what is made of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, RankError
from eqsat.graph.constant import as_tensor, beside, cast_to, refuse_complex
from eqsat.graph.dtypes import INEXACT, accumulator, promote
from eqsat.graph.ops import elemwise as e
from eqsat.graph.ops.convolve import convolve_op
from eqsat.graph.ops.create import alloc
from eqsat.graph.ops.cumulate import cummax_op, cummin_op, cumprod_op, cumsum_op, logcumsumexp_op
from eqsat.graph.ops.join import concatenate, normal_axis
from eqsat.graph.ops.reshape import flatten
from eqsat.graph.ops.search import searchsorted_op
from eqsat.graph.ops.shape import dimshuffle, length
from eqsat.tensor import reduction


def _cumulated(name: str, op: Any, x: Any, axis: int | None) -> Any:
    if axis is None:
        x, axis = flatten(x), 0
    return op(x, axis=normal_axis(name, axis, x.ndim, x))


def _wide(x: Any) -> Any:
    x = as_tensor(x)
    return cast_to(x, accumulator(x.dtype))


def cumsum(x: Any, axis: int | None = None) -> Any:
    """Sums of the elements up to each one along an axis, or over all in row-major order.

    Small integers and bool give 64-bit integers.

    Shapes   x: any[a, b], axis=0 -> [a, b]; without an axis -> [a * b]
    Errors   AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> T.cumsum([1, 2, 3]).eval()
    array([1, 3, 6])
    """
    return _cumulated("cumsum", cumsum_op, _wide(x), axis)


def cumprod(x: Any, axis: int | None = None) -> Any:
    """Products of the elements up to each one along an axis, or over all in row-major order.

    Shapes   x: any[a, b], axis=0 -> [a, b]; without an axis -> [a * b]
    Errors   AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> T.cumprod([1, 2, 3]).eval()
    array([1, 2, 6])
    """
    return _cumulated("cumprod", cumprod_op, _wide(x), axis)


def cummax(x: Any, axis: int | None = None) -> Any:
    """The largest of the elements up to each one along an axis, or over all in row-major order; NaN from the first one on.

    Of equal elements the first has the gradient.

    Shapes   x: any[a, b], axis=0 -> [a, b]; without an axis -> [a * b]
    Errors   AxisError for an axis that x does not have; DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.cummax([1, 3, 2]).eval()
    array([1, 3, 3])
    """
    x = as_tensor(x)
    refuse_complex("cummax", x)
    return _cumulated("cummax", cummax_op, x, axis)


def cummin(x: Any, axis: int | None = None) -> Any:
    """The smallest of the elements up to each one along an axis, or over all in row-major order; NaN from the first one on.

    Of equal elements the first has the gradient.

    Shapes   x: any[a, b], axis=0 -> [a, b]; without an axis -> [a * b]
    Errors   AxisError for an axis that x does not have; DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.cummin([2, 3, 1]).eval()
    array([2, 2, 1])
    """
    x = as_tensor(x)
    refuse_complex("cummin", x)
    return _cumulated("cummin", cummin_op, x, axis)


def logcumsumexp(x: Any, axis: int | None = None) -> Any:
    """Logs of the sums of exponentials up to each element along an axis, or over all in row-major order, without overflow.

    Shapes   x: f[a, b], axis=0 -> [a, b]; without an axis -> [a * b]
    Errors   AxisError for an axis that x does not have; DTypeError for complex numbers
    Source   Blanchard, Higham & Higham 2021, IMA J. Numer. Anal. 41(4), the shifted formula

    >>> import eqsat.tensor as T
    >>> T.logcumsumexp([1000.0, 1000.0]).eval().round(6)
    array([1000.      , 1000.693147])
    """
    return _cumulated("logcumsumexp", logcumsumexp_op, reduction.floating("logcumsumexp", x), axis)


def diff(x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Differences of neighbours along an axis, n times over; of bool, where neighbours differ.

    Shapes   x: any[k] -> any[k - n]

    >>> import eqsat.tensor as T
    >>> T.diff([1, 4, 9]).eval()
    array([3, 5])
    """
    x = as_tensor(x)
    if not isinstance(n, (int, np.integer)) or n < 0:
        raise ArgumentError(f"diff: n is a number of times, not {n!r}", operands=[(str(x), x)])
    if n == 0:
        return x
    axis = normal_axis("diff", axis, x.ndim, x)
    ends = [_edge(v, x, axis) for v in (prepend, append)]
    parts = [p for p in (ends[0], x, ends[1]) if p is not None]
    x = concatenate(parts, axis) if len(parts) > 1 else x
    whole = (slice(None),) * axis
    for _ in range(n):
        later, earlier = x[(*whole, slice(1, None))], x[(*whole, slice(None, -1))]
        x = e.neq(later, earlier) if x.dtype == "bool" else e.sub(later, earlier)
    return x


def _edge(value: Any, x: Any, axis: int) -> Any:
    """The piece that is put before or behind x: a scalar becomes one slice."""
    if value is None:
        return None
    v = as_tensor(value) if isinstance(value, np.generic) else beside(value, x)
    if v.ndim:
        return v
    return alloc(v, [1 if a == axis else length(x, a) for a in range(x.ndim)])


def ediff1d(x: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Differences of neighbours in row-major order, with what is put before and behind them.

    Shapes   x: any[...] of n elements -> [n - 1], longer by what is put before and behind

    >>> import eqsat.tensor as T
    >>> T.ediff1d([1, 4, 9], to_begin=0).eval()
    array([0, 3, 5])
    """
    x = as_tensor(x)
    flat = flatten(x)
    parts = [e.sub(flat[1:], flat[:-1])]
    if to_begin is not None:
        parts.insert(0, cast_to(flatten(to_begin), x.dtype))
    if to_end is not None:
        parts.append(cast_to(flatten(to_end), x.dtype))
    return concatenate(parts) if len(parts) > 1 else parts[0]


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """Integral over an axis by the trapezoidal rule, with the distance dx or at the points x.

    Shapes   y: any[a, n] -> f[a]

    >>> import eqsat.tensor as T
    >>> float(T.trapezoid([1.0, 2.0, 3.0]).eval())
    4.0
    """
    y = as_tensor(y)
    y = y if y.dtype in INEXACT else cast_to(y, "float64")
    axis = normal_axis("trapezoid", axis, y.ndim, y)
    step = beside(dx, y)
    if x is not None:
        step = diff(x, axis=axis if as_tensor(x).ndim == y.ndim else -1)
        if step.ndim == 1:
            step = dimshuffle(step, *(0 if a == axis else "x" for a in range(y.ndim)))
    whole = (slice(None),) * axis
    sums = e.add(y[(*whole, slice(1, None))], y[(*whole, slice(None, -1))])
    half = cast_to(as_tensor(0.5), y.dtype)
    return reduction.sum(e.mul(e.mul(step, sums), half), axis)


def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """Convolution of two vectors: "full", "same" (as long as the longer one) or "valid" (where both overlap fully).

    Shapes   a: any[n], v: any[m] -> any[n + m - 1] for mode "full"
    Errors   ShapeError for an empty vector; RankError for what is no vector

    >>> import eqsat.tensor as T
    >>> T.convolve([1, 2, 3], [1, 1]).eval()
    array([1, 3, 5, 3])
    """
    x, y = as_tensor(a), as_tensor(v)
    for operand in (x, y):
        if operand.ndim != 1:
            raise RankError(
                f"convolve: {operand} has {operand.ndim} dimensions, not 1",
                operands=[(str(operand), operand)],
            )
    if mode not in ("full", "same", "valid"):
        raise ArgumentError(f"convolve: there is no mode {mode!r}", among=(mode, ("full", "same", "valid")))
    dtype = promote(x.dtype, y.dtype)
    whole = convolve_op(cast_to(x, dtype), cast_to(y, dtype))
    if mode == "full":
        return whole
    n, m = length(x, 0), length(y, 0)
    longer, shorter = e.maximum(n, m), e.minimum(n, m)
    if mode == "valid":
        return whole[shorter - 1 : longer]
    first = (shorter - 1) // 2
    return whole[first : first + longer]


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Any:
    """Values at x of the piecewise linear function through the points (xp, fp), xp increasing.

    Outside of xp the result is ``left`` or ``right``, by default the first or the last value.

    Shapes   x: f[...], xp: f[n], fp: f[n] -> f[...]

    >>> import eqsat.tensor as T
    >>> T.interp([0.5, 9.0], [0.0, 1.0], [10.0, 20.0]).eval()
    array([15., 20.])
    """
    x, xp, fp = (cast_to(as_tensor(v), "float64") for v in (x, xp, fp))
    for points in (xp, fp):
        if points.ndim != 1:
            raise RankError(
                f"interp: {points} has {points.ndim} dimensions, not 1", operands=[(str(points), points)]
            )
    last = length(xp, 0) - 1
    low = e.maximum(e.minimum(searchsorted_op(xp, x, right=1) - 1, last - 1), 0)
    high = e.minimum(low + 1, last)
    inside = fp[low] + (fp[high] - fp[low]) / (xp[high] - xp[low]) * (x - xp[low])
    below = fp[0] if left is None else left
    above = fp[-1] if right is None else right
    result = e.switch(e.eq(x, xp[-1]), fp[-1], e.switch(e.gt(x, xp[-1]), above, inside))
    return cast_to(e.switch(e.lt(x, xp[0]), below, result), "float64")
