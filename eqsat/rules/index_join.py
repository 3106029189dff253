"""Parts of joined tensors are parts of the pieces; adjacent parts of one tensor joined are one part."""

from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.join import join_op
from eqsat.rules.pattern import anything, call, lengths, parameters
from eqsat.rules.rule import rule

a, b, c = anything("a b c")
p, q, k = parameters("p q k")


def piece(name: str, x: object) -> object:
    """A part of one of two pieces, a or b."""
    return part_op(x, pattern=call(name, p, k, lengths(a), lengths(b)))


joined = part_op(join_op(a, b, axis=k), pattern=p)
axis = call("joined_axis", p, k)

RULES = [
    rule("join-of-one", join_op(a, axis=k), a, tier="exact", tags=["filled"]),
    rule("part-in-first", joined, piece("part_in_first", a), tier="exact"),
    rule("part-in-second", joined, piece("part_in_second", b), tier="exact"),
    rule(
        "part-of-join",
        joined,
        join_op(piece("part_of_first", a), piece("part_of_second", b), axis=axis),
        tier="exact",
    ),
    rule(
        "back-part-of-join",
        joined,
        join_op(piece("back_part_of_second", b), piece("back_part_of_first", a), axis=axis),
        tier="exact",
    ),
    rule(
        "part-of-join-of-three",
        part_op(join_op(a, b, c, axis=k), pattern=p),
        part_op(join_op(a, join_op(b, c, axis=k), axis=k), pattern=p),
        tier="exact",
    ),
    rule(
        "join-of-parts",
        join_op(part_op(a, pattern=p), part_op(a, pattern=q), axis=k),
        part_op(a, pattern=call("part_of_both", p, q, k, lengths(a))),
        tier="exact",
    ),
]
