"""Sums of sums, and the logarithm of a product; what holds for every reduction is in schemes/reductions.py."""

from math import nan

from eqsat.graph.ops.elemwise import abs, fill, log, lt, sign, switch
from eqsat.graph.ops.reduce import count_op, prod_op, sum_op
from eqsat.rules.facts import covers, invariant
from eqsat.rules.pattern import anything, parameters, reals
from eqsat.rules.rule import rule

x, y, c = reals("x y c")
s, t, p = parameters("s t p")
a = anything("a")

product = prod_op(x, axes=s)

RULES = [
    rule(
        "sum-of-sum-of-two",
        sum_op(x + y, axes=s),
        sum_op(x, axes=s) + sum_op(y, axes=s),
        tier="loose",
        when=covers(x, s) & covers(y, s),
        grows=True,
        tags=["expand"],
    ),
    rule(
        "count-over-ones",
        count_op(a, axes=s),
        fill(a, 1),
        tier="exact",
        when=invariant(a, s),
        tags=["filled"],
    ),
    # a product of many numbers leaves the range that its logarithm does not
    rule(
        "log-of-prod",
        log(product),
        sum_op(log(abs(x)), axes=s) + switch(lt(prod_op(sign(x), axes=s), 0), nan, 0),
        tier="stabilises",
        prices=[product],
        cite="higham2002",
        tags=["through"],
    ),
]
