"""Lengths of results are lengths of operands, by the signature of the op, and no element need be computed for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from eqsat.graph.declare import Declaration
from eqsat.graph.ops.reshape import reshape_op
from eqsat.graph.ops.shape import length_op
from eqsat.graph.seen import is_transparent
from eqsat.lengths.signature import BROADCAST, Axes
from eqsat.rules.equality import Rule
from eqsat.rules.facts import disjoint, rank
from eqsat.rules.pattern import alone, anything, parameters, shapes
from eqsat.rules.rule import rule
from eqsat.rules.schemes.operands import applied, joined, operands
from eqsat.rules.schemes.scheme import scheme

k = parameters("_axis")  # no operand of an op is named so


def tells_lengths(d: Declaration) -> bool:
    """True for an op of which rules see all, whose signature says lengths and all that it asks of its operands.

    Elementwise ops are in movements.py. Lengths of loops are found by the loop; one of several ops that stand for another
    takes no operands but theirs.
    """
    plain = d.kind not in ("elemwise", "loop") and d.check is None and not d.called and d.name != "length"
    return d.shapes is not None and is_transparent(d) and plain


@scheme(
    "length-by-signature",
    "length(op(x, ...)) = length(x), where the signature names both alike",
    holds=tells_lengths,
    needs=lambda op: [("length", op)],
)
def length(d: Declaration) -> Iterator[Rule]:
    """One rule for a whole shape, else one for each axis of the result that is an axis of an operand; what broadcasts tells nothing."""
    assert d.shapes is not None
    given = list(operands(d, anything).values())
    term, result = applied(d, *given), d.shapes.results[0]
    pairs = list(zip(given, d.shapes.of(len(given)), strict=True))
    shape = Axes(rest=result.rest)
    whole = [v for v, axes in pairs if shape == axes and shape == replace(result, changed=())]
    if whole and result.rest not in (None, BROADCAST):
        others = [disjoint(parameters(name), alone(k)) for name, _ in result.changed]
        sides = length_op(term, axis=k), length_op(whole[0], axis=k)
        yield rule(f"length-of-{d.name}", *sides, tier="exact", when=joined(*others))
        return
    fixed = [] if result.rest else [(v, axes.before) for v, axes in pairs if axes.rest is None]
    ranks = joined(*(rank(v, len(names)) for v, names in fixed))
    places = {name: (v, names.index(name)) for v, names in reversed(fixed) for name in names}
    for axis, name in enumerate(result.before if fixed else ()):
        if name in places:
            v, place = places[name]
            sides = length_op(term, axis=axis), length_op(v, axis=place)
            yield rule(f"length-of-{d.name}-axis-{axis}", *sides, tier="exact", when=ranks)


def keeps_shape(d: Declaration) -> bool:
    """True for an op whose result has the whole shape of its first operand."""
    told = tells_lengths(d) and not d.shapes.results[0].changed  # type: ignore[union-attr]
    return told and d.shapes is not None and len(d.tensors) == 1 and d.shapes.keeps == 0


@scheme(
    "length-of-reshaped",
    "length(reshape(op(x))) = length(reshape(x)), where op keeps the shape",
    holds=keeps_shape,
    needs=lambda op: [("reshape", op)],
)
def reshaped(d: Declaration) -> Iterator[Rule]:
    """The number of elements is seen without them."""
    x, shape, ndim = anything("x"), shapes("_shape"), parameters("_ndim")
    left, right = (length_op(reshape_op(v, shape, ndim=ndim), axis=k) for v in (applied(d, x), x))
    yield rule(f"length-of-reshaped-{d.name}", left, right, tier="exact")


RULES = [length, reshaped]
