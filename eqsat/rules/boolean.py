"""Bits and truth values, comparisons joined, and comparisons of what was converted."""

from eqsat.graph.ops.cast import cast_op
from eqsat.graph.ops.elemwise import invert, maximum, minimum, xor
from eqsat.rules.facts import differ, one_dtype, widens
from eqsat.rules.pattern import anything, bools, parameters
from eqsat.rules.rule import rule

a, b, c = anything("a b c")
p, q, r = bools("p q r")
d = parameters("d")

RULES = [
    rule("not-of-xor-not", xor(invert(a), invert(b)), xor(a, b), tier="exact"),
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
