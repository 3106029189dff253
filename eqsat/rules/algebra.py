"""Neutral elements, inverses and signs."""

from eqsat.graph.ops.elemwise import abs, fill, neg, reciprocal, sign, sqr
from eqsat.rules.facts import nonzero, one_element, short, single, tame, varies, wider
from eqsat.rules.pattern import numbers, reals, value
from eqsat.rules.rule import rule

x, y, z, w, c, d = reals("x y z w c d")
a, b = numbers("a b")

CANCELLED = [  # a name, both sides, what is kept, and what is gone, which may have the larger shape
    ("add-sub", a + b - b, a, a, b),
    ("sub-add", a - b + b, a, a, b),
    ("sub-sub", a - (a - b), b, b, a),
    ("sub-sum", a - (a + b), -b, b, a),
    ("add-neg", a + b + neg(b), a, a, b),
    ("mul-div", x * y / y, x, x, y),
    ("div-mul", x / y * y, x, x, y),
]

RULES = [
    # neutral elements
    rule("mul-minus-one", a * -1, -a, tier="exact"),
    rule("zero-sub", 0 - a, -a, tier="extends"),
    rule("div-minus-one", x / -1, -x, tier="exact"),
    rule("zero-div", 0 / x, fill(x, 0), tier="extends"),
    # inverses
    rule("sub-self", a - a, fill(a, 0), tier="extends", when=varies(a)),
    rule("div-self", x / x, fill(x, 1), tier="extends", when=varies(x)),
    *(rule(f"{name}-cancel", *sides, tier="extends") for name, *sides, _, _ in CANCELLED),
    *(
        rule(f"{name}-repeated", left, fill(gone, right), tier="extends", when=wider(gone, kept), grows=False)
        for name, left, right, kept, gone in CANCELLED
    ),
    rule("div-by-product", x / (x * y), reciprocal(y), tier="extends", when=varies(x)),
    rule("div-common-factor", (x * y) / (x * z), y / z, tier="extends", when=varies(x)),
    rule("div-by-quotient", x / (x / y), y, tier="extends", when=varies(x)),
    rule("mul-mul-quotient", x * (y * (z / x)), y * z, tier="extends"),
    rule("mul-over-self", x * reciprocal(x), fill(x, 1), tier="extends", when=varies(x)),
    # signs
    rule("sub-neg", a - neg(b), a + b, tier="exact"),
    rule("add-neg", a + neg(b), a - b, tier="exact"),
    rule("neg-sub", neg(a - b), b - a, tier="extends"),
    rule("neg-sub-neg", neg(a) - b, neg(a + b), tier="extends"),
    rule(
        "neg-mul-constant",
        neg(x * c),
        x * (value(c) * -1.0),
        tier="exact",
        when=varies(x) & nonzero(c),  # x * -0.0 is the class of x * 0.0, which would be its own negative
        cite="definition",
    ),
    rule("abs-sqr", abs(sqr(x)), sqr(x), tier="exact"),
    rule("abs-of-nonneg", abs(x), x, tier="extends", when=x >= 0),
    rule("abs-of-nonpos", abs(x), -x, tier="extends", when=x <= 0),
    rule("mul-sign", x * sign(x), abs(x), tier="extends"),
    rule("abs-times-sign", abs(x) * sign(x), x, tier="extends"),
    rule("sqr-over-self", sqr(x) / x, x, tier="extends"),
    rule("self-over-sqr", x / sqr(x), reciprocal(x), tier="extends"),
    # quotients
    rule("one-div", 1 / x, reciprocal(x), tier="exact"),
    rule("mul-over", x * reciprocal(y), x / y),
    rule("div-over", x / reciprocal(y), x * y),
    rule("over-div", reciprocal(x / y), y / x),
    rule("div-div-rows", x / y / z, x / (y * z), tier="loose", tags=["fast"]),
    rule("div-of-quotient", x / (y / z), (x * z) / y, tier="loose"),
    rule("mul-quotient", x * (y / z), (x * y) / z, tier="loose"),
    rule("quotient-mul", (x * y) / z, x * (y / z), tier="loose"),
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
    rule("add-self", a + a, 2 * a, tier="exact", when=varies(a)),
    rule("div-constant", x / c, x * (1 / c), when=single(c) & tame(value(c)), grows=False, cite="higham2002"),
    rule("sub-constant", x - c, x + (value(c) * -1.0), tier="exact", when=varies(x)),
    rule(
        "mul-constants",
        x * c * d,
        x * (c * d),
        when=varies(x) & single(c) & single(d) & tame(value(c) * value(d)) & tame(value(c)) & tame(value(d)),
        cite="higham2002",
    ),
    rule(
        "multiple-by-scalar",
        x * c * y,
        x * (c * y),
        when=varies(x) & varies(y) & one_element(y) & single(c) & tame(value(c)),
        tags=["backward"],
        cite="higham2002",
    ),
    rule(
        "div-of-constant-multiple",
        c / (x * d),
        (c / d) / x,
        when=varies(x) & single(c) & single(d) & tame(value(c) / value(d)) & tame(value(c)) & tame(value(d)),
        cite="higham2002",
    ),
    rule(
        "add-constants",
        x + c + d,
        x + (value(c) + value(d)),
        when=varies(x) & short(value(c)) & short(value(d)),
        cite="higham2002",
    ),
    rule(
        "constant-minus-constant",
        c - (d - x),
        x + (value(c) - value(d)),
        when=varies(x) & short(value(c)) & short(value(d)),
        cite="higham2002",
    ),
    rule(
        "constant-minus-plus",
        c - (d + x),
        (value(c) - value(d)) - x,
        when=varies(x) & short(value(c)) & short(value(d)),
        cite="higham2002",
    ),
    rule(
        "constant-plus-minus",
        c + (d - x),
        (value(c) + value(d)) - x,
        when=varies(x) & short(value(c)) & short(value(d)),
        cite="higham2002",
    ),
    rule("multiple-plus-self", x * c + x, x * (c + 1), when=varies(x) & single(c), cite="higham2002"),
    rule("multiple-minus-self", x * c - x, x * (c - 1), when=varies(x) & single(c), cite="higham2002"),
]
