"""Parts of joined tensors are parts of the pieces; adjacent parts of one tensor joined are one part."""

from functools import reduce
from operator import and_

from eqsat.graph.declare import OPS
from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.join import join_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.rules.facts import as_long, computed
from eqsat.rules.pattern import anything, axis_before, call, lengths, metas_of, parameters, places
from eqsat.rules.rule import rule

a, b = anything("a b")
i, j, v, w = places("i j v w")
p, q, k = parameters("p q k")
START, END, BOTH = 1, 2, 3  # which bounds of a slice come at run time
MANY = [n for n in OPS["concatenate"].forms if n > 2]
"""Numbers of pieces of joins that are looked at piece by piece."""


def piece(name: str, x: object) -> object:
    """A part of one of two pieces, a or b."""
    return part_op(x, pattern=call(name, p, k, lengths(a), lengths(b)))


def by_first(n: int) -> tuple[object, object]:
    """A join of n pieces, and of the first with all others."""
    first, *rest = anything(" ".join(f"a{m}" for m in range(n)))
    return join_op(first, *rest, axis=k), join_op(first, join_op(*rest, axis=k), axis=k)


def along(axis: object) -> object:
    """Two pieces joined along an axis."""
    return join_op(a, b, axis=axis)


joined = part_op(along(k), pattern=p)
moved_a, moved_b = (dimshuffle_op(x, pattern=p) for x in (a, b))
axis = call("joined_axis", p, k)

PIECES = (("first", a), ("second", b))

RULES = [
    *(
        rule(f"join-of-{what}", left, right, tier="exact", tags=["filled"])
        for what, left, right in (
            ("one", join_op(a, axis=k), a),
            (
                "dimshuffle",
                join_op(moved_a, moved_b, axis=k),
                dimshuffle_op(along(axis_before(p, k)), pattern=p),
            ),
        )
    ),
    *(rule(f"part-in-{word}", joined, piece(f"part_in_{word}", x), tier="exact") for word, x in PIECES),
    *(
        rule(
            f"{back}part-of-join",
            joined,
            join_op(*(piece(f"{back}part_of_{word}".replace("-", "_"), x) for word, x in pieces), axis=axis),
            tier="exact",
        )
        for back, pieces in (("", PIECES), ("back-", PIECES[::-1]))
    ),
    rule(
        "join-of-parts",
        join_op(part_op(a, pattern=p), part_op(a, pattern=q), axis=k),
        part_op(a, pattern=call("part_of_both", p, q, k, lengths(a))),
        tier="exact",
    ),
    *(
        rule(name, *sides, tier="exact")
        for n in MANY
        for name, sides in (
            (f"join-of-{n}-by-first", by_first(n)),
            (f"join-with-join-of-{n}", by_first(n)[::-1]),
        )
    ),
    # bounds that come at run time, as gradients of joins have them: the length of the first piece, and more
    *(
        rule(
            f"part-of-join-{word}",
            part_op(join_op(a, b, axis=k), *bounds, pattern=p),
            right,
            tier="exact",
            when=reduce(
                and_, (w >= 0 for w in (v, w) if any(w in metas_of(n) for n in bounds)), as_long(i, a, k)
            ),
            grows=False,
        )
        for word, bounds, right in (
            ("up-to-second", (i,), part_op(a, pattern=call("without_bound", p, k, END))),
            ("from-second", (i,), part_op(b, pattern=call("without_bound", p, k, START))),
            (
                "into-second",
                (i + w,),
                join_op(
                    part_op(a, pattern=call("without_bound", p, k, END)), part_op(b, w, pattern=p), axis=axis
                ),
            ),
            ("from-within-second", (i + w,), part_op(b, w, pattern=call("bounded_at", p, k, START))),
            ("of-start-of-second", (i, i + w), part_op(b, w, pattern=call("without_start_at", p, k))),
            ("within-second", (i + v, i + w), part_op(b, v, w, pattern=call("bounded_at_two", p, k, BOTH))),
        )
    ),
    rule(
        "join-of-parts-at-a-bound",
        join_op(part_op(a, i, pattern=p), part_op(a, i, pattern=q), axis=k),
        a,
        tier="exact",
        when=computed(call("meets_at_bound", p, q, k)),
    ),
]
