"""Points at which graphs are measured: floats, drawn evenly by their place among all floats of a range."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError
from eqsat.graph.core import Constant
from eqsat.graph.dtypes import FLOATS
from eqsat.graph.tensor_type import shorten
from eqsat.graph.walk import graph_inputs, toposort
from eqsat.rounding.bits import float_at, order
from eqsat.rounding.reals import RealRun, is_by_elements

Array = Any
UNKNOWN = 3  # the length of an axis of which nothing is known
TRIES = 16  # rounds of drawing, each for all points that lack
Accept = Callable[[dict[Any, Array]], Array]
"""Values of the inputs, a row for each point -> which points to keep."""


@dataclass(frozen=True)
class Points:
    """Values of the inputs of graphs, a row for each point, and the real values of the outputs there, rounded once."""

    inputs: list[Any]
    values: list[Array]
    wanted: list[Array]
    whole: bool  # one call of NumPy computes all points

    @property
    def count(self) -> int:
        """The number of points."""
        return len(self.wanted[0])

    def run(self, compute: Callable[..., Any], operands: Sequence[Array]) -> Array:
        """The result of an op at every point: of arrays whose first axis counts points, or constants of which it is 1."""
        with np.errstate(all="ignore"):
            if self.whole:
                return np.asarray(compute(*operands))
            rows = [
                np.asarray(compute(*(v[k if len(v) > 1 else 0] for v in operands))) for k in range(self.count)
            ]
            return np.stack(rows)

    def constant(self, value: Array) -> Array:
        """A constant as an operand of ``run``."""
        return value if self.whole else np.asarray(value)[None]


def ranges_of(inputs: Sequence[Any], ranges: Mapping[Any, Any] | None) -> dict[Any, tuple[float, float]]:
    """The range of each input; that of all finite floats where none is given.

    Errors   ArgumentError for an input that the graph has not, and for what is no range
    """
    found: dict[Any, tuple[float, float]] = {}
    for key, value in (ranges or {}).items():
        named = [v for v in inputs if v is key or (isinstance(key, str) and v.name == key)]
        if len(named) != 1:
            raise ArgumentError(
                f"ranges: {key} is no input of the graph", needs=", ".join(map(str, inputs)) or "no inputs"
            )
        try:
            low, high = (float(b) for b in value)
        except (TypeError, ValueError):
            raise ArgumentError(
                f"ranges: {shorten(value)} is no range of {key}", needs="(least, greatest)"
            ) from None
        if not low <= high:
            raise ArgumentError(f"ranges: {key} is to be at least {low} and at most {high}")
        found[named[0]] = held(named[0], low, high)
    for v in inputs:
        most = float(np.finfo(v.type.dtype).max) if v.type.dtype in FLOATS else 100.0
        found.setdefault(v, held(v, -most, most))
    return found


def held(v: Any, low: float, high: float) -> tuple[float, float]:
    """The part of a range that the dtype of an input holds.

    Errors   ArgumentError where it holds none

    >>> import eqsat.tensor as T
    >>> held(T.bscalar("i"), 0.5, 1000.0)
    (1, 127)
    """
    dtype = v.type.dtype
    if dtype == "bool":
        return low, high
    if dtype in FLOATS:
        most = float(np.finfo(dtype).max)
        low, high = max(low, -most), min(high, most)
    else:
        info = np.iinfo(dtype)
        far = 2.0 * info.max
        low = max(math.ceil(max(low, -far)), int(info.min))
        high = min(math.floor(min(high, far)), int(info.max))
    if low > high:
        raise ArgumentError(f"ranges: no {dtype} lies in the range of {v}")
    return low, high


def drawn_points(
    outputs: Sequence[Any],
    ranges: Mapping[Any, Any] | None,
    count: int,
    seed: int,
    accept: Accept | None = None,
) -> Points:
    """Points at which every output is a finite real number that its dtype holds.

    Errors   ArgumentError where no such point is found, for ops that have no formula over the reals, and for complex values
    """
    if not isinstance(count, int) or count < 1:
        raise ArgumentError(f"accuracy: points={count!r}", needs="a whole number above 0")
    inputs: list[Any] = [v for v in graph_inputs(outputs) if not isinstance(v, Constant)]
    check_real(inputs, outputs)
    limits = ranges_of(inputs, ranges)
    whole = is_by_elements(outputs)
    run = RealRun(outputs, inputs, whole)
    rng = np.random.default_rng(seed)
    kept: list[list[Array]] = [[] for _ in [*inputs, *outputs]]
    have = 0
    for _ in range(TRIES):
        values = [drawn(v, *limits[v], count, whole, rng) for v in inputs]
        good = np.ones(count, bool)
        if accept is not None and inputs:  # a graph without inputs has one point
            good = truths(accept(dict(zip(inputs, values, strict=True))), count)
        values = [v[good] for v in values]
        wanted = run.values(values, outputs) if good.any() or not inputs else [np.empty((0,))] * len(outputs)
        fine = np.ones(len(wanted[0]), bool)
        for w in wanted:
            fine &= np.isfinite(w).all(axis=tuple(range(1, w.ndim)))
        for place, found in zip(kept, [*values, *wanted], strict=True):
            place.append(found[fine])
        have += int(fine.sum())
        if have >= count or not inputs:
            break
    if not have:
        raise ArgumentError(
            "accuracy: no point was found at which the graph has a finite value",
            operands=[(str(v), v) for v in inputs[:4]],
            hint="ranges={x: (least, greatest)}",
        )
    joined = [np.concatenate(found)[:count] for found in kept]
    return Points(inputs, joined[: len(inputs)], joined[len(inputs) :], whole)


def check_real(inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
    """Refuse graphs in which a value is complex.

    Errors   ArgumentError
    """
    for v in [*inputs, *(made for node in toposort(outputs) for made in node.outputs)]:
        if getattr(v.type, "dtype", "").startswith("complex"):
            raise ArgumentError(
                f"accuracy: {v} is complex",
                operands=[(str(v), v)],
                needs="real numbers, of which errors are measured",
            )


def truths(given: Any, count: int) -> Array:
    """The answers of ``accept``, one for each point.

    Errors   ArgumentError where they are of another number
    """
    found = np.asarray(given, bool)
    if found.size not in (1, count):
        raise ArgumentError(
            f"accuracy: accept gives an array of shape {found.shape}",
            needs=f"one answer for each of {count} points",
        )
    return np.broadcast_to(found.reshape(-1), (count,))


def drawn(v: Any, low: float, high: float, count: int, whole: bool, rng: Any) -> Array:
    """Values of an input, a row for each point."""
    shape = (
        count,
        *((1,) * max(0, v.type.ndim - 1) if whole else [UNKNOWN if n is None else n for n in v.type.shape]),
    )
    dtype = v.type.dtype
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype not in FLOATS:
        return rng.integers(int(low), int(high), shape, dtype, endpoint=True)
    first, last = order(np.array([low, high], dtype))
    return float_at(rng.integers(first, last, shape, endpoint=True), dtype)
