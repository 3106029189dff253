"""Larger and smaller of two, and the ramp maximum(x, 0) in its spellings."""

from eqsat.graph.ops.elemwise import abs, clip, maximum, minimum, neg
from eqsat.rules.facts import at_least
from eqsat.rules.pattern import anything, reals
from eqsat.rules.rule import rule

x, y, z = reals("x y z")
a, b, c = anything("a b c")

RULES = [
    rule("max-self", maximum(a, a), a, tier="exact", cite="definition"),
    rule("min-self", minimum(a, a), a, tier="exact", cite="definition"),
    rule("max-absorb", maximum(maximum(a, b), b), maximum(a, b), tier="extends", cite="definition"),
    rule("min-absorb", minimum(minimum(a, b), b), minimum(a, b), tier="extends", cite="definition"),
    rule("max-known", maximum(a, b), a, tier="extends", when=at_least(a, b), cite="definition"),
    rule("min-known", minimum(a, b), b, tier="extends", when=at_least(a, b), cite="definition"),
    rule("max-of-negative", maximum(x, neg(x)), abs(x), tier="extends", cite="definition"),
    rule("max-plus-min", maximum(x, y) + minimum(x, y), x + y, tier="extends", cite="definition"),
    rule("max-minus-min", maximum(x, y) - minimum(x, y), abs(x - y), tier="extends", cite="definition"),
    rule("min-of-max", minimum(maximum(a, b), c), clip(a, b, c), tier="exact", cite="definition"),
    rule("ramp-from-abs", (x + abs(x)) * 0.5, maximum(x, 0), tier="extends", cite="definition"),
    rule("ramp-minus-self", maximum(x, 0) - x, maximum(neg(x), 0), tier="extends", cite="definition"),
]
