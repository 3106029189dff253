"""Fillings: a value broadcast to the shape of a model, of which only the shape matters."""

from eqsat.graph.ops.elemwise import fill
from eqsat.rules.pattern import anything
from eqsat.rules.rule import rule

a, b, k = anything("a b k")


RULES = [
    rule("fill-same-shape", fill(a, b), b, tier="exact"),
    *(
        rule(name, of, fill(a, k), tier="exact")
        for name, of in (("fill-of-fill", fill(fill(a, b), k)), ("fill-value-fill", fill(a, fill(b, k))))
    ),
]
