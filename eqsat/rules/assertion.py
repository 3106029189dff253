"""A check that holds is none; what is computed from a checked value may be checked instead, so that rules see past it."""

from __future__ import annotations

from typing import Any

from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.loops import BINDERS, READERS
from eqsat.graph.ops.assertion import assertion_op
from eqsat.graph.ops.elemwise import add, fill, maximum, minimum, mul, pow, sub, truediv
from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.shape import length_op
from eqsat.graph.parameters import AXES, DIAGONAL, DTYPE, INTEGER, PATTERN
from eqsat.graph.seen import is_transparent
from eqsat.rules.facts import kept, uniform
from eqsat.rules.pattern import anything, bools, parameters, places, reals
from eqsat.rules.rule import rule

a, b = anything("a b")
x, c = reals("x c")
p = bools("p")
i = places("i")
m, k, q = parameters("m k q")


def checked(v: Any) -> Any:
    """v, after a check of p."""
    return assertion_op(v, p, message=m)


def reads_elements(d: Declaration) -> bool:
    """True for an op of one tensor, outside of loops and windows, that computes its result from the elements."""
    own = d.meaning.__module__.startswith("eqsat.") and d.name not in ("length", *BINDERS, *READERS)
    plain = set(d.parameters.values()) <= {AXES, INTEGER, DTYPE, PATTERN, DIAGONAL}
    return (
        own and plain and len(d.tensors) == 1 and is_transparent(d) and not d.signature.startswith(("i", "?"))
    )


def applied(d: Declaration, v: Any) -> Any:
    """The op of v, with any parameters."""
    return d(v, **{name: parameters(f"par_{name}") for name in d.parameters})


RULES = [
    rule("check-that-holds", checked(a), a, tier="exact", when=kept(p)),
    rule("check-twice", checked(checked(a)), checked(a), tier="exact"),
    rule("length-of-checked", length_op(checked(a), axis=k), length_op(a, axis=k), tier="exact"),
    rule("fill-of-checked", fill(checked(a), b), fill(a, b), tier="exact"),
    *(
        rule(f"{d.name}-of-checked", applied(d, checked(x)), checked(applied(d, x)), tier="exact")
        for d in OPS.values()
        if reads_elements(d)
    ),
    *(
        rule(f"{op.name}-of-checked-{word}", op(*left), checked(op(*right)), tier="exact", when=uniform(c))
        for op in (add, sub, mul, truediv, maximum, minimum, pow)
        for word, left, right in (
            ("and-number", (checked(x), c), (x, c)),
            ("under-number", (c, checked(x)), (c, x)),
        )
    ),
    rule("part-of-checked", part_op(checked(a), pattern=q), checked(part_op(a, pattern=q)), tier="exact"),
    rule(
        "part-of-checked-at",
        part_op(checked(a), i, pattern=q),
        checked(part_op(a, i, pattern=q)),
        tier="exact",
    ),
]
