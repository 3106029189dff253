"""Larger and smaller of two, and the ramp maximum(x, 0) in its spellings."""

from eqsat.graph.ops.elemwise import abs, clip, maximum, minimum, neg
from eqsat.rules.pattern import anything, reals
from eqsat.rules.rule import rule

x, y, z = reals("x y z")
a, b, c = anything("a b c")

RULES = [
    rule(name, left, right, tier=tier)
    for name, left, right, tier in (
        ("max-of-negative", maximum(x, neg(x)), abs(x), "extends"),
        ("min-of-negative", minimum(x, neg(x)), neg(abs(x)), "extends"),
        ("neg-of-max-with-negative", neg(maximum(x, neg(y))), minimum(neg(x), y), "extends"),
        ("neg-of-min-with-negative", neg(minimum(x, neg(y))), maximum(neg(x), y), "extends"),
        ("max-beside-sum", maximum(x, x + y), x + maximum(y, 0), "extends"),
        ("min-beside-sum", minimum(x, x + y), x + minimum(y, 0), "extends"),
        ("max-beside-difference", maximum(x, x - y), x - minimum(y, 0), "extends"),
        ("min-beside-difference", minimum(x, x - y), x - maximum(y, 0), "extends"),
        ("max-minus-min", maximum(x, y) - minimum(x, y), abs(x - y), "extends"),
        ("min-of-max", minimum(maximum(a, b), c), clip(a, b, c), "exact"),
        ("ramp-from-abs", (x + abs(x)) * 0.5, maximum(x, 0), "extends"),
    )
]
