"""Values repeated to a shape: products of which only the shape is left, and the lengths of what is repeated."""

from eqsat.graph.ops.create import alloc_op
from eqsat.graph.ops.elemwise import fill
from eqsat.graph.ops.shape import length_op
from eqsat.rules.facts import alike, repeated, uniform
from eqsat.rules.pattern import ALL_AXES, anything, numbers, places, reals, value
from eqsat.rules.rule import rule

x, y = numbers("x y")
a, z = anything("a z")
c = reals("c")
n, m, k = places("n m k")

rows_and_columns = length_op(x, axis=0), length_op(y, axis=1)
LENGTHS = (n, m, k)
COUNTS = range(1, 1 + len(LENGTHS))

RULES = [
    *(
        rule(
            f"{count}-fold-filling",
            alloc_op(z, *LENGTHS[:count]),
            fill(alloc_op(z, *LENGTHS[:count]), z),
            tier="exact",
            when=repeated(z, ALL_AXES),  # of what is not repeated, the lengths are still to be checked
            tags=["filled"],
        )
        for count in COUNTS
    ),
    *(
        rule(
            f"fill-of-{count}-fold",
            fill(alloc_op(y, *LENGTHS[:count]), z),
            alloc_op(z, *LENGTHS[:count]),
            tier="exact",
            when=alike(y, z, ALL_AXES),
            tags=["filled"],
        )
        for count in COUNTS
    ),
    *(
        rule(
            f"{count}-fold-number",
            alloc_op(c, *LENGTHS[:count]),
            alloc_op(value(c).at(count), *LENGTHS[:count]),
            tier="extends",
            when=uniform(c),
            tags=["filled"],
        )
        for count in COUNTS
    ),
    *(
        rule(
            f"length-{axis}-of-{rank}-repeated",
            length_op(alloc_op(a, *LENGTHS[:rank]), axis=axis),
            LENGTHS[axis],
            tier="exact",
        )
        for rank in COUNTS
        for axis in range(rank)
    ),
]
