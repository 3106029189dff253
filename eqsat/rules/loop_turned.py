"""Loops: stacks that run backwards, as those that gradients read.

What a gradient computes again of the values of a loop is, row by row from the end, what the loop has computed: its stack,
turned. So whether it is stored or computed again is a choice by cost.
"""

from eqsat.graph.ops.dots import rows_dot, sum_dots
from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.join import join_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.rules.facts import computed
from eqsat.rules.loops import PUSH_OUT, i, k, old, stack, w, x, y
from eqsat.rules.pattern import NewValue, call, parameters, rank_of, under_time
from eqsat.rules.rule import rule

p, q = parameters("p q")
TURN = ["turned"]
turns = computed(call("turns_rows", p))


def turned(v: object) -> object:
    """The part p of v, which is v with its rows in the other order where ``turns`` holds."""
    return part_op(v, pattern=p)


RULES = [
    rule(
        "loop-stack-of-state",
        stack(old(i)),
        part_op(join_op(under_time(i), stack(NewValue(k)), axis=0), pattern=call("but_last", rank_of(i))),
        tier="exact",
        tags=PUSH_OUT,
    ),
    *(
        rule(name, of_turned, found, when=turns, tags=TURN)
        for name, of_turned, found in (
            ("turned-rows-dot", rows_dot(turned(x), w), turned(rows_dot(x, w))),
            ("turned-sum-dots", sum_dots(turned(x), turned(y)), sum_dots(x, y)),
        )
    ),
    rule(
        "turned-moved",
        dimshuffle_op(turned(x), pattern=q),
        part_op(dimshuffle_op(x, pattern=q), pattern=call("turned_after_move", p, q)),
        tier="exact",
        when=turns,
        tags=TURN,
    ),
]
