"""Sorted tensors, the largest elements, places in sorted vectors, and counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, DTypeError, RankError
from eqsat.graph.constant import as_tensor, cast_to, refuse_complex
from eqsat.graph.core import Constant
from eqsat.graph.dtypes import FLOATS, INEXACT, check_dtype, promote
from eqsat.graph.ops import elemwise as e
from eqsat.graph.ops.create import alloc, arange
from eqsat.graph.ops.gather import scatter_op
from eqsat.graph.ops.join import concatenate, normal_axis
from eqsat.graph.ops.reshape import flatten
from eqsat.graph.ops.search import bins_op, searchsorted_op
from eqsat.graph.ops.shape import dimshuffle, length, scalar_integers
from eqsat.graph.ops.sort import argsort_op, pick_along, sort_op
from eqsat.graph.ops.subscript import inc_subtensor
from eqsat.tensor import reduction
from eqsat.tensor.creation import linspace
from eqsat.tensor.cumulative import diff

KINDS = ("quicksort", "mergesort", "heapsort", "stable", None)


def ordered(name: str, x: Any) -> Any:
    """Tensor whose elements have an order; complex numbers have none."""
    x = as_tensor(x)
    refuse_complex(name, x)
    return x


def _prepared(name: str, x: Any, axis: int | None, kind: Any, order: Any) -> tuple[Any, int]:
    x = ordered(name, x)
    if kind not in KINDS:
        raise ArgumentError(f"{name}: there is no kind {kind!r}", among=(kind, KINDS))
    if order is not None:
        raise ArgumentError(f"{name}: order={order!r} names fields, which tensors do not have")
    if axis is None:
        return flatten(x), 0
    return x, normal_axis(name, axis, x.ndim, x)


def sort(x: Any, axis: int | None = -1, kind: Any = "quicksort", order: Any = None) -> Any:
    """Elements in increasing order along an axis, or all of them; NaN comes last.

    Every ``kind`` gives the same; ``order`` must be None.

    Shapes   x: any[...] -> [...]; axis=None -> [n]
    Errors   AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> T.sort([3, 1, 2]).eval()
    array([1, 2, 3])
    """
    x, axis = _prepared("sort", x, axis, kind, order)
    return sort_op(x, axis=axis)


def argsort(x: Any, axis: int | None = -1, kind: Any = "quicksort", order: Any = None) -> Any:
    """Places of the elements in increasing order along an axis, as int64; equal ones keep their order.

    Shapes   x: any[a, b] -> i64[a, b]; axis=None -> i64[a * b]
    Errors   AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> T.argsort([3, 1, 2]).eval()
    array([1, 2, 0])
    """
    x, axis = _prepared("argsort", x, axis, kind, order)
    return argsort_op(x, axis=axis)


def lexsort(keys: Any, axis: int = -1) -> Any:
    """Places that sort by the last key first, and by the keys before it among equals.

    Shapes   keys: k tensors any[n] -> i64[n]

    >>> import eqsat.tensor as T
    >>> T.lexsort(([2, 1, 0], [1, 0, 1])).eval()
    array([1, 2, 0])
    """
    rows = [ordered("lexsort", k) for k in keys] if isinstance(keys, (list, tuple)) else list(as_tensor(keys))
    if not rows:
        raise ArgumentError("lexsort: no keys are given")
    axis = normal_axis("lexsort", axis, rows[0].ndim, rows[0])
    order = argsort_op(rows[0], axis=axis)
    for key in rows[1:]:
        order = pick_along(order, argsort_op(pick_along(key, order, axis), axis=axis), axis)
    return order


def topk_and_argtopk(
    x: Any, kth: Any, axis: int | None = -1, sorted: bool = True, idx_dtype: Any = "int64"
) -> list[Any]:
    """The ``kth`` largest elements along an axis and their places; the smallest for a negative number.

    The elements are in increasing order. Errors: ArgumentError for 0.

    Shapes   x: any[a, b] -> [a, kth] and [a, kth]

    >>> import eqsat.tensor as T
    >>> [v.eval().tolist() for v in T.topk_and_argtopk([3, 1, 2], 2)]
    [[2, 3], [2, 0]]
    """
    x = ordered("topk", x)
    if axis is None:
        x, axis = flatten(x), 0
    axis = normal_axis("topk", axis, x.ndim, x)
    place = _top(argsort_op(x, axis=axis), kth, axis)
    return [pick_along(x, place, axis), cast_to(place, check_dtype(idx_dtype))]


def _top(x: Any, kth: Any, axis: int) -> Any:
    """The last kth places of an axis, or the first -kth."""
    (k,) = scalar_integers("topk", [kth])
    if isinstance(k, Constant):
        if int(k.data) == 0:
            raise ArgumentError(
                "topk: kth is 0", operands=[(str(x), x)], needs="a positive or negative number"
            )
        part = slice(-int(k.data), None) if k.data > 0 else slice(None, -int(k.data))
    else:
        n = length(x, axis)
        part = slice(e.switch(e.gt(k, 0), e.maximum(n - k, 0), 0), e.switch(e.gt(k, 0), n, e.neg(k)))
    return x[(slice(None),) * axis + (part,)]


def topk(x: Any, kth: Any, axis: int | None = -1, sorted: bool = True, idx_dtype: Any = "int64") -> Any:
    """The ``kth`` largest elements along an axis in increasing order; the smallest for a negative number.

    Shapes   x: any[a, b] -> [a, kth]
    Errors   AxisError; ArgumentError for kth=0

    >>> import eqsat.tensor as T
    >>> T.topk([3, 1, 2], 2).eval()
    array([2, 3])
    """
    return topk_and_argtopk(x, kth, axis, sorted, idx_dtype)[0]


def argtopk(x: Any, kth: Any, axis: int | None = -1, sorted: bool = True, idx_dtype: Any = "int64") -> Any:
    """Places of the ``kth`` largest elements along an axis; of the smallest for a negative number.

    Shapes   x: any[a, b] -> [a, kth]
    Errors   AxisError for an axis that x does not have

    >>> import eqsat.tensor as T
    >>> T.argtopk([3, 1, 2], 2).eval()
    array([2, 0])
    """
    return topk_and_argtopk(x, kth, axis, sorted, idx_dtype)[1]


# -------------------------------------------------------------------------------------------------- searching


def integers_only(name: str, x: Any) -> Any:
    """The tensor, which must hold integers or bool."""
    if x.dtype in INEXACT:
        raise DTypeError(f"{name}: {x} does not hold integers", operands=[(str(x), x)], needs="integers")
    return x


def vector_only(name: str, x: Any) -> Any:
    """The tensor, which must have one axis."""
    if x.ndim != 1:
        raise RankError(f"{name}: {x} has {x.ndim} dimensions, not 1", operands=[(str(x), x)])
    return x


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Places at which v would go into the sorted vector a: before its equals ("left") or behind ("right").

    Shapes   a: any[n], v: any[...] -> i64[...]

    >>> import eqsat.tensor as T
    >>> T.searchsorted([1, 3, 5], [0, 3, 9]).eval()
    array([0, 1, 3])
    """
    x, y = vector_only("searchsorted", ordered("searchsorted", a)), ordered("searchsorted", v)
    if side not in ("left", "right"):
        raise ArgumentError(
            f"searchsorted: there is no side {side!r}", needs="left or right", among=(side, ["left", "right"])
        )
    if sorter is not None:
        x = x[as_tensor(sorter)]
    dtype = promote(x.dtype, y.dtype)
    return searchsorted_op(cast_to(x, dtype), cast_to(y, dtype), right=int(side == "right"))


def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """Number of the bin in which each element lies; the edges increase or decrease.

    Shapes   x: any[...], bins: any[n] -> i64[...]

    >>> import eqsat.tensor as T
    >>> T.digitize([0.5, 2.5], [1.0, 2.0]).eval()
    array([0, 2])
    """
    edges = vector_only("digitize", ordered("digitize", bins))
    side = "left" if right else "right"
    up = searchsorted(edges, x, side)
    rising = reduction.all(e.ge(edges[1:], edges[:-1]))
    return e.switch(rising, up, e.sub(length(edges, 0), searchsorted(edges[::-1], x, side)))


# --------------------------------------------------------------------------------------------------- counting


def bincount(x: Any, weights: Any = None, minlength: Any = None, assert_nonneg: bool = False) -> Any:
    """Counts of each integer from 0 on, or the sum of the weights of its occurrences.

    Shapes   x: int[n] -> i64[max(x) + 1], or minlength where that is more
    Errors   ArgumentError at run time for a negative element

    >>> import eqsat.tensor as T
    >>> T.bincount([1, 1, 3]).eval()
    array([0, 2, 0, 1])
    """
    x = vector_only("bincount", as_tensor(x))
    if x.dtype in INEXACT:
        raise DTypeError(
            f"bincount: {x} does not hold integers", operands=[(str(x), x)], needs="integers or bool"
        )
    x = cast_to(x, "int64")
    (least,) = scalar_integers("bincount", [0 if minlength is None else minlength])
    values = as_tensor(np.ones((1,), "int64"))
    if weights is not None:
        values = vector_only("bincount", cast_to(as_tensor(weights), "float64"))
    empty = alloc(np.zeros((), values.dtype), bins_op(x, least))
    return scatter_op(empty, values, x, pattern=(0,), add=1)


def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: bool = False, weights: Any = None
) -> list[Any]:
    """Counts of elements in each bin, and the edges of the bins; the last bin holds its upper edge.

    ``bins`` is a number of equal bins between the least and the greatest element, or within ``range``, or
    a vector of increasing edges. With ``density`` the histogram has area 1.

    Shapes   a: any[...], bins=n -> [n] and the edges f[n + 1]

    >>> import eqsat.tensor as T
    >>> [v.eval().tolist() for v in T.histogram([1, 2, 2], [1, 2, 3])]
    [[1, 2], [1, 2, 3]]
    """
    x = flatten(ordered("histogram", a))
    x, edges = cast_to(x, "uint8") if x.dtype == "bool" else x, as_tensor(bins)
    equal = edges.ndim == 0
    if equal:
        edges = _equal_bins(x, edges, range)
    dtype = promote(x.dtype, edges.dtype)
    values, ends = cast_to(x, dtype), cast_to(edges, dtype)
    count = length(ends, 0) - 1
    place = _guessed(values, ends, count) if equal else searchsorted_op(ends[:-1], values, right=1) - 1
    inside = e.and_(e.ge(values, ends[0]), e.le(values, ends[-1]))
    place = e.switch(inside, place, count)
    weight = as_tensor(np.ones((), "int64")) if weights is None else flatten(as_tensor(weights))
    weight = weight if weights is None or weight.dtype in INEXACT else cast_to(weight, "float64")
    none = alloc(np.zeros((), weight.dtype), count + 1)
    counts = inc_subtensor(none[place], weight)[:-1]
    if density:
        counts = counts / reduction.sum(counts) / diff(cast_to(edges, "float64"))
    return [counts, edges]


def _guessed(values: Any, ends: Any, count: Any) -> Any:
    """The bin of each value among equal ones: its share of the range, put right by the edges, of which rounding has its own idea."""
    if values.dtype not in FLOATS:
        values, ends = cast_to(values, "float64"), cast_to(ends, "float64")
    share = (values - ends[0]) * (cast_to(count, values.dtype) / (ends[-1] - ends[0]))
    near = e.minimum(e.maximum(share, 0), cast_to(count, values.dtype))
    place = e.minimum(cast_to(e.switch(e.isnan(share), 0, near), "int64"), count - 1)
    place = place - cast_to(e.and_(e.lt(values, ends[place]), e.gt(place, 0)), "int64")
    return place + cast_to(e.and_(e.ge(values, ends[place + 1]), e.lt(place, count - 1)), "int64")


def _equal_bins(x: Any, count: Any, range: Any) -> Any:
    if range is not None:
        low, high = (cast_to(as_tensor(v), "float64") for v in range)
    else:
        some = e.gt(length(x, 0), 0)
        padded = concatenate([x, alloc(np.zeros((), x.dtype), e.switch(some, 0, 1))])
        low = cast_to(reduction.min(padded), "float64")
        high = e.switch(some, cast_to(reduction.max(padded), "float64"), 1.0)
    flat = e.eq(low, high)
    low, high = e.switch(flat, low - 0.5, low), e.switch(flat, high + 0.5, high)
    dtype = x.dtype if x.dtype in FLOATS and range is None else "float64"
    return cast_to(linspace(low, high, count + 1), dtype)


def to_one_hot(y: Any, nb_class: Any, dtype: Any = None) -> Any:
    """Matrix with a 1 in each row at the class that a vector of integers names.

    Shapes   y: int[n] -> f[n, nb_class]

    >>> import eqsat.tensor as T
    >>> T.to_one_hot([1, 0], 2).eval()
    array([[0., 1.],
           [1., 0.]])
    """
    y = vector_only("to_one_hot", as_tensor(y))
    return marked(integers_only("to_one_hot", y), nb_class, dtype)


def marked(classes: Any, count: Any, dtype: Any) -> Any:
    """A new last axis with a 1 at the class that each element names, and 0 elsewhere."""
    column = dimshuffle(classes, *range(classes.ndim), "x")
    row = dimshuffle(arange(count), *["x"] * classes.ndim, 0)
    return cast_to(e.eq(column, row), check_dtype(dtype or "floatX"))
