"""Choices: equal branches, known conditions, and the masks that gradients of maximum leave behind."""

from collections.abc import Callable, Iterator
from typing import Any

from eqsat.graph.ops.cast import cast_op
from eqsat.graph.ops.elemwise import (
    and_,
    fill,
    invert,
    neg,
    sqr,
    switch,
)
from eqsat.rules.facts import filled_with_one, zero
from eqsat.rules.pattern import anything, bools, parameters, reals
from eqsat.rules.rule import Rule, rule

v, w, x, y, z = reals("v w x y z")
a, b, c = anything("a b c")
p, q = bools("p q")
d = parameters("d")

BRANCHES = [  # where the condition holds or not, and a choice that begins with the branch taken there
    ("then", 1, switch),
    ("else", 0, lambda p, a, b: switch(p, b, a)),
]


def of_branch(word: str, number: int, chosen: Callable[[Any, Any, Any], Any]) -> Iterator[Rule]:
    """A choice that is known, and one that is made twice, as in the gradient of log(switch(p, a, b))."""
    known = filled_with_one(p) if number else zero(p)
    name, left = f"switch-known-{word}-filled", chosen(p, a, b)
    yield rule(name, left, fill(p, a), tier="exact", when=known, tags=["filled"])
    yield from (
        rule(f"switch-{name}", left, right, tier="exact")
        for name, left, right in (
            (f"known-{word}", chosen(number, a, b), a),
            (f"known-{word}-repeated", chosen(number, a, b), fill(b, a)),
            (f"switch-{word}", chosen(p, chosen(p, a, b), c), chosen(p, a, c)),
            *(
                (f"{name}over-switch-{word}", chosen(p, of(w / chosen(p, x, y)), z), chosen(p, of(w / x), z))
                for name, of in (
                    ("", lambda slope: slope),
                    ("negated-", neg),
                    ("multiple-", lambda slope: slope * v),
                    ("negated-multiple-", lambda slope: neg(slope * v)),
                )
            ),
        )
    )


RULES = [
    rule("switch-same", switch(p, a, a), a, tier="exact"),
    rule("switch-not", switch(invert(p), a, b), switch(p, b, a), tier="exact"),
    *(law for word, number, chosen in BRANCHES for law in of_branch(word, number, chosen)),
    # There is no rule switch(p, x, 0) * y = switch(p, x * y, 0): the right side is 0 where the left is NaN, and a class
    # that held both would let a bare product pass for the choice that guards it (see gradient/masks.py).
    rule("mul-mask", x * cast_op(p, dtype=d), switch(p, x, 0), tier="stabilises"),
    *(  # masks, which are 0 and 1
        rule(name, left, right, tier="exact")
        for mask in (cast_op(p, dtype=d),)
        for name, left, right in (
            ("mask-times-mask", mask * cast_op(q, dtype=d), cast_op(and_(p, q), dtype=d)),
            ("mask-squared", sqr(mask), mask),
            ("one-minus-mask", 1 - mask, cast_op(invert(p), dtype=d)),
        )
    ),
]
