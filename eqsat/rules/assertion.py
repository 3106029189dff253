"""A check that holds is none; what is computed from a checked value may be checked instead, so that rules see past it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eqsat.graph.declare import Declaration
from eqsat.graph.loops import BINDERS, READERS
from eqsat.graph.ops.assertion import assertion_op
from eqsat.graph.ops.elemwise import fill
from eqsat.graph.ops.index import part_op
from eqsat.graph.parameters import AXES, DIAGONAL, DTYPE, INTEGER, PATTERN
from eqsat.graph.seen import is_transparent
from eqsat.rules.facts import kept, uniform
from eqsat.rules.pattern import anything, bools, parameters, places
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.elementwise import applied, computes, operands_of
from eqsat.rules.schemes.operands import joined
from eqsat.rules.schemes.scheme import scheme

a, b = anything("a b")

p = bools("p")
i = places("i")
m, n, k, q = parameters("m n k q")


def checked(v: Any) -> Any:
    """v, after a check of p."""
    return assertion_op(v, p, message=m, error=n)


def along_axes(d: Declaration) -> bool:
    """True for an op of eqsat of one tensor, outside of loops and windows, that computes a result from elements along axes."""
    own = d.meaning.__module__.startswith("eqsat.") and d.name not in ("length", *BINDERS, *READERS)
    plain = set(d.parameters.values()) <= {AXES, INTEGER, DTYPE, PATTERN, DIAGONAL}
    return own and plain and len(d.tensors) == 1 and is_transparent(d) and d.kind != "elemwise"


@scheme(
    "elementwise-of-checked",
    "f(checked(x), number, ...) = checked(f(x, number, ...))",
    holds=computes,
    needs=lambda op: [(op, "assertion")],
)
def of_checked(d: Declaration) -> Iterator[Rule]:
    """An elementwise op of a checked value and numbers is checked instead of the value."""
    operands = operands_of(d)
    for place, name in enumerate(d.tensors):
        x = operands[place]
        left = [checked(v) if v is x else v for v in operands]
        yield rule(
            f"{d.name}-of-checked{f'-{name}' if len(operands) > 1 else ''}",
            applied(d, left),
            checked(applied(d, operands)),
            tier="exact",
            when=joined(*(uniform(v) for v in operands if v is not x)),
        )


@scheme(
    "along-axes-of-checked",
    "f(checked(x), axes) = checked(f(x, axes))",
    holds=along_axes,
    needs=lambda op: [(op, "assertion")],
)
def along_of_checked(d: Declaration) -> Iterator[Rule]:
    """An op along axes of a checked value is checked instead of the value."""
    yield rule(f"{d.name}-of-checked", applied(d, [checked(a)]), checked(applied(d, [a])), tier="exact")


RULES = [
    *(
        rule(name, left, right, tier="exact", when=known)
        for name, left, right, known in (
            ("check-that-holds", checked(a), a, kept(p)),
            ("check-twice", checked(checked(a)), checked(a), None),
            ("fill-of-checked", fill(checked(a), b), fill(a, b), None),
        )
    ),
    of_checked,
    along_of_checked,
    *(
        rule(
            f"part-of-checked{at}",
            part_op(checked(a), *index, pattern=q),
            checked(part_op(a, *index, pattern=q)),
            tier="exact",
        )
        for at, index in (("", ()), ("-at", (i,)))
    ),
]
