"""Factors go out of sums and into them."""

from eqsat.graph.ops.elemwise import neg
from eqsat.rules.pattern import above, bounded, numbers, reals, tame, value, varies
from eqsat.rules.rule import rule

x, y, z, c = reals("x y z c")
a, b = numbers("a b")

at_least_one = varies(x) & varies(y) & above(value(c) * value(c), 0.99) & tame(value(c))

RULES = [
    rule("factor-constant", x * c + y * c, (x + y) * c, tier="rounds", when=at_least_one, cite="higham2002"),
    rule(
        "factor-constant-sub", x * c - y * c, (x - y) * c, tier="rounds", when=at_least_one, cite="higham2002"
    ),
    rule(
        "factor-bounded",
        x * y + x * z,
        x * (y + z),
        tier="rounds",
        when=varies(x) & bounded(y) & bounded(z),
        cite="higham2002",
    ),
    rule(
        "factor-bounded-sub",
        x * y - x * z,
        x * (y - z),
        tier="rounds",
        when=varies(x) & bounded(y) & bounded(z),
        cite="higham2002",
    ),
    rule("factor", x * y + x * z, x * (y + z), tier="loose", cite="definition"),
    rule("factor-sub", x * y - x * z, x * (y - z), tier="loose", cite="definition"),
    rule("factor-self", x * y + x, x * (y + 1), tier="loose", cite="definition"),
    rule("factor-divisor", x / z + y / z, (x + y) / z, tier="loose", cite="definition"),
    rule(
        "distribute", x * (y + z), x * y + x * z, tier="loose", grows=True, tags=["expand"], cite="definition"
    ),
    rule(
        "distribute-sub",
        x * (y - z),
        x * y - x * z,
        tier="loose",
        grows=True,
        tags=["expand"],
        cite="definition",
    ),
    rule(
        "distribute-neg",
        neg(a + b),
        neg(a) - b,
        tier="extends",
        when=varies(a) & varies(b),
        grows=True,
        tags=["expand"],
        cite="definition",
    ),
]
