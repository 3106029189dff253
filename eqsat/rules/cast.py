"""Conversions that change nothing, and pairs of them.

Integers wrap where floats saturate, so a pair is one conversion only if the first stays among integers or floats.
"""

from eqsat.graph.ops.cast import cast_op
from eqsat.rules.facts import integral, same_dtype, widens
from eqsat.rules.pattern import anything, parameters, reals
from eqsat.rules.rule import rule

a = anything("a")
x = reals("x")
s, t = parameters("s t")

twice, once = cast_op(cast_op(a, dtype=s), dtype=t), cast_op(a, dtype=t)

RULES = [
    rule("cast-same", cast_op(a, dtype=s), a, tier="exact", when=same_dtype(a, s)),
    rule("cast-cast-integers", twice, once, tier="exact", when=widens(a, s) & integral(s)),
    rule(
        "cast-cast-floats",
        cast_op(cast_op(x, dtype=s), dtype=t),
        cast_op(x, dtype=t),
        tier="exact",
        when=widens(x, s),
    ),
]
