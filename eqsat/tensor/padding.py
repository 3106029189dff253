"""Tensors made longer at the ends of their axes, as numpy.pad does it."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, RankError
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.core import Constant
from eqsat.graph.ops import elemwise as e
from eqsat.graph.ops.create import alloc, arange
from eqsat.graph.ops.join import concatenate
from eqsat.graph.ops.rounding import round_half_to_even
from eqsat.graph.ops.shape import length, scalar_integers
from eqsat.tensor import reduction

MODES = ("constant", "edge", "reflect", "symmetric", "wrap", "maximum", "mean", "minimum", "empty")


def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Any:
    """Tensor with elements put before and behind it along each axis.

    ``pad_width`` is a number, a pair (before, behind), or one pair per axis; ``constant_values`` likewise.
    The modes "edge", "reflect", "symmetric" and "wrap" repeat elements, "maximum", "mean" and "minimum" put
    that of the axis.

    Shapes   x: any[n], pad_width=(a, b) -> any[a + n + b]

    >>> import eqsat.tensor as T
    >>> T.pad([1, 2, 3], (2, 1), mode="reflect").eval()
    array([3, 2, 1, 2, 3, 2])
    """
    x = as_tensor(x)
    if mode not in MODES:
        raise ArgumentError(f"pad: there is no mode {mode!r}", among=(mode, MODES))
    widths = _pairs("pad_width", x, pad_width)
    values = _pairs("constant_values", x, constant_values)
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
    if mode in ("maximum", "mean", "minimum"):
        value = _statistic(x, axis, mode)
        return concatenate([_block(x, value, axis, before), x, _block(x, value, axis, behind)], axis)
    return x[(*whole, _places(arange(e.neg(before), n + behind), n, mode))]


def _block(x: Any, value: Any, axis: int, width: Any) -> Any:
    return alloc(cast_to(value, x.dtype), [width if a == axis else length(x, a) for a in range(x.ndim)])


def _statistic(x: Any, axis: int, mode: str) -> Any:
    if mode == "mean":
        value = reduction.mean(x, axis, keepdims=True)
        return value if x.dtype == value.dtype else round_half_to_even(value)
    return (reduction.max if mode == "maximum" else reduction.min)(x, axis, keepdims=True)


def _places(i: Any, n: Any, mode: str) -> Any:
    """Where in an axis of length n the elements at places below 0 and from n on come from."""
    if mode == "edge":
        return e.minimum(e.maximum(i, 0), n - 1)
    if mode == "wrap":
        return e.mod(i, n)
    period = 2 * (n - 1) if mode == "reflect" else 2 * n
    k = e.mod(i, period)
    return e.switch(e.lt(k, n), k, period - (k if mode == "reflect" else k + 1))
