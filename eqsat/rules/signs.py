"""Quotients of a number and its size are its sign."""

from eqsat.graph.ops.elemwise import abs, sign
from eqsat.rules.facts import single, tame, varies, whole
from eqsat.rules.pattern import reals, value
from eqsat.rules.rule import rule
from eqsat.rules.spellings import quotients

x, y, c, d = reals("x y c d")

TAME = single(c) & tame(value(c))

RULES = [
    *quotients("self-over-abs", x, abs(x), sign(x), tier="extends", when=varies(x), tags=["backward"]),
    *quotients("abs-over-self", abs(x), x, sign(x), tier="extends", when=varies(x), tags=["backward"]),
    rule("abs-of-multiple", abs(x * c), abs(x) * abs(value(c)), tier="exact", when=TAME & varies(x)),
    *(  # other numbers would breed: 0.3 * 0.3 * x is a multiple of 0.3 * x, which is one of x
        rule(
            name,
            left,
            right,
            when=TAME & single(d) & tame(value(d)) & tame(number) & varies(x) & varies(y) & few,
            tags=["backward"],
            grows=False,
            cite="higham2002",
        )
        for ratio, product in ((value(c) / value(d), value(c) * value(d)),)
        for name, left, number, right, few in (
            ("multiple-over-multiple", (x * c) / (y * d), ratio, (x / y) * ratio, whole(ratio)),
            (  # x / y may be infinite where the left side is not
                "multiple-over-whole-multiple",
                (x * c) / (y * d),
                ratio,
                (x * ratio) / y,
                whole(value(c)) & whole(value(d)),
            ),
            ("multiple-by-quotient", (x * c) * (d / y), product, (x / y) * product, whole(product)),
        )
    ),
]
