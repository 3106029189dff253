"""Sums of squares: of multiples, of outer products; norms."""

from __future__ import annotations

from typing import Any

from eqsat.graph.ops.elemwise import abs, mul, sqr, sqrt, truediv
from eqsat.graph.ops.reduce import sum_op
from eqsat.rules.condition import Condition
from eqsat.rules.facts import covers, invariant, rank, varies
from eqsat.rules.pattern import numbers, parameters, reals
from eqsat.rules.rule import rule

x, y, c = reals("x y c")
m, n = numbers("m n")
s = parameters("s")
BACKWARD = ["backward"]

FACTORS = (("multiple", mul), ("quotient", truediv))


def outer(x: Any, y: Any) -> Condition:
    """A column x and a row y, whose product is a matrix."""
    return rank(x, 2) & invariant(x, (1,)) & invariant(y, (0,)) & covers(x, (0,)) & covers(y, (1,))


RULES = [
    *(
        rule(f"{what}-of-{word}", of, by(*found), when=fits, grows=False, tags=BACKWARD)
        for word, by in FACTORS
        for what, of, found, fits in (
            ("squares", sum_op(sqr(by(x, c)), axes=s), (sum_op(sqr(x), axes=s), sqr(c)), invariant(c, s)),
            ("root", sqrt(by(x, sqr(c))), (sqrt(x), abs(c)), (x >= 0) & varies(x)),
        )
    ),
    *(
        rule(
            f"{word}-of-outer",
            sum_op(of(x * y), axes=(0, 1)),
            sum_op(of(x), axes=(0,)) * sum_op(of(y), axes=(1,)),
            when=outer(x, y),
            grows=False,
            tags=BACKWARD,
        )
        for word, of, x, y in (("sum", lambda v: v, m, n), ("squares", sqr, x, y))
    ),
]
