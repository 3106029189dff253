"""Fillings and elementwise ops: what is computed of a repeated value is computed of the value, and repeated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eqsat.graph.declare import Declaration
from eqsat.graph.ops.elemwise import fill
from eqsat.rules.equality import REPEATED
from eqsat.rules.facts import several, single, wider
from eqsat.rules.pattern import Meta, anything, value
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.elementwise import applied, computes, operands_of
from eqsat.rules.schemes.operands import joined
from eqsat.rules.schemes.scheme import scheme

m = anything("m")


def places_of(d: Declaration) -> Iterator[tuple[int, str]]:
    """The place of each operand with what is added to names; of operands that may change places the first."""
    count = len(d.tensors)
    for place in range(1 if d.commutative else count):
        yield place, "" if count == 1 else f"-{'left' if place == 0 else d.tensors[place]}"


def put(operands: list[Any], place: int, new: Any) -> list[Any]:
    """The operands with another one at a place."""
    return [*operands[:place], new, *operands[place + 1 :]]


@scheme(
    "elementwise-of-fill",
    "f(fill(m, x)) = fill(m, f(x))",
    holds=computes,
    needs=lambda op: [(op, "fill")],
    tags=["filled"],
)
def of_fill(d: Declaration) -> Iterator[Rule]:
    """All operands are fillings of one shape; of numbers, of any shapes."""
    operands = operands_of(d)
    models = operands_of(d, "m")
    word = "fill" if len(operands) == 1 else "fills"
    yield rule(
        f"{d.name}-of-{word}",
        applied(d, [fill(m, x) for x in operands]),
        fill(m, applied(d, operands)),
        tier="exact",
        grows=False,
    )
    # arithmetic on fillings that are known numbers; of others it would breed numbers before they are folded
    yield rule(
        f"{d.name}-of-{word}-of-numbers",
        applied(d, [fill(n, x) for n, x in zip(models, operands, strict=True)]),
        fill(models[0], applied(d, operands)),
        tier="exact",
        when=joined(*map(single, operands)),
        tags=["filled"],
        grows=False,
    )


@scheme(
    "elementwise-beside-fill",
    "f(fill(m, x), y, ...) = f(x, y, ...) or fill(m, f(x, y, ...))",
    holds=lambda d: computes(d) and len(d.tensors) > 1,
    needs=lambda op: [(op, "fill")],
)
def beside_fill(d: Declaration) -> Iterator[Rule]:
    """One operand is a filling: it need not be repeated where others show the shape, or all is repeated afterwards."""
    operands = operands_of(d)
    for place, word in places_of(d):
        x = operands[place]
        rest: list[Meta] = [y for y in operands if y is not x]
        left = applied(d, put(operands, place, fill(m, x)))
        yield rule(f"{d.name}-fill{word}", left, applied(d, operands), tier="exact")
        yield rule(
            f"{d.name}-before-fill{word}",
            left,
            fill(m, applied(d, operands)),
            tier="exact",
            when=joined(wider(m, x), *(wider(m, y) for y in rest)),
            grows=False,
        )


@scheme(
    "fill-of-elementwise", "fill(f(x, ...), y) = fill(x, y)", holds=computes, needs=lambda op: [("fill", op)]
)
def model_of(d: Declaration) -> Iterator[Rule]:
    """Of the model of a filling only the shape is asked for."""
    operands = operands_of(d)
    for place, word in places_of(d):
        yield rule(
            f"fill-{d.name}-model{word}",
            fill(applied(d, operands), m),
            fill(operands[place], m),
            tier="exact",
        )


@scheme(
    "elementwise-by-number",
    "f(x, c) = f(x, number), or fill(c, f(x, number)) where c is wider",
    holds=lambda d: computes(d) and len(d.tensors) > 1,
    needs=lambda op: [(op, REPEATED)],
    tags=["repeated-number"],
)
def by_number(d: Declaration) -> Iterator[Rule]:
    """A tensor that is one number repeated need not be read."""
    operands = operands_of(d)
    for place, word in places_of(d):
        x = operands[place]
        rest: list[Meta] = [y for y in operands if y is not x]
        right = applied(d, put(operands, place, value(x)))
        yield rule(
            f"{d.name}-by-number{word}",
            applied(d, operands),
            right,
            tier="extends",
            when=several(x),
            tags=["repeated-number"],
        )
        yield rule(
            f"{d.name}-by-wide-number{word}",
            applied(d, operands),
            fill(x, right),
            tier="extends",
            when=joined(several(x), *(wider(x, y) for y in rest)),
            grows=False,
            tags=["repeated-number"],
        )


RULES = [of_fill, beside_fill, model_of, by_number]
