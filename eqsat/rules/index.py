"""Parts of tensors: everything, parts of parts, bounds that come at run time."""

from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.shape import length_op
from eqsat.rules.facts import computed
from eqsat.rules.pattern import anything, call, lengths, parameters, places, value
from eqsat.rules.rule import rule

a = anything("a")
i, j, k1, k2 = places("i j k1 k2")
p, q, k = parameters("p q k")

# filled: also of tensors filled with a number, whose parts would breed else
# replaces: the left side need not be looked at again, so that a part is pushed down once and not at each of its spellings
LATER = [("two", "_at", (j,)), ("three", "_at_two", (j, k1)), ("four", "_at_three", (j, k1, k2))]
"""How many bounds come at run time, how calls on all but the first are named, and these bounds."""
KNOWN = [
    (f"{place + 1}-of-{count}", place, end, (i, j, k1, k2)[:count])
    for count, end in enumerate(("", "_at", "_at_two", "_at_three"), 1)
    for place in range(count)
]
"""Which of some bounds that come at run time is a number, how calls on the others are named, and all these bounds."""


RULES = [
    rule(
        "whole-part",
        part_op(a, pattern=p),
        a,
        tier="exact",
        tags=["filled", "replaces"],
        when=computed(call("whole", p, lengths(a))),
    ),
    rule(
        "part-of-part",
        part_op(part_op(a, pattern=p), pattern=q),
        part_op(a, pattern=call("part_of_part", p, q, lengths(a))),
        tier="exact",
        tags=["filled", "replaces"],
    ),
    rule(
        "part-at-of-part",
        part_op(part_op(a, pattern=p), i, pattern=q),
        part_op(a, i, pattern=call("part_of_part_at", p, q, lengths(a))),
        tier="exact",
        tags=["filled", "replaces"],
    ),
    rule(
        "part-of-part-at",
        part_op(part_op(a, i, pattern=p), pattern=q),
        part_op(a, i, pattern=call("part_of_part_at", p, q, lengths(a))),
        tier="exact",
        tags=["filled", "replaces"],
    ),
    # a bound that has become a number stands in the pattern
    *(
        rule(
            f"part-bound-{name}-known",
            part_op(a, *bounds, pattern=p),
            part_op(
                a,
                *bounds[:place],
                *bounds[place + 1 :],
                pattern=call(f"with_bound{end}", p, place, value(bounds[place]), lengths(a)),
            ),
            tier="exact",
            tags=["filled"],
        )
        for name, place, end, bounds in KNOWN
    ),
    # of several bounds that come at run time, one is read first; what came of it is one part again
    *(
        rule(
            f"part-at-{count}-by-one",
            part_op(a, i, *others, pattern=p),
            part_op(
                part_op(a, i, pattern=call("first_place_at", p)),
                *others,
                pattern=call(f"other_places{end}", p),
            ),
            tier="exact",
            grows=False,
        )
        for count, end, others in LATER
    ),
    *(
        rule(
            f"part-at-{count}-by-two",
            part_op(a, i, j, *others, pattern=p),
            part_op(
                part_op(a, i, j, pattern=call("first_span_at_two", p)),
                *others,
                pattern=call(f"other_places{end}", p),
            ),
            tier="exact",
            grows=False,
        )
        for count, end, others in (("three", "_at", (k1,)), ("four", "_at_two", (k1, k2)))
    ),
    *(
        rule(
            f"part-at-{count}-at-once",
            part_op(part_op(a, i, pattern=p), *others, pattern=q),
            part_op(a, i, *others, pattern=call(f"part_in_order_at_{count}", p, q, lengths(a))),
            tier="exact",
            tags=["filled"],
        )
        for count, _, others in LATER[:2]
    ),
    rule(
        "part-at-two-in-turn",
        part_op(part_op(a, i, pattern=p), j, pattern=q),
        part_op(a, j, i, pattern=call("part_in_turn_at_two", p, q, lengths(a))),
        tier="exact",
        tags=["filled"],
    ),
    rule(
        "part-to-the-end",
        part_op(a, length_op(a, axis=k), pattern=p),
        part_op(a, pattern=call("end_dropped", p, k)),
        tier="exact",
    ),
]
