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
    rule("factor-self", x * y + x, x * (y + 1), tier="loose"),
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
