"""Comparisons: one direction each, and those that are known."""

from eqsat.graph.ops.elemwise import lt
from eqsat.rules.pattern import anything, bools, integers, reals
from eqsat.rules.rule import rule

x, y, z = reals("x y z")
a, b, c = anything("a b c")
p, q = bools("p q")
i = integers("i")

RULES = [
    rule("difference-positive", lt(0, x - y), lt(y, x), tier="loose"),
]
