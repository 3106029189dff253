"""Axes of which it is known in a call alone whether their length is 1: NumPy repeats these, so a traced operand has to as well.

Masks, ``np.unique`` and slices whose bounds are arguments make them. Two that are made in the same way have one length, and are left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import eqsat.tensor as T
from eqsat.graph.core import Variable
from eqsat.graph.ops.gather import gather_layout
from eqsat.graph.ops.shape import length
from eqsat.graph.part_functions import unknown_axes
from eqsat.graph.parts import taken
from eqsat.graph.shapes import length_of
from eqsat.graph.tools import equal_computations
from eqsat.lengths import At
from eqsat.tracing.ones import is_elementwise

MISFIT = "operands could not be broadcast together: an axis has neither the length of the other nor 1"
LENGTHS = (1, 2, 3, 1000, 1001)  # of which a slice takes one element at most, or may take more


class Source(NamedTuple):
    """An op or a slice that tells the length of an axis, and the variables that it reads for that."""

    what: Any
    read: Sequence[Any]


_KNOWN: WeakKeyDictionary[Any, dict[int, Source | None]] = WeakKeyDictionary()


def together(operands: Sequence[Any]) -> list[Any]:
    """The operands of an elementwise op; axes that may have length 1 in a call are repeated as the others are long."""
    made = list(operands)
    variables = [v for v in made if isinstance(v, Variable)]
    rank = max((v.type.ndim for v in variables), default=0)  # type: ignore[attr-defined]
    for back in range(1, rank + 1):
        if any(_source(v, v.type.ndim - back) for v in variables if v.type.ndim >= back):  # type: ignore
            made = _repeated([v if isinstance(v, Variable) else T.as_tensor_variable(v) for v in made], back)
            variables = made
    return made


def like(value: Any, target: Any) -> Any:
    """A value that is written into a target, with its axes that may have length 1 in a call as long as those of the target."""
    for back in range(1, 1 + min(value.type.ndim, target.type.ndim)):
        source = _source(value, value.type.ndim - back)
        if source and not same(source, _source(target, target.type.ndim - back)):
            value = _spread(value, value.type.ndim - back, length(target, target.type.ndim - back))
    return value


def _repeated(operands: list[Any], back: int) -> list[Any]:
    """The operands, where some may have length 1 on an axis, counted from the last."""
    met = [k for k, v in enumerate(operands) if v.ndim >= back and v.type.shape[-back] != 1]
    sources = {k: _source(operands[k], operands[k].ndim - back) for k in met}
    first = next((k for k in met if not sources[k]), met[0])
    others = [k for k in met if k != first and not same(sources[k], sources[first])]
    if not others:
        return operands
    long = length(operands[first], operands[first].ndim - back)
    if sources[first]:  # all may have it: the first of another length tells
        for k in others:
            long = T.switch(T.eq(long, 1), length(operands[k], operands[k].ndim - back), long)
        others.append(first)
    spread = [k for k in others if sources[k]]
    return [_spread(v, v.ndim - back, long) if k in spread else v for k, v in enumerate(operands)]


def _spread(v: Any, axis: int, long: Any) -> Any:
    """A tensor repeated along an axis where its length there is 1; another has to be the length that is asked for."""
    have = length(v, axis)
    fits = T.or_(T.eq(have, 1), T.eq(have, long))
    return T.take(T.Assert(MISFIT)(v, fits), T.arange(long) * T.neq(have, 1), axis=axis)


def _source(v: Any, axis: int) -> Source | None:
    """The source of the length of an axis that may be 1 in a call; None for one that types or lengths of arguments tell."""
    known = _KNOWN.setdefault(v, {})
    stack = [(v, axis)]
    while stack:
        x, a = stack[-1]
        found, needs = _step(x, a)
        missing = [(u, b) for u, b in needs if b not in _KNOWN.setdefault(u, {})]
        stack += missing
        if not missing:
            stack.pop()
            below = [_KNOWN[u][b] for u, b in needs]
            _KNOWN[x][a] = found or (below[0] if below and all(below) else None)
    return known[axis]


def _step(x: Any, axis: int) -> tuple[Source | None, list[tuple[Any, int]]]:
    """The source of an axis, or the axes of operands that all must have one."""
    if x.type.shape[axis] is not None or x.owner is None:
        return None, []
    op, operands = x.owner.op, x.owner.inputs
    declaration = getattr(op, "declaration", None)
    if declaration is None:
        return None, []
    if is_elementwise(x):
        return None, [(v, axis) for v in operands if v.type.shape[axis] != 1]
    if declaration.counts:
        return Source(op, operands[:1]), []
    if declaration.picks is not None:
        return _of_picked(op.params["pattern"], operands, axis)
    if declaration.name == "subtensor":
        return _of_part(op.params["pattern"], operands, axis)
    told = length_of(x, axis)
    if isinstance(told, At):
        k, a = told.places[0]
        return None, [(operands[k], a)]
    if declaration.name == "dimshuffle":
        return None, [(operands[0], op.params["pattern"][axis])]
    return None, []


def _of_picked(pattern: Any, operands: Sequence[Any], axis: int) -> tuple[None, list[tuple[Any, int]]]:
    place, whole = gather_layout(pattern)
    count = operands[1].type.ndim
    if place <= axis < place + count:
        return None, [(v, axis - place) for v in operands[1:] if v.type.shape[axis - place] != 1]
    return None, [(operands[0], whole[axis if axis < place else axis - count])]


def _of_part(pattern: Any, operands: Sequence[Any], axis: int) -> tuple[Source | None, list[tuple[Any, int]]]:
    """A slice of one element at most, or between bounds of which one comes in the call."""
    a, entry = [(a, e) for a, e in enumerate(pattern) if e[0] == "slice"][axis]
    bounds = [v for b, v in zip(unknown_axes(pattern), operands[1:], strict=True) if b == a]
    if bounds:
        return Source(entry, bounds), []
    if all(len(taken(range(n), entry)) <= 1 for n in LENGTHS):
        return Source((entry, a), operands[:1]), []
    return None, [(operands[0], a)]


def same(first: Source | None, second: Source | None) -> bool:
    """True where two sources are equal, of the same ops on the same variables."""
    if first is None or second is None or first.what != second.what:
        return first is second
    return equal_computations(first.read, second.read)
