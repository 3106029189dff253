"""Comparisons: one direction each, and those that are known."""

from eqsat.graph.ops.elemwise import eq, fill, ge, gt, invert, le, lt, neg, neq
from eqsat.rules.facts import finite
from eqsat.rules.pattern import anything, bools, integers, reals
from eqsat.rules.rule import rule

x, y, z = reals("x y z")
a, b, c = anything("a b c")
p, q = bools("p q")
i = integers("i")

RULES = [
    rule("gt-lt", gt(a, b), lt(b, a), tier="exact"),
    rule("lt-gt", lt(a, b), gt(b, a), tier="exact"),
    rule("ge-le", ge(a, b), le(b, a), tier="exact"),
    rule("le-ge", le(a, b), ge(b, a), tier="exact"),
    rule("lt-self", lt(a, a), fill(a, 0), tier="exact"),
    rule("neq-self", neq(a, a), fill(a, 0), tier="exact", when=finite(a)),
    rule("eq-self", eq(a, a), fill(a, 1), tier="exact", when=finite(a)),
    rule("le-self", le(a, a), fill(a, 1), tier="exact", when=finite(a)),
    rule("not-eq", invert(eq(a, b)), neq(a, b), tier="exact"),
    rule("not-neq", invert(neq(a, b)), eq(a, b), tier="exact"),
    rule("not-lt", invert(lt(a, b)), le(b, a), tier="exact", when=finite(a) & finite(b)),
    rule("not-le", invert(le(a, b)), lt(b, a), tier="exact", when=finite(a) & finite(b)),
    rule("neg-lt-neg", lt(neg(x), neg(y)), lt(y, x), tier="exact"),
    rule("difference-positive", lt(0, x - y), lt(y, x), tier="loose"),
]
