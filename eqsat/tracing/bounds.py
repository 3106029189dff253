"""Bounds of whole numbers that are made of lengths: the least and the greatest that they can be, and conditions on them.

Arguments of lengths 0 and 1 are traced by themselves, so every other length of an argument is 2 or more.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import inf, isnan
from typing import Any
from weakref import WeakSet

from eqsat.errors import ArgumentError
from eqsat.graph.core import Constant
from eqsat.graph.ops import elemwise as e
from eqsat.graph.walk import toposort

Bounds = tuple[float, float]
ARGUMENTS: WeakSet[Any] = WeakSet()
"""The variables of arrays that are arguments of a traced function."""
# their extremes over a box lie at its corners
_CORNERED = {
    "int64": {op.name for op in (e.add, e.sub, e.mul, e.neg, e.minimum, e.maximum)},
    "bool": {op.name for op in (e.and_, e.or_, e.invert)},
}


def decided(variable: Any) -> bool | None:
    """True for a number that is other than 0, False for one that is not, where that holds for all lengths; else None."""
    least, greatest = bounds(variable)
    if least > 0 or greatest < 0:
        return True
    return False if least == greatest == 0 else None


def simplest(variable: Any) -> Any:
    """The cheapest form of a number that is made of lengths; it may turn out to be known."""
    from eqsat.base.hooks import hook

    try:
        report = hook("optimize")([variable])
    except (ArgumentError, NotImplementedError):
        return variable
    return report.optimized[0]


def bounds(variable: Any) -> Bounds:
    """The least and the greatest that a number without axes can be."""
    known: dict[Any, Bounds] = {}
    for node in toposort([variable]):
        found = _of_result(node, [known.get(v) or _of_leaf(v) for v in node.inputs])
        known.update(dict.fromkeys(node.outputs, found))
    return known.get(variable) or _of_leaf(variable)


def _of_leaf(variable: Any) -> Bounds:
    value = variable.data.item() if isinstance(variable, Constant) and not variable.data.ndim else None
    return (value, value) if isinstance(value, int) else (-inf, inf)


def _of_result(node: Any, operands: Sequence[Bounds]) -> Bounds:
    """The bounds of what an op computes."""
    declaration: Any = getattr(node.op, "declaration", None)
    result: Any = node.outputs[0].type
    if declaration is None or result.ndim or result.dtype not in _CORNERED:
        return -inf, inf
    if declaration.name == "length":
        return (2 if node.inputs[0] in ARGUMENTS else 0), inf
    if declaration.compares:
        return _compared(node.op, *operands)
    if declaration.name in _CORNERED[result.dtype]:
        return _extremes(node.op, product(*operands))
    return (0, 1) if result.dtype == "bool" else (-inf, inf)


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
