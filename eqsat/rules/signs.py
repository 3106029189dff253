"""Quotients of a number and its size are its sign."""

from eqsat.graph.ops.elemwise import abs, sign
from eqsat.rules.facts import single, tame, varies
from eqsat.rules.pattern import reals, value
from eqsat.rules.rule import rule
from eqsat.rules.spellings import quotients

x, y, c, d = reals("x y c d")

TAME = single(c) & tame(value(c))

RULES = [
    *quotients("self-over-abs", x, abs(x), sign(x), tier="extends", when=varies(x), tags=["backward"]),
    *quotients("abs-over-self", abs(x), x, sign(x), tier="extends", when=varies(x), tags=["backward"]),
    rule("abs-of-multiple", abs(x * c), abs(x) * abs(value(c)), tier="exact", when=TAME & varies(x)),
    rule(
        "multiple-over-multiple",
        (x * c) / (y * d),
        (x / y) * (value(c) / value(d)),
        when=TAME & single(d) & tame(value(d)) & tame(value(c) / value(d)) & varies(x) & varies(y),
        tags=["backward"],
        grows=False,
        cite="higham2002",
    ),
]
