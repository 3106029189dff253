"""Quotients by 1 + exp(x), as gradients of sigmoids leave them, losses of two classes, and probabilities of intervals."""

from collections.abc import Iterator
from typing import Any

from eqsat.graph.ops.elemwise import exp, isinf, log, neg, sigmoid, softplus, switch, tanh
from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.special import log1mexp
from eqsat.rules.facts import above, below, differ, whole
from eqsat.rules.pattern import parameters, reals, value
from eqsat.rules.rule import rule
from eqsat.rules.spellings import quotients

x, y, w, c, d, t = reals("x y w c d t")
p, q = parameters("p q")

BACKWARD = ["backward"]
one_plus = 1 + exp(x)
both = exp(x) + exp(y)
opposite = whole(value(c) + value(d)) & above(value(c) + value(d), -0.5) & below(value(c) + value(d), 0.5)


def between(name: str, apart: Any, x: Any, y: Any, when: Any) -> Iterator[tuple[str, Any, Any, Any]]:
    """The probability of the interval from y to x, and its logarithm, which may be far from the middle."""
    more, less = sigmoid(x) * sigmoid(neg(y)), sigmoid(y) * sigmoid(neg(x))
    yield name, apart(sigmoid), switch(isinf(x), more - less, tanh((x - y) / 2) * (more + less)), when
    yield f"log-{name}", log(apart(sigmoid)), log1mexp(y - x) - softplus(neg(x)) - softplus(y), when


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
    *(
        rule(name, left, right, tier="stabilises", when=when, tags=BACKWARD)
        for name, left, right, when in (
            ("exp-times-multiple-of-sigmoid", exp(x) * (w * sigmoid(neg(x))), w * sigmoid(x), None),
            *between("sigmoid-sub-sigmoid", lambda f: f(x) - f(y), x, y, differ(x, y)),
            *between(
                "parts-of-sigmoids-apart",
                lambda f: part_op(f(x), pattern=p) - part_op(f(y), pattern=q),
                part_op(x, pattern=p),
                part_op(y, pattern=q),
                None,
            ),
        )
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
