"""Parts of a tensor that was written to: what was written, what was there before, or a smaller write."""

from eqsat.graph.ops.elemwise import add, fill
from eqsat.graph.ops.index import part_op, put_op
from eqsat.rules.facts import computed, covers, zero
from eqsat.rules.index import KNOWN
from eqsat.rules.pattern import ALL_AXES, anything, call, lengths, numbers, ones, parameters, places, value
from eqsat.rules.rule import rule

a, b = anything("a b")
x, y, z, v = numbers("x y z v")
i, j, k, m = places("i j k m")
p, q, w = parameters("p q w")
BOUNDS = [("", ()), ("-at", (i,)), ("-at-two", (i, j)), ("-at-three", (i, j, k)), ("-at-four", (i, j, k, m))]
"""What rules call a part with so many bounds that come at run time."""

RULES = [
    *(
        rule(
            f"part{at}-that-was-set",
            part_op(put_op(a, b, *index, pattern=p, add=0), *index, pattern=p),
            fill(part_op(a, *index, pattern=p), b),
            tier="exact",
        )
        for at, index in BOUNDS
    ),
    *(
        rule(
            f"part{at}-that-was-added-to",
            part_op(put_op(x, y, *index, pattern=p, add=1), *index, pattern=p),
            add(part_op(x, *index, pattern=p), y),
            tier="exact",
        )
        for at, index in BOUNDS
    ),
    *(
        rule(
            f"write-bound-{name}-known",
            put_op(a, b, *bounds, pattern=p, add=w),
            put_op(
                a,
                b,
                *bounds[:place],
                *bounds[place + 1 :],
                pattern=call(f"with_bound{end}", p, place, value(bounds[place]), lengths(a)),
                add=w,
            ),
            tier="exact",
        )
        for name, place, end, bounds in KNOWN
    ),
    rule(
        "part-beside-a-write",
        part_op(put_op(a, b, pattern=p, add=w), pattern=q),
        part_op(a, pattern=q),
        tier="exact",
        when=computed(call("apart", p, q, lengths(a))),
    ),
    rule(
        "part-around-a-write",
        part_op(put_op(a, b, pattern=p, add=w), pattern=q),
        put_op(
            part_op(a, pattern=q),
            part_op(b, pattern=call("value_of_write", p, q, lengths(a), ones(b))),
            pattern=call("place_of_write", p, q, lengths(a)),
            add=w,
        ),
        tier="exact",
        grows=True,
    ),
    rule(
        "write-all",
        put_op(a, b, pattern=p, add=0),
        fill(a, b),
        tier="exact",
        when=computed(call("whole", p, lengths(a))),
    ),
    rule(
        "add-to-all",
        put_op(x, y, pattern=p, add=1),
        add(x, y),
        tier="exact",
        when=computed(call("whole", p, lengths(x))),
    ),
    rule(
        "add-of-written-zeros",
        add(v, put_op(z, y, pattern=p, add=w)),
        put_op(v, y, pattern=p, add=1),
        tier="extends",
        when=zero(z) & covers(z, ALL_AXES) & covers(v, ALL_AXES),
    ),
]
