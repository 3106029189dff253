"""Sums and extremes over axes: one after the other, of multiples, of transposes, of monotone functions."""

from math import nan

from eqsat.graph.ops.elemwise import (
    abs,
    log,
    lt,
    neg,
    sign,
    switch,
)
from eqsat.graph.ops.reduce import all_op, any_op, max_op, min_op, prod_op, sum_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.graph.ops.softmax import logsumexp_op
from eqsat.rules.facts import covers, invariant
from eqsat.rules.pattern import anything, axes_before, bools, numbers, parameters, reals
from eqsat.rules.rule import rule

x, y, c = reals("x y c")
n = numbers("n")
a = anything("a")
s, t, p = parameters("s t p")

b = bools("b")
product = prod_op(x, axes=s)
OF = {
    "sum": (sum_op, a),
    "prod": (prod_op, a),
    "max": (max_op, a),
    "min": (min_op, a),
    "all": (all_op, b),
    "any": (any_op, b),
}

RULES = [
    # one reduction after another, over axes of length 1, of transposes
    *(
        rule(
            f"{name}-of-{name}",
            op(op(v, axes=s), axes=t),
            op(v, axes=s | t),
            tier="rounds" if name in ("sum", "prod") else "exact",
            tags=["backward"] if name in ("sum", "prod") else [],
            cite="higham2002",
        )
        for name, (op, v) in OF.items()
    ),
    *(
        rule(f"{name}-over-ones", op(v, axes=s), v, tier="extends", when=invariant(v, s), cite="definition")
        for name, (op, v) in OF.items()
    ),
    *(
        rule(
            f"{name}-of-dimshuffle",
            op(dimshuffle_op(v, pattern=p), axes=s),
            dimshuffle_op(op(v, axes=axes_before(p, s)), pattern=p),
            tier="rounds",
            tags=["backward"],
            cite="definition",
        )
        for name, (op, v) in OF.items()
    ),
    rule(
        "logsumexp-of-logsumexp",
        logsumexp_op(logsumexp_op(x, axes=s), axes=t),
        logsumexp_op(x, axes=s | t),
        tier="rounds",
        tags=["backward"],
        cite="blanchard2021",
    ),
    # multiples
    rule(
        "sum-of-multiple",
        sum_op(n * c, axes=s),
        sum_op(n, axes=s) * c,
        tier="rounds",
        when=invariant(c, s),
        tags=["backward"],
        cite="higham2002",
    ),
    rule(
        "sum-of-quotient",
        sum_op(x / c, axes=s),
        sum_op(x, axes=s) / c,
        tier="rounds",
        when=invariant(c, s),
        tags=["backward"],
        cite="higham2002",
    ),
    rule("sum-of-neg", sum_op(neg(n), axes=s), neg(sum_op(n, axes=s)), tier="extends", cite="definition"),
    rule(
        "sum-of-sum-of-two",
        sum_op(x + y, axes=s),
        sum_op(x, axes=s) + sum_op(y, axes=s),
        tier="loose",
        when=covers(x, s) & covers(y, s),
        grows=True,
        tags=["expand"],
        cite="definition",
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
