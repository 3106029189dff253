"""Norms, ranges, counts and averages, and reductions that pass over NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, ShapeError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.dtypes import COMPLEX, FLOATS, INEXACT, to_float, to_real
from eqsat.graph.ops import elemwise as e
from eqsat.graph.ops.complex import imag, real
from eqsat.tensor import reduction as r
from eqsat.tensor.reduction import Axis


def ptp(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Largest less smallest element over axes ("peak to peak").

    Errors   ShapeError at run time where an axis has length 0

    >>> import eqsat.tensor as T
    >>> T.ptp([[1, 5], [7, 2]], axis=0).eval()
    array([6, 3])
    """
    return e.sub(r.max(x, axis, keepdims), r.min(x, axis, keepdims))


def count_nonzero(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """Number of elements over axes that differ from 0, as int64.

    Shapes   x: any[a, b], axis=0 -> i64[b]
    Errors   AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> T.count_nonzero([[0, 2], [3, 4]], axis=1).eval()
    array([1, 2])
    """
    return r.sum(r._truth(x), axis, "int64", keepdims)


def norm(x: Any, L: Any = 2, axis: Axis = None, keepdims: bool = False) -> Any:
    """``sum(abs(x)**L)**(1/L)`` over axes: all elements count as one vector where there is no axis.

    L = 0 counts the elements that differ from 0; infinity gives the largest magnitude, minus infinity the
    least. ``T.nlinalg.norm`` has the norms of matrices.

    Errors   ArgumentError where L is not a number

    >>> import eqsat.tensor as T
    >>> T.vector("x").norm(1), float(T.norm([3.0, -4.0], 2).eval())
    (sum(abs(x)), 5.0)
    """
    x = as_tensor(x)
    if isinstance(L, bool) or not isinstance(L, (int, float, np.number)) or L != L:
        raise ArgumentError(f"norm: L is not {L!r}", operands=[(str(x), x)], needs="a number, also infinite")
    x = x if x.dtype in INEXACT else cast_to(x, to_float(x.dtype))
    size = e.abs(x)
    if L == 0:
        return cast_to(count_nonzero(x, axis, keepdims), size.dtype)
    if abs(L) == float("inf"):
        return (r.max if L > 0 else r.min)(size, axis, keepdims)
    if L == 1:
        return r.sum(size, axis, keepdims=keepdims)
    if L == 2:
        squares = e.sqr(size) if x.dtype in COMPLEX else e.sqr(x)
        return e.sqrt(r.sum(squares, axis, keepdims=keepdims))
    power = np.asarray(L, size.dtype)
    return r.sum(size**power, axis, keepdims=keepdims) ** np.asarray(1 / L, size.dtype)


def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, keepdims: bool = False
) -> Any:
    """Mean over axes, weighted where ``weights`` are given; with ``returned`` also the sum of the weights.

    Weights have the shape of a, or one axis, which then stands for ``axis``.

    Errors   ShapeError where weights of one axis come without a single ``axis``

    >>> import eqsat.tensor as T
    >>> float(T.average([1.0, 4.0], weights=[3.0, 1.0]).eval())
    1.75
    """
    a = as_tensor(a)
    if weights is None:
        result = r.mean(a, axis, keepdims=keepdims)
        count = cast_to(r._count(a, r.normal_axes("average", a, axis), "int64"), result.dtype)
        return (result, e.fill(result, count)) if returned else result
    w = as_tensor(weights)
    if w.ndim != a.ndim:
        w = _along(a, w, axis)
    total = e.fill(a, w) if w.ndim else w
    kind = np.result_type(a.dtype, w.dtype, "float64" if a.dtype not in INEXACT else a.dtype).name
    scale = r.sum(cast_to(total, kind), axis, keepdims=keepdims)
    result = r.sum(cast_to(a, kind) * total, axis, keepdims=keepdims) / scale
    return (result, scale) if returned else result


def _along(a: Any, w: Any, axis: Any) -> Any:
    if w.ndim != 1 or isinstance(axis, (list, tuple)) or axis is None:
        raise ShapeError(
            "average: the weights have neither the shape of a nor one axis",
            operands=[("a", a), ("weights", w)],
            needs="as many axes as a, or one axis and an integer for axis",
        )
    (place,) = r.normal_axes("average", a, axis)
    return w.dimshuffle(*(0 if k == place else "x" for k in range(a.ndim)))


# ------------------------------------------------------------------------------------------------ NaN left out


def _filled(x: Any, value: float) -> Any:
    """x with a number in the place of NaN, and the mask of what stays."""
    x = as_tensor(x)
    return e.switch(e.isnan(x), np.asarray(value, x.dtype), x) if x.dtype in INEXACT else x


def nansum(x: Any, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """``sum`` in which NaN counts as 0.

    Shapes   x: any[a, b], axis=0 -> [b]
    Errors   those of ``sum``

    >>> import eqsat.tensor as T
    >>> float(T.nansum([1.0, float("nan"), 2.0]).eval())
    3.0
    """
    return r.sum(_filled(x, 0), axis, dtype, keepdims)


def nanprod(x: Any, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """``prod`` in which NaN counts as 1.

    Shapes   x: any[a, b], axis=0 -> [b]
    Errors   those of ``prod``

    >>> import eqsat.tensor as T
    >>> T.nanprod([3.0, float("nan"), 2.0]).eval()
    array(6.)
    """
    return r.prod(_filled(x, 1), axis, dtype, keepdims)


def _counted(x: Any, axis: Axis, keepdims: bool, dtype: str, ddof: int = 0) -> Any:
    """The number of elements that are not NaN, less ``ddof``; NaN where that is none."""
    count = cast_to(r.sum(e.invert(e.isnan(x)), axis, "int64", keepdims), dtype)
    return e.switch(e.gt(count, ddof), count - ddof, np.asarray(np.nan, dtype))


def nanmean(x: Any, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """``mean`` of the elements that are not NaN; NaN where there is none.

    Shapes   x: any[a, b], axis=0 -> f[b]
    Errors   those of ``mean``

    >>> import eqsat.tensor as T
    >>> T.nanmean([3.0, float("nan"), 2.0]).eval()
    array(2.5)
    """
    x = as_tensor(x)
    if x.dtype not in INEXACT:
        return r.mean(x, axis, dtype, keepdims)
    total = r.sum(_filled(x, 0), axis, dtype, keepdims)
    return total / _counted(x, axis, keepdims, to_real(to_float(total.dtype)))


def nanvar(x: Any, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """``var`` of the elements that are not NaN; NaN where no more than ``ddof`` are left.

    Shapes   x: any[a, b], axis=0 -> f[b]
    Errors   those of ``var``

    >>> import eqsat.tensor as T
    >>> T.nanvar([3.0, float("nan"), 1.0]).eval()
    array(1.)
    """
    x = as_tensor(x)
    if x.dtype not in INEXACT:
        return r.var(x, axis, ddof, keepdims)
    rest = e.switch(e.isnan(x), np.asarray(0, x.dtype), x - nanmean(x, axis, keepdims=True))
    squares = e.sqr(rest) if x.dtype in FLOATS else e.sqr(real(rest)) + e.sqr(imag(rest))
    return r.sum(squares, axis, keepdims=keepdims) / _counted(x, axis, keepdims, squares.dtype, ddof)


def nanstd(x: Any, axis: Axis = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """``std`` of the elements that are not NaN.

    Shapes   x: any[a, b], axis=0 -> f[b]
    Errors   those of ``std``

    >>> import eqsat.tensor as T
    >>> T.nanstd([5.0, float("nan"), 1.0]).eval()
    array(2.)
    """
    return e.sqrt(nanvar(x, axis, ddof, keepdims))


def _nan_extreme(x: Any, axis: Axis, keepdims: bool, reduce: Callable[..., Any], empty: float) -> Any:
    x = as_tensor(x)
    if x.dtype not in FLOATS:
        return reduce(x, axis, keepdims)
    best = reduce(_filled(x, empty), axis, keepdims)
    return e.switch(r.all(e.isnan(x), axis, keepdims), np.asarray(np.nan, x.dtype), best)


def nanmax(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """``max`` of the elements that are not NaN; NaN where there is none.

    Shapes   x: any[a, b], axis=0 -> [b]
    Errors   those of ``max``

    >>> import eqsat.tensor as T
    >>> T.nanmax([3.0, float("nan"), 1.0]).eval()
    array(3.)
    """
    return _nan_extreme(x, axis, keepdims, r.max, -np.inf)


def nanmin(x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """``min`` of the elements that are not NaN; NaN where there is none.

    Shapes   x: any[a, b], axis=0 -> [b]
    Errors   those of ``min``

    >>> import eqsat.tensor as T
    >>> T.nanmin([3.0, float("nan"), 1.0]).eval()
    array(1.)
    """
    return _nan_extreme(x, axis, keepdims, r.min, np.inf)
