"""The ends of sorted elements are the extremes, which are found without sorting; a NaN is both."""

from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.reduce import argmin_op, max_op, min_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.graph.ops.sort import argsort_op, sort_op
from eqsat.rules.facts import computed
from eqsat.rules.pattern import call, numbers, parameters
from eqsat.rules.rule import rule

x = numbers("x")
p, axis = parameters("p axis")
taken = part_op(x, pattern=call("part_of_all", p, axis))

ENDS = [("last", sort_op, max_op), ("first", sort_op, min_op), ("first", argsort_op, argmin_op)]
RULES = [
    rule(name, left, right, tier="extends", when=known)
    for name, left, right, known in (
        ("sort-twice", sort_op(sort_op(x, axis=axis), axis=axis), sort_op(x, axis=axis), None),
        *(
            (
                f"{end}-of-{ordering.name}",
                part_op(ordering(x, axis=axis), pattern=p),
                dimshuffle_op(
                    extreme(taken, axes=call("axes_up_to", p, axis)), pattern=call("move_up_to", p, axis)
                ),
                computed(call(f"takes_{end}", p, axis)),
            )
            for end, ordering, extreme in ENDS
        ),
    )
]
