"""Values that are cheap once another one is there: of two that a graph holds, one is computed from the other."""

from eqsat.graph.ops.elemwise import exp, neg, reciprocal, sqr
from eqsat.rules.pattern import reals
from eqsat.rules.rule import rule

x = reals("x")

RULES = [
    rule("exp-of-neg-beside-exp", [exp(x), exp(neg(x))], [exp(x), reciprocal(exp(x))], grows=True),
    rule("exp-of-double-beside-exp", [exp(x), exp(x * 2)], [exp(x), sqr(exp(x))], grows=True),
]
