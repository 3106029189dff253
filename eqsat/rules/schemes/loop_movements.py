"""Loops and elementwise ops: what a step does to rows is done to all rows before it, what becomes of results after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from eqsat.graph.declare import Declaration
from eqsat.rules.facts import invariant
from eqsat.rules.loop_turned import TURN, turned, turns
from eqsat.rules.loops import PUSH_OUT, PUSH_SEQ, lifted
from eqsat.rules.pattern import under_time
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.elementwise import applied, is_elementwise, mixtures, operands_of
from eqsat.rules.schemes.operands import joined
from eqsat.rules.schemes.scheme import scheme


def letters(changes: tuple[bool, ...]) -> str:
    """The ending of a name that says which operands change in the loop."""
    return "".join("t" if c else "f" for c in changes)


@scheme(
    "loop-of-elementwise",
    "f(row(x), still, ...) = row(f(x, still, ...)), stack(f(x, still, ...)) = f(stack(x), still, ...)",
    holds=is_elementwise,
    needs=lambda op: [(op, "elem"), ("collect", op)],
    tags=[*PUSH_SEQ, *PUSH_OUT],
)
def of_elementwise(d: Declaration) -> Iterator[Rule]:
    """An elementwise op of rows is the row of the op; operands that do not change in the loop have no axis of time."""
    operands = operands_of(d)
    for changes in mixtures(d, (True, False)):
        if any(changes):
            moving, still = (
                [v for v, c in zip(operands, changes, strict=True) if c is wanted] for wanted in (True, False)
            )
            yield from lifted(
                f"{d.name}-{letters(changes)}",
                between(d, operands, moving, lambda v: v),
                between(d, operands, moving, under_time),
                moving,
                still,
                even=True,
                grows=False,
                tier="exact",
            )


def between(
    d: Declaration, operands: list[Any], moving: list[Any], rest: Callable[[Any], Any]
) -> Callable[..., Any]:
    """The op as a function of the operands that move; the others stand beside them as ``rest`` says."""
    return lambda *given: applied(d, [given[moving.index(v)] if v in moving else rest(v) for v in operands])


@scheme(
    "turned-elementwise",
    "f(turned(x), ...) = turned(f(x, ...))",
    holds=is_elementwise,
    needs=lambda op: [(op, "subtensor_1")],
    tags=TURN,
)
def of_turned(d: Declaration) -> Iterator[Rule]:
    """An op of stacks in the other order is its stack in the other order; operands that are the same in all rows stay."""
    operands = operands_of(d)
    for changes in mixtures(d, (True, False)):
        if any(changes):
            pairs = list(zip(changes, operands, strict=True))
            yield rule(
                f"turned-{d.name}{'' if all(changes) else '-' + letters(changes)}",
                applied(d, [turned(v) if c else v for c, v in pairs]),
                turned(applied(d, operands)),
                when=joined(turns, *(invariant(v, (0,)) for c, v in pairs if not c)),
                tags=TURN,
            )


RULES = [of_elementwise, of_turned]
