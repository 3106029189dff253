"""Products of joined matrices: one product instead of two, and two products of one tensor by two weights at once."""

from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.join import join_op
from eqsat.graph.ops.linalg import dot_op
from eqsat.graph.ops.shape import length_op
from eqsat.graph.parts import FULL
from eqsat.rules.facts import shared_left, weights_in_order
from eqsat.rules.mirror import with_mirror
from eqsat.rules.pattern import Literal, numbers
from eqsat.rules.rule import rule

a, b, c, d, e = numbers("a b c d e")
BACKWARD = ["backward"]
OPTIONAL = ["backward", "optional"]  # measured: seldom faster, since parts of columns are read with strides
UP_TO, FROM = ("slice", None, "?", None), ("slice", "?", None, None)


def part(x: object, first: bool, n: object, axis: int) -> object:
    """The first n rows or columns of x, or those after them."""
    entry = UP_TO if first else FROM
    return part_op(x, n, pattern=Literal("part", (FULL, entry) if axis else (entry, FULL)))


def cut(x: object, axis: int, *pieces: object) -> list[object]:
    """A joined product in as many parts as pieces were joined."""
    made = []
    for piece in pieces[:-1]:
        n = length_op(piece, axis=axis)
        made.append(part(x, True, n, axis))
        x = part(x, False, n, axis)
    return [*made, x]


RULES = [
    *with_mirror(
        rule(
            "two-dots-by-column",
            [dot_op(a, b), dot_op(a, c)],
            cut(dot_op(a, join_op(b, c, axis=1)), 1, b, c),
            when=shared_left(a) & weights_in_order(b, c),
            grows=True,
            tags=OPTIONAL,
            cite="yang2021",
        ),
        "two-dots-by-row",
    ),
    *with_mirror(
        rule(
            "three-dots-by-column",
            [dot_op(a, b), dot_op(a, c), dot_op(a, d)],
            cut(dot_op(a, join_op(b, c, d, axis=1)), 1, b, c, d),
            when=shared_left(a) & weights_in_order(b, c) & weights_in_order(c, d),
            grows=True,
            tags=OPTIONAL,
            cite="yang2021",
        ),
        "three-dots-by-row",
    ),
]
