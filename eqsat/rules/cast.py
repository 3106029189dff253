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

RULES = [
    rule("cast-same", cast_op(a, dtype=s), a, tier="exact", when=same_dtype(a, s)),
    *(
        rule(
            f"cast-cast-{word}",
            cast_op(cast_op(v, dtype=s), dtype=t),
            cast_op(v, dtype=t),
            tier="exact",
            when=when,
        )
        for word, v, when in (("integers", a, widens(a, s) & integral(s)), ("floats", x, widens(x, s)))
    ),
]
