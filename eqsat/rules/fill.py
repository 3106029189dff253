"""Fillings: a value broadcast to the shape of a model, of which only the shape matters."""

from eqsat.graph.ops.elemwise import fill
from eqsat.rules.pattern import anything
from eqsat.rules.rule import rule

a, b, k = anything("a b k")


RULES = [
    rule("fill-same-shape", fill(a, b), b, tier="exact"),
    rule("fill-of-fill", fill(fill(a, b), k), fill(a, k), tier="exact"),
    rule("fill-value-fill", fill(a, fill(b, k)), fill(a, k), tier="exact"),
    # arithmetic on fillings that are known numbers; of others it would breed numbers before they are folded
    # what is narrower than the model is computed before it is broadcast
]
