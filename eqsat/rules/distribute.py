"""Factors go out of sums and into them."""

from eqsat.graph.ops.elemwise import neg
from eqsat.rules.facts import above, tame, varies
from eqsat.rules.pattern import numbers, reals, value
from eqsat.rules.rule import rule

x, y, z, c = reals("x y z c")
a, b = numbers("a b")

# a constant below 1 would breed: w / 2 + w / 2 = (w + w) / 2 = ...
at_least_one = varies(x) & varies(y) & above(value(c) * value(c), 0.99) & tame(value(c))

BACKWARD = ["backward"]  # exact for operands that are a rounding error away, as a product of matrices is

RULES = [
    rule("factor", x * y + x * z, x * (y + z), when=varies(x), tags=BACKWARD, cite="higham2002"),
    rule("factor-sub", x * y - x * z, x * (y - z), when=varies(x), tags=BACKWARD, cite="higham2002"),
    rule("factor-constant", x * c + y * c, (x + y) * c, when=at_least_one, cite="higham2002"),
    rule("factor-constant-sub", x * c - y * c, (x - y) * c, when=at_least_one, cite="higham2002"),
    rule("factor-self", x * y + x, x * (y + 1), tier="loose"),
    rule("factor-divisor", x / z + y / z, (x + y) / z, when=varies(z), tags=BACKWARD, cite="higham2002"),
    rule("factor-divisor-sub", x / z - y / z, (x - y) / z, when=varies(z), tags=BACKWARD, cite="higham2002"),
    rule("distribute", x * (y + z), x * y + x * z, tier="loose", grows=True, tags=["expand"]),
    rule("distribute-sub", x * (y - z), x * y - x * z, tier="loose", grows=True, tags=["expand"]),
    rule(
        "distribute-neg",
        neg(a + b),
        neg(a) - b,
        tier="extends",
        when=varies(a) & varies(b),
        grows=True,
        tags=["expand"],
    ),
]
