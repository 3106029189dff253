"""Sums of squares: of multiples, of outer products; norms."""

from __future__ import annotations

from eqsat.graph.ops.elemwise import abs, sqr, sqrt
from eqsat.graph.ops.reduce import sum_op
from eqsat.rules.facts import covers, invariant, rank, varies
from eqsat.rules.pattern import numbers, parameters, reals
from eqsat.rules.rule import rule

x, y, c = reals("x y c")
m, n = numbers("m n")
s = parameters("s")
BACKWARD = ["backward"]

RULES = [
    rule(
        "squares-of-multiple",
        sum_op(sqr(x * c), axes=s),
        sum_op(sqr(x), axes=s) * sqr(c),
        when=invariant(c, s),
        grows=False,
        tags=BACKWARD,
    ),
    rule(
        "squares-of-quotient",
        sum_op(sqr(x / c), axes=s),
        sum_op(sqr(x), axes=s) / sqr(c),
        when=invariant(c, s),
        grows=False,
        tags=BACKWARD,
    ),
    rule(
        "root-of-multiple",
        sqrt(x * sqr(c)),
        sqrt(x) * abs(c),
        when=(x >= 0) & varies(x),
        grows=False,
        tags=BACKWARD,
    ),
    rule(
        "root-of-quotient",
        sqrt(x / sqr(c)),
        sqrt(x) / abs(c),
        when=varies(x) & (x >= 0),
        grows=False,
        tags=BACKWARD,
    ),
    rule(
        "sum-of-outer",
        sum_op(m * n, axes=(0, 1)),
        sum_op(m, axes=(0,)) * sum_op(n, axes=(1,)),
        when=rank(m, 2) & invariant(m, (1,)) & invariant(n, (0,)) & covers(m, (0,)) & covers(n, (1,)),
        grows=False,
        tags=BACKWARD,
    ),
    rule(
        "squares-of-outer",
        sum_op(sqr(x * y), axes=(0, 1)),
        sum_op(sqr(x), axes=(0,)) * sum_op(sqr(y), axes=(1,)),
        when=rank(x, 2) & invariant(x, (1,)) & invariant(y, (0,)) & covers(x, (0,)) & covers(y, (1,)),
        grows=False,
        tags=BACKWARD,
    ),
]
