"""Tensors made longer at the ends of their axes, as numpy.pad does it."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, RankError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.core import Constant
from eqsat.graph.dtypes import INTEGERS
from eqsat.graph.ops import elemwise as e
from eqsat.graph.ops.create import alloc, arange
from eqsat.graph.ops.join import concatenate
from eqsat.graph.ops.rounding import round_half_to_even
from eqsat.graph.ops.shape import dimshuffle, length, scalar_integers
from eqsat.tensor import reduction

STATISTICS = ("maximum", "mean", "minimum")
MODES = ("constant", "edge", "linear_ramp", "reflect", "symmetric", "wrap", *STATISTICS, "empty")


def pad(
    x: Any,
    pad_width: Any,
    mode: str = "constant",
    constant_values: Any = 0,
    *,
    end_values: Any = 0,
    stat_length: Any = None,
    reflect_type: str = "even",
) -> Any:
    """Tensor with elements put before and behind it along each axis.

    ``pad_width`` is a number, a pair (before, behind), or one pair per axis; ``constant_values`` likewise.
    The modes "edge", "reflect", "symmetric" and "wrap" repeat elements; "maximum", "mean" and "minimum" put
    that of the axis, or of its first and last ``stat_length`` elements; "linear_ramp" goes in equal steps from
    ``end_values`` to the edge. Of ``reflect_type`` there is "even".

    Shapes   x: any[n], pad_width=(a, b) -> any[a + n + b]

    >>> import eqsat.tensor as T
    >>> T.pad([1, 2, 3], (2, 1), mode="reflect").eval()
    array([3, 2, 1, 2, 3, 2])
    """
    x = as_tensor(x)
    if mode not in MODES:
        raise ArgumentError(f"pad: there is no mode {mode!r}", among=(mode, MODES))
    if reflect_type != "even":
        raise ArgumentError(f"pad: reflect_type does not take {reflect_type!r}", needs="'even'")
    widths = _pairs("pad_width", x, pad_width)
    chosen = {"linear_ramp": ("end_values", end_values)} | dict.fromkeys(
        STATISTICS, ("stat_length", stat_length)
    )
    name, given = chosen.get(mode, ("constant_values", constant_values))
    values = _pairs(name, x, given)
    for axis, pair in enumerate(widths):
        before, behind = scalar_integers("pad", pair)
        if any(isinstance(w, Constant) and w.data < 0 for w in (before, behind)):
            raise ArgumentError(f"pad: the width {tuple(pair)} is negative", operands=[(str(x), x)])
        if isinstance(before, Constant) and isinstance(behind, Constant) and before.data == behind.data == 0:
            continue
        x = _padded(x, axis, before, behind, mode, values[axis])
    return x


def _pairs(name: str, x: Any, given: Any) -> list[Any]:
    """A pair per axis of what is given as a number, a pair, or pairs."""
    if not isinstance(given, (list, tuple, np.ndarray)):
        return [(given, given)] * x.ndim
    items = list(given)
    if not any(isinstance(i, (list, tuple, np.ndarray)) for i in items):
        items = (
            [tuple(items)] * x.ndim
            if len(items) == 2
            else [(items[0], items[0])] * x.ndim
            if len(items) == 1
            else items
        )
    elif len(items) == 1:
        items = items * x.ndim
    items = [
        tuple(i) * (2 if len(i) == 1 else 1) if isinstance(i, (list, tuple, np.ndarray)) else ()
        for i in items
    ]
    if len(items) != x.ndim or any(len(i) != 2 for i in items):
        raise RankError(
            f"pad: {name} {given!r} does not fit {x.ndim} dimensions",
            operands=[(str(x), x)],
            needs="a number, a pair, or one pair per axis",
        )
    return items


def _padded(x: Any, axis: int, before: Any, behind: Any, mode: str, values: Any) -> Any:
    whole = (slice(None),) * axis
    n = length(x, axis)
    if mode in ("constant", "empty"):
        ends = [as_tensor(v) for v in values]
        if any(v.ndim for v in ends):
            raise RankError("pad: a constant value is not a scalar", operands=[("value", v) for v in ends])
        return concatenate([_block(x, ends[0], axis, before), x, _block(x, ends[1], axis, behind)], axis)
    if mode in STATISTICS:
        first, last = _ends(x, axis, values)
        blocks = [(first, before), (last, behind)]
        left, right = (_block(x, _statistic(part, axis, mode), axis, width) for part, width in blocks)
        return concatenate([left, x, right], axis)
    if mode == "linear_ramp":
        left, right = (
            _ramp(x[(*whole, place)], end, axis, width)
            for place, end, width in ((0, values[0], before), (-1, values[1], behind))
        )
        return concatenate([left, x, right[(*whole, slice(None, None, -1))]], axis)
    return x[(*whole, _places(arange(e.neg(before), n + behind), n, mode))]


def _block(x: Any, value: Any, axis: int, width: Any) -> Any:
    return alloc(cast_to(value, x.dtype), [width if a == axis else length(x, a) for a in range(x.ndim)])


def _ends(x: Any, axis: int, counts: Any) -> list[Any]:
    """The first and the last elements along an axis, at most as many as there are; with None all of them.

    Errors   ArgumentError for a count below 1
    """
    whole, parts = (slice(None),) * axis, []
    for count, side in zip(counts, (1, -1), strict=True):
        if count is None:
            parts.append(x)
            continue
        (number,) = scalar_integers("pad", [count])
        if isinstance(number, Constant) and number.data < 1:
            raise ArgumentError(f"pad: the stat_length {count} is less than 1", operands=[("x", x)])
        wanted = int(number.data) if isinstance(number, Constant) else number
        parts.append(x[(*whole, slice(None, wanted) if side == 1 else slice(-wanted, None))])
    return parts


def _ramp(edge: Any, end: Any, axis: int, width: Any) -> Any:
    """Values in equal steps from an end to an edge, which is not among them; integers are rounded down."""
    steps = cast_to(arange(width), "float64") / width
    along = dimshuffle(steps, *(0 if a == axis else "x" for a in range(edge.ndim + 1)))
    end = cast_to(as_tensor(end), "float64")
    distance = dimshuffle(cast_to(edge, "float64") - end, *range(axis), "x", *range(axis, edge.ndim))
    values = end + distance * along
    return cast_to(e.floor(values) if edge.dtype in INTEGERS else values, edge.dtype)


def _statistic(x: Any, axis: int, mode: str) -> Any:
    if mode == "mean":
        value = reduction.mean(x, axis, keepdims=True)
        return value if x.dtype == value.dtype else round_half_to_even(value)
    return (reduction.max if mode == "maximum" else reduction.min)(x, axis, keepdims=True)


def _places(i: Any, n: Any, mode: str) -> Any:
    """The places in an axis of length n from which the elements below 0 and from n on come."""
    if mode == "edge":
        return e.minimum(e.maximum(i, 0), n - 1)
    if mode == "wrap":
        return e.mod(i, n)
    period = 2 * (n - 1) if mode == "reflect" else 2 * n
    k = e.mod(i, period)
    return e.switch(e.lt(k, n), k, period - (k if mode == "reflect" else k + 1))
