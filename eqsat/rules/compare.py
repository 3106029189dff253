"""Comparisons: one direction each, and those that are known."""

from eqsat.graph.ops.elemwise import isinf, isnan, lt
from eqsat.rules.facts import finite
from eqsat.rules.pattern import anything, bools, integers, reals
from eqsat.rules.rule import rule

x, y, z = reals("x y z")
a, b, c = anything("a b c")
p, q = bools("p q")
i = integers("i")

RULES = [
    rule("difference-positive", lt(0, x - y), lt(y, x), tier="loose"),
    *(
        rule(f"{f.name}-of-finite", f(x), lt(x, x), tier="exact", when=finite(x), grows=False)
        for f in (isinf, isnan)
    ),
]
