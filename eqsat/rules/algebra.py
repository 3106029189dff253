"""Neutral elements, inverses and signs."""

from eqsat.graph.ops.elemwise import abs, fill, neg, reciprocal, sign, sqrt
from eqsat.rules.facts import inverted, nonzero, one_element, single, stretched, tame, varies, wider
from eqsat.rules.pattern import numbers, reals, value
from eqsat.rules.rule import rule

x, y, z, w, c, d = reals("x y z w c d")
a, b = numbers("a b")

RULES = [
    # neutral elements
    rule("zero-div", 0 / x, fill(x, 0), tier="extends"),
    # inverses
    rule("div-common-factor", (x * y) / (x * z), y / z, tier="extends", when=varies(x), tags=["replaces"]),
    rule("mul-mul-quotient", x * (y * (z / x)), y * z, tier="extends"),
    rule(
        "neg-mul-constant",
        neg(x * c),
        x * (value(c) * -1.0),
        tier="exact",
        when=varies(x) & nonzero(c),  # x * -0.0 is the class of x * 0.0, which would be its own negative
        cite="definition",
    ),
    *(
        rule(f"abs-of-{word}", abs(x), right, tier="extends", when=sign_known)
        for word, sign_known, right in (("nonneg", x >= 0, x), ("nonpos", x <= 0, -x))
    ),
    *(
        rule(name, of * sign(x), right, tier="extends")
        for name, of, right in (("mul-sign", x, abs(x)), ("abs-times-sign", abs(x), x))
    ),
    # quotients
    *(
        rule(name, left, right, tier="loose", tags=tags)
        for name, left, right, tags in (
            ("div-div-rows", x / y / z, x / (y * z), ["fast"]),
            ("div-of-quotient", x / (y / z), (x * z) / y, []),
            ("mul-quotient", x * (y / z), (x * y) / z, []),
            ("quotient-mul", (x * y) / z, x * (y / z), []),
        )
    ),
    *(  # a divisor of many numbers is inverted once; the root of the least number has a reciprocal, too
        rule(name, x / by, x * reciprocal(by), when=known, grows=True, cite="higham2002")
        for name, by, known in (
            ("divide-by-repeated", y, inverted(y) & stretched(y, x)),
            ("divide-by-root", sqrt(y), wider(x, y)),
        )
    ),
    rule("divide-by-product", x / y, x * reciprocal(y), tier="loose", grows=True, tags=["fast"]),
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
