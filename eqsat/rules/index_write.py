"""Parts of a tensor that was written to: what was written, what was there before, or a smaller write."""

from typing import Any

from eqsat.graph.ops.elemwise import add, fill
from eqsat.graph.ops.index import part_op, put_op
from eqsat.graph.ops.join import join_op
from eqsat.rules.condition import ALL_AXES
from eqsat.rules.facts import computed, covers, zero
from eqsat.rules.index import known_bounds
from eqsat.rules.pattern import Meta, anything, call, lengths, numbers, ones, parameters, places
from eqsat.rules.rule import rule

a, b, c = anything("a b c")
x, y, z, v = numbers("x y z v")
i, j, k, m = places("i j k m")
p, q, w = parameters("p q w")
BOUNDS = [("", ()), ("-at", (i,)), ("-at-two", (i, j)), ("-at-three", (i, j, k)), ("-at-four", (i, j, k, m))]
"""Name in rules of a part with so many bounds that come at run time."""

WRITES = (("set", "write", a, b, 0, fill), ("added-to", "add-to", x, y, 1, add))
"""A write sets elements or adds to them: how rules call it, its operands, the parameter, and what is left in its place."""


def beside(values: tuple[Meta, Meta], places: tuple[Any, Any]) -> Any:
    """Two writes into a as one of what both write."""
    axis = call("axis_of_writes", *places)
    both = call("part_of_writes", *places, axis, lengths(a), *map(ones, values))
    return put_op(a, join_op(*values, axis=axis), pattern=both, add=w)


RULES = [
    *(
        rule(
            f"part{at}-that-was-{word}",
            part_op(put_op(v, b, *index, pattern=p, add=adds), *index, pattern=p),
            left(part_op(v, *index, pattern=p), b),
            tier="exact",
        )
        for word, _, v, b, adds, left in WRITES
        for at, index in BOUNDS
    ),
    *(
        rule(
            f"{word}{at}",
            put_op(put_op(base, first, *index, pattern=p, add=before), then, *index, pattern=p, add=adds),
            put_op(base, both, *index, pattern=p, add=0),
            tier="exact",
        )
        for word, base, first, then, before, adds, both in (
            ("write-over-write", a, b, c, w, 0, c),
            ("add-over-write", v, x, y, 0, 1, x + y),
        )
        for at, index in BOUNDS[:3]
    ),
    *known_bounds("write", lambda *bounds, pattern: put_op(a, b, *bounds, pattern=pattern, add=w), tags=()),
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
    *(
        rule(
            f"{word}-all",
            put_op(v, b, pattern=p, add=adds),
            left(v, b),
            tier="exact",
            when=computed(call("whole", p, lengths(v))),
        )
        for _, word, v, b, adds, left in WRITES
    ),
    *(
        rule(
            f"writes-beside-{side}",
            put_op(put_op(a, b, pattern=q, add=w), c, pattern=p, add=w),
            beside(values, places),
            tier="exact",
        )
        for side, values, places in (("following", (c, b), (p, q)), ("preceding", (b, c), (q, p)))
    ),
    rule(
        "add-of-written-zeros",
        add(v, put_op(z, y, pattern=p, add=w)),
        put_op(v, y, pattern=p, add=1),
        tier="extends",
        when=zero(z) & covers(z, ALL_AXES) & covers(v, ALL_AXES),
    ),
]
