"""Choices and elementwise ops: what both branches have in common is done once, after the choice."""

from __future__ import annotations

from collections.abc import Iterator

from eqsat.graph.declare import Declaration
from eqsat.graph.ops.elemwise import switch
from eqsat.rules.pattern import bools
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.elementwise import applied, computes, one_type, operands_of
from eqsat.rules.schemes.scheme import scheme

p = bools("p")


@scheme(
    "switch-of-elementwise",
    "switch(p, f(x, z, ...), f(y, z, ...)) = f(switch(p, x, y), z, ...)",
    holds=computes,
    needs=lambda op: [("switch", op)],
)
def switch_of(d: Declaration) -> Iterator[Rule]:
    """One operand differs between the branches; of several, the others are the same."""
    operands, y = operands_of(d), operands_of(d, "2")
    for place, name in enumerate(d.tensors[: 1 if d.commutative else None]):
        x = operands[place]
        other = [*operands[:place], y[place], *operands[place + 1 :]]
        chosen = [*operands[:place], switch(p, x, y[place]), *operands[place + 1 :]]
        yield rule(
            f"switch-{d.name}{f'-{name}' if len(operands) > 1 else ''}",
            switch(p, applied(d, operands), applied(d, other)),
            applied(d, chosen),
            tier="exact",
            when=one_type(d, place, x, y[place]),
        )


RULES = [switch_of]
