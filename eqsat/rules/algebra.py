"""Neutral elements, inverses and signs."""

from typing import Any

from eqsat.graph.ops.elemwise import abs, fill, neg, pow, reciprocal, sign, sqr, sqrt
from eqsat.graph.ops.rounding import cbrt
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.rules.facts import (
    inverted,
    nonneg,
    nonpos,
    nonzero,
    one_element,
    positive,
    single,
    stretched,
    tame,
    varies,
    wider,
)
from eqsat.rules.pattern import numbers, parameters, reals, value
from eqsat.rules.rule import rule

x, y, z, w, c, d = reals("x y z w c d")
a, b = numbers("a b")


def moved(v: Any) -> Any:
    """A tensor with its axes moved."""
    return dimshuffle_op(v, pattern=parameters("p"))


RULES = [
    # neutral elements
    *(
        rule(name, left, right, tier="extends", when=known, tags=tags)
        for name, left, right, known, tags in (
            ("zero-div", 0 / x, fill(x, 0), None, []),
            # inverses
            ("div-common-factor", (x * y) / (x * z), y / z, varies(x), ["replaces"]),
            ("mul-mul-quotient", x * (y * (z / x)), y * z, None, []),
            ("mul-sign", x * sign(x), abs(x), None, []),
            ("abs-times-sign", abs(x) * sign(x), x, None, []),
            ("abs-of-nonneg", abs(a), a, nonneg(a), []),
            ("abs-of-nonpos", abs(a), neg(a), nonpos(a), []),
            ("sign-of-sign", sign(sign(a)), sign(a), None, []),
            ("sign-of-positive", sign(a), fill(a, 1), positive(a), []),
            ("sign-of-negative", sign(x), fill(x, -1), x < 0, []),
            ("abs-of-sign-of-nonzero", abs(sign(a)), fill(a, 1), nonzero(a), []),
            ("over-cube-root", x / cbrt(x), sqr(cbrt(x)), None, []),
            ("cube-root-over", cbrt(x) / x, reciprocal(sqr(cbrt(x))), None, []),
            ("power-of-one", pow(1, x), fill(x, 1), None, []),
        )
    ),
    rule(
        "neg-mul-constant",
        neg(x * c),
        x * (value(c) * -1.0),
        tier="exact",
        when=varies(x) & nonzero(c),  # x * -0.0 is the class of x * 0.0, which would be its own negative
        cite="definition",
    ),
    # quotients
    *(
        rule(name, left, right, tier="loose", tags=tags, grows=grows)
        for name, left, right, tags, grows in (
            ("div-div-rows", x / y / z, x / (y * z), ["fast"], None),
            ("div-of-quotient", x / (y / z), (x * z) / y, [], None),
            ("mul-quotient", x * (y / z), (x * y) / z, [], None),
            ("quotient-mul", (x * y) / z, x * (y / z), [], None),
            ("divide-by-product", x / y, x * reciprocal(y), ["fast"], True),
        )
    ),
    *(  # a divisor of many numbers is inverted once; the root of the least number has a reciprocal, too
        rule(name, x / by, x * over, when=known, grows=True, cite="higham2002")
        for name, by, over, known in (
            ("divide-by-repeated", y, reciprocal(y), inverted(y) & stretched(y, x)),
            ("divide-by-root", sqrt(y), reciprocal(sqrt(y)), wider(x, y)),
            ("divide-by-moved-root", moved(sqrt(y)), moved(reciprocal(sqrt(y))), None),
        )
    ),
    # sums and multiples
    rule(
        "add-twice",
        (a + b) + b,
        a + 2 * b,
        when=varies(a) & varies(b),
        grows=False,
        tags=["backward"],
        cite="higham2002",
    ),
    rule("div-constant", x / c, x * (1 / c), when=single(c) & tame(value(c)), grows=False, cite="higham2002"),
    rule("sub-constant", x - c, x + (value(c) * -1.0), tier="exact", when=varies(x)),
    rule(
        "multiple-by-scalar",
        x * c * y,
        x * (c * y),
        when=varies(x) & wider(x, y) & varies(y) & one_element(y) & single(c) & tame(value(c)),
        tags=["backward"],
        cite="higham2002",
    ),
]
