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

PIECES = (("first", a), ("second", b))

RULES = [
    rule("join-of-one", join_op(a, axis=k), a, tier="exact", tags=["filled"]),
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
