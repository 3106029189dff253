"""Lengths of parts, joins, written tensors and elementwise results are lengths of their operands, which need not be computed for it."""

from eqsat.graph.ops.index import part_op, put_op
from eqsat.graph.ops.join import join_op
from eqsat.graph.ops.shape import dimshuffle_op, length_op
from eqsat.rules.pattern import anything, axis_before, bools, call, parameters, places, reals
from eqsat.rules.rule import rule

a, b, c = anything("a b c")
i = places("i")
p, k, j, w, s = parameters("p k j w s")
d = bools("d")
x = reals("x")

BOUNDS = (("", ()), ("-at", (i,)))

RULES = [
    rule(
        "length-of-dimshuffle",
        length_op(dimshuffle_op(a, pattern=p), axis=k),
        length_op(a, axis=axis_before(p, k)),
        tier="exact",
    ),
    *(
        rule(
            f"length-of-part{at}",
            length_op(part_op(a, *index, pattern=p), axis=k),
            length_op(a, axis=call("axis_before_part", p, k)),
            tier="exact",
        )
        for at, index in BOUNDS
    ),
    *(
        rule(
            f"length-of-write{at}",
            length_op(put_op(a, b, *index, pattern=p, add=w), axis=k),
            length_op(a, axis=k),
            tier="exact",
        )
        for at, index in BOUNDS
    ),
    rule(
        "length-of-join",
        length_op(join_op(a, b, axis=k), axis=k),
        length_op(a, axis=k) + length_op(b, axis=k),
        tier="exact",
        grows=False,
    ),
    *(
        rule(
            f"length-beside-join{word}",
            length_op(join_op(*pieces, axis=j), axis=k),
            length_op(a, axis=call("axis_beside_join", j, k)),
            tier="exact",
        )
        for word, pieces in (("", (a, b)), ("-of-three", (a, b, c)))
    ),
]
