"""Quotients by 1 + exp(x), as gradients of sigmoids leave them, and losses of two classes."""

from eqsat.graph.ops.elemwise import exp, neg, sigmoid, softplus
from eqsat.rules.facts import above, below, differ, whole
from eqsat.rules.pattern import reals, value
from eqsat.rules.rule import rule
from eqsat.rules.spellings import quotients

x, y, w, c, d, t = reals("x y w c d t")

BACKWARD = ["backward"]
one_plus = 1 + exp(x)
both = exp(x) + exp(y)
opposite = whole(value(c) + value(d)) & above(value(c) + value(d), -0.5) & below(value(c) + value(d), 0.5)

RULES = [
    *quotients(
        "exp-over-one-plus-exp",
        exp(x),
        one_plus,
        sigmoid(x),
        tier="stabilises",
        prices=[one_plus],
        tags=BACKWARD,
    ),
    *quotients(
        "exp-over-two-exps",
        exp(x),
        both,
        sigmoid(x - y),
        tier="stabilises",
        when=differ(x, y),
        prices=[both],
        tags=BACKWARD,
    ),
    rule("quotient-by-one-plus-exp", w / one_plus, w * sigmoid(neg(x))),
    rule(
        "exp-times-multiple-of-sigmoid",
        exp(x) * (w * sigmoid(neg(x))),
        w * sigmoid(x),
        tier="stabilises",
        tags=BACKWARD,
    ),
    # of two classes, with the probability t of the one: each is exact for a t that is a rounding error away
    rule(
        "two-class-loss",
        (1 - t) * softplus(x) + t * softplus(neg(x)),
        softplus(x) - t * x,
        tags=BACKWARD,
        cite="maechler2012",
    ),
    rule(
        "two-class-gradient",
        (1 - t) * sigmoid(x) - t * sigmoid(neg(x)),
        sigmoid(x) - t,
        tags=BACKWARD,
        cite="maechler2012",
    ),
    rule(
        "two-class-gradient-scaled",
        ((1 - t) * c) * sigmoid(x) + (t * d) * sigmoid(neg(x)),
        (sigmoid(x) - t) * value(c),
        when=opposite,
        tags=BACKWARD,
        cite="maechler2012",
    ),
]
