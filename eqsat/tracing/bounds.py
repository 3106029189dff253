"""What is known of whole numbers that are made of lengths: the least and the greatest that they can be, and conditions on them.

Arguments of lengths 0 and 1 are traced by themselves, so every other length of an argument is 2 or more.
"""

from __future__ import annotations

from itertools import product
from math import inf, isnan
from typing import Any
from weakref import WeakSet

from eqsat.graph.core import Constant
from eqsat.graph.ops import elemwise as e

Bounds = tuple[float, float]
ARGUMENTS: WeakSet[Any] = WeakSet()
"""The variables of arrays that are arguments of a traced function."""
# their extremes over a box lie at its corners
_CORNERED = {
    "int64": {op.name for op in (e.add, e.sub, e.mul, e.neg, e.minimum, e.maximum)},
    "bool": {op.name for op in (e.and_, e.or_, e.invert)},
}


def decided(variable: Any) -> bool | None:
    """Whether a number is other than 0, where that holds for all lengths; else None."""
    least, greatest = bounds(variable)
    if least > 0 or greatest < 0:
        return True
    return False if least == greatest == 0 else None


def bounds(variable: Any) -> Bounds:
    """The least and the greatest that a number without axes can be."""
    if isinstance(variable, Constant):
        value = variable.data.item()
        return (value, value) if isinstance(value, int) else (-inf, inf)
    declaration = getattr(getattr(variable.owner, "op", None), "declaration", None)
    if declaration is None or variable.type.ndim or variable.type.dtype not in _CORNERED:
        return -inf, inf
    operands = variable.owner.inputs
    if declaration.name == "length":
        return (2 if operands[0] in ARGUMENTS else 0), inf
    if declaration.compares:
        return _compared(variable.owner.op, *map(bounds, operands))
    if declaration.name in _CORNERED[variable.type.dtype]:
        return _extremes(variable.owner.op, product(*map(bounds, operands)))
    return (0, 1) if variable.type.dtype == "bool" else (-inf, inf)


def _compared(op: Any, one: Bounds, other: Bounds) -> Bounds:
    """The truth of a comparison: what it is at the ends, and where both are equal."""
    points = list(product(one, other))
    shared = max(one[0], other[0])
    if shared <= min(one[1], other[1]):
        points.append((shared, shared))
    return _extremes(op, points)


def _extremes(op: Any, points: Any) -> Bounds:
    """The least and the greatest result at some operands; no bounds where one is no number."""
    found = [op.compute(*point) for point in points]
    return (-inf, inf) if any(map(isnan, found)) else (min(found), max(found))
