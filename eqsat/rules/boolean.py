"""Extremes of what was converted."""

from eqsat.graph.ops.cast import cast_op
from eqsat.graph.ops.elemwise import maximum, minimum
from eqsat.rules.facts import differ, one_dtype, widens
from eqsat.rules.pattern import anything, parameters
from eqsat.rules.rule import rule

a, b = anything("a b")
d = parameters("d")

RULES = [
    *(
        rule(
            f"{op.name}-of-widened",
            op(cast_op(a, dtype=d), cast_op(b, dtype=d)),
            cast_op(op(a, b), dtype=d),
            tier="exact",
            when=differ(a, b) & one_dtype(a, b) & widens(a, d),
        )
        for op in (maximum, minimum)
    ),
]
