"""Operands of associative ops in any order and bracketing, compared as multisets."""

from eqsat.graph.ops.elemwise import maximum, minimum
from eqsat.rules.pattern import reals
from eqsat.rules.rule import rule

x, y, z = reals("x y z")

RULES = [
    rule("reassociate", (x + y) + z, x + (y + z), tier="loose", tags=["fast"], multiset=True),
    rule("reassociate-mul", (x * y) * z, x * (y * z), tier="loose", tags=["fast"], multiset=True),
    rule(
        "reassociate-maximum",
        maximum(maximum(x, y), z),
        maximum(x, maximum(y, z)),
        tier="extends",
        multiset=True,
    ),
    rule(
        "reassociate-minimum",
        minimum(minimum(x, y), z),
        minimum(x, minimum(y, z)),
        tier="extends",
        multiset=True,
    ),
]
