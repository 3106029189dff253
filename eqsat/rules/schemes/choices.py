"""Choices and elementwise ops: what both branches have in common is done once, after the choice."""

from __future__ import annotations

from collections.abc import Iterator

from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.ops.elemwise import invert, switch
from eqsat.rules.pattern import bools
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.elementwise import applied, computes, one_type, operands_of
from eqsat.rules.schemes.operands import sees
from eqsat.rules.schemes.scheme import family, scheme

p, q = bools("p q")


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


@scheme(
    "elementwise-of-switches",
    "f(switch(p, x, y), switch(p, z, w)) = switch(p, f(x, z), f(y, w))",
    holds=lambda d: computes(d) and len(d.tensors) == 2,
    needs=lambda op: [(op, "switch")],
)
def of_switches(d: Declaration) -> Iterator[Rule]:
    """Two choices by one condition are one choice between results."""
    (x, z), (y, w) = operands_of(d), operands_of(d, "2")
    right = switch(p, applied(d, (x, z)), applied(d, (y, w)))
    yield rule(f"{d.name}-of-switches", applied(d, (switch(p, x, y), switch(p, z, w))), right, tier="exact")


def truths() -> Iterator[Declaration]:
    """The operations on two truth values with an absorbing one: and, or."""
    yield from [
        d
        for d in OPS.values()
        if sees(d)
        and len(d.tensors) == 2
        and d.signature[0] == "i"
        and d.absorbing is not None
        and d.idempotent
    ]


@family(
    "choice-of-truths",
    "switch(p, true, q) = p or q, switch(p, q, false) = p and q, switch(p, false, q) = q unless p",
    among=lambda d: d.name == switch.name,
)
def choice_of_truths() -> Iterator[Rule]:
    """A choice with a known truth value in a branch is an operation on the condition and the other branch."""
    for d in truths():
        known, word = int(d.absorbing or 0), ("false", "true")[bool(d.absorbing)]
        branches = ((known, q), (q, known))
        for (then, other), condition, end in zip(
            branches if known else branches[::-1], (p, invert(p)), ("", "-not"), strict=True
        ):
            yield rule(
                f"{d.name}{end}-from-{word}",
                switch(p, then, other),
                d(condition, q),
                tier="exact",
                grows=False,
            )


RULES = [switch_of, of_switches, choice_of_truths]
