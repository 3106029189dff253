"""Parts of tensors: everything, parts of parts, bounds that come at run time."""

from collections.abc import Iterator
from typing import Any

from eqsat.graph.ops.elemwise import minimum
from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.join import join_op
from eqsat.graph.ops.shape import dimshuffle_op, length_op
from eqsat.graph.part_calls import ENDS
from eqsat.rules.facts import computed
from eqsat.rules.pattern import anything, call, lengths, parameters, places, value
from eqsat.rules.rule import Rule, rule

a, b, c = anything("a b c")
i, j, k1, k2 = places("i j k1 k2")
p, q, k, at = parameters("p q k at")

# filled: also of tensors filled with a number, whose parts would breed else
# replaces: the left side need not be looked at again, so that a part is pushed down once and not at each of its spellings
BOUNDS = (i, j, k1, k2)
WORDS = ("none", "one", "two", "three", "four")


def known_bounds(name: str, of: Any, tags: tuple[str, ...] = ("filled",)) -> Iterator[Rule]:
    """A bound of a part that comes at run time stands in the pattern once it is a number."""
    for count in range(1, 1 + len(BOUNDS)):
        for place in range(count):
            bounds = BOUNDS[:count]
            known = call(f"with_bound{ENDS[count - 1]}", p, place, value(bounds[place]), lengths(a))
            yield rule(
                f"{name}-bound-{place + 1}-of-{count}-known",
                of(*bounds, pattern=p),
                of(*bounds[:place], *bounds[place + 1 :], pattern=known),
                tier="exact",
                tags=tags,
            )


upto = part_op(a, i, pattern=p)
RULES = [
    *(
        rule(name, part_op(a, pattern=p), right, tier="exact", tags=["filled", *tags], when=when)
        for name, right, tags, when in (
            ("whole-part", a, ["replaces"], computed(call("whole", p, lengths(a)))),
            ("part-of-axes-of-one", dimshuffle_op(a, pattern=call("squeezed", p, lengths(a))), [], None),
        )
    ),
    *(
        rule(
            f"part{after}-of-part{at}",
            part_op(part_op(a, *inner, pattern=p), *outer, pattern=q),
            part_op(
                a,
                *inner,
                *outer,
                pattern=call(f"part_of_part{ENDS[len((*inner, *outer))]}", p, q, lengths(a)),
            ),
            tier="exact",
            tags=["filled", "replaces"],
        )
        for at, inner, after, outer in (("", (), "", ()), ("", (), "-at", (i,)), ("-at", (i,), "", ()))
    ),
    *known_bounds("part", lambda *bounds, pattern: part_op(a, *bounds, pattern=pattern)),
    # of several bounds that come at run time, one is read first; what came of it is one part again
    *(
        rule(
            f"part-at-{WORDS[count]}-by-{WORDS[first]}",
            part_op(a, *BOUNDS[:count], pattern=p),
            part_op(
                part_op(a, *BOUNDS[:first], pattern=call(f"{takes}{ENDS[first]}", p)),
                *BOUNDS[first:count],
                pattern=call(f"other_places{ENDS[count - first]}", p),
            ),
            tier="exact",
            grows=False,
        )
        for first, takes in ((1, "first_place"), (2, "first_span"))
        for count in range(first + 1, 5)
    ),
    *(
        rule(
            f"part-at-{WORDS[len(bounds)]}-{word}",
            part_op(part_op(a, i, pattern=p), *BOUNDS[1 : len(bounds)], pattern=q),
            part_op(a, *bounds, pattern=call(f"{how}{ENDS[len(bounds)]}", p, q, lengths(a))),
            tier="exact",
            tags=["filled"],
        )
        for word, how, bounds in (
            ("at-once", "part_in_order", (i, j)),
            ("at-once", "part_in_order", (i, j, k1)),
            ("in-turn", "part_in_turn", (j, i)),
        )
    ),
    rule(  # is it the length of another tensor that is as long?
        "part-up-to-a-length",
        part_op(join_op(a, c, axis=k), length_op(b, axis=at), pattern=p),
        part_op(
            join_op(a, c, axis=k),
            minimum(length_op(b, axis=at), length_op(join_op(a, c, axis=k), axis=call("axis_of_end", p))),
            pattern=p,
        ),
        tier="exact",
        grows=False,
    ),
    *(
        rule(f"part-{word}", part_op(whole, end, pattern=p), right, tier="exact", when=when)
        for word, whole, end, right, when in (
            ("to-the-end", a, length_op(a, axis=k), part_op(a, pattern=call("end_dropped", p, k)), None),
            ("up-to-one-end", upto, i, upto, (i >= 0) & computed(call("only_end", p))),
        )
    ),
]
