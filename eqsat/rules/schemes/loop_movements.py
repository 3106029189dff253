"""Loops and elementwise ops: what a step does to rows is done to all rows before it, what becomes of results after it."""

from __future__ import annotations

from collections.abc import Iterator

from eqsat.graph.declare import Declaration
from eqsat.rules.facts import fixed, invariant, moves
from eqsat.rules.loop_turned import TURN, turned, turns
from eqsat.rules.loops import PUSH_OUT, PUSH_SEQ, L, row, stack
from eqsat.rules.pattern import under_time
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.elementwise import applied, is_elementwise, mixtures, operands_of
from eqsat.rules.schemes.operands import joined
from eqsat.rules.schemes.scheme import scheme


def letters(changes: tuple[bool, ...]) -> str:
    """The ending of a name that says which operands change in the loop."""
    return "".join("t" if c else "f" for c in changes)


@scheme(
    "loop-rows-of-elementwise",
    "f(row(x), still, ...) = row(f(x, still, ...))",
    holds=is_elementwise,
    needs=lambda op: [(op, "elem")],
    tags=PUSH_SEQ,
)
def of_rows(d: Declaration) -> Iterator[Rule]:
    """An elementwise op of rows is the row of the op; operands that do not change in the loop have no axis of time."""
    operands = operands_of(d)
    for changes in mixtures(d, (True, False)):
        if any(changes):
            pairs = list(zip(changes, operands, strict=True))
            yield rule(
                f"loop-row-{d.name}-{letters(changes)}",
                applied(d, [row(v) if c else v for c, v in pairs]),
                row(applied(d, [v if c else under_time(v) for c, v in pairs])),
                tier="exact",
                when=joined(*(fixed(v, L) for c, v in pairs if not c)),
                tags=PUSH_SEQ,
            )


@scheme(
    "loop-stacks-of-elementwise",
    "stack(f(x, still, ...)) = f(stack(x), still, ...)",
    holds=is_elementwise,
    needs=lambda op: [("collect", op)],
    tags=PUSH_OUT,
)
def of_stacks(d: Declaration) -> Iterator[Rule]:
    """The stack of an elementwise op is the op of stacks."""
    operands = operands_of(d)
    for changes in mixtures(d, (True, False)):
        if any(changes):
            pairs = list(zip(changes, operands, strict=True))
            yield rule(
                f"loop-stack-{d.name}-{letters(changes)}",
                stack(applied(d, operands)),
                applied(d, [stack(v) if c else under_time(v) for c, v in pairs]),
                tier="exact",
                when=joined(*(moves(v, L) if c else fixed(v, L) for c, v in pairs)),
                grows=False,
                tags=PUSH_OUT,
            )


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


RULES = [of_rows, of_stacks, of_turned]
