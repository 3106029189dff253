"""The last of sorted elements is the largest, which is found without sorting; a NaN is both."""

from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.reduce import max_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.graph.ops.sort import sort_op
from eqsat.rules.facts import computed
from eqsat.rules.pattern import call, numbers, parameters
from eqsat.rules.rule import rule

x = numbers("x")
p, axis = parameters("p axis")
largest = max_op(part_op(x, pattern=call("part_up_to", p, axis)), axes=call("axes_up_to", p, axis))

RULES = [
    rule(
        "last-of-sort",
        part_op(sort_op(x, axis=axis), pattern=p),
        dimshuffle_op(largest, pattern=call("move_up_to", p, axis)),
        tier="extends",
        when=computed(call("takes_last", p, axis)),
    )
]
