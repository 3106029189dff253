"""Lengths of parts, joins, written tensors and elementwise results are lengths of their operands, which need not be computed for it."""

from typing import Any

from eqsat.graph.ops.cast import cast_op
from eqsat.graph.ops.create import arange_op
from eqsat.graph.ops.elemwise import maximum
from eqsat.graph.ops.gather import gather_op
from eqsat.graph.ops.index import part_op, put_op
from eqsat.graph.ops.join import join_op
from eqsat.graph.ops.mask import nonzero_op
from eqsat.graph.ops.reduce import sum_op
from eqsat.graph.ops.reshape import reshape_op
from eqsat.graph.ops.shape import dimshuffle_op, length_op, make_vector_op
from eqsat.rules.facts import computed, covers, rank
from eqsat.rules.pattern import (
    Literal,
    anything,
    axis_before,
    bools,
    call,
    indices,
    parameters,
    places,
    reals,
)
from eqsat.rules.rule import rule

a, b = anything("a b")
i, m = places("i m")
r, c = indices("r c")
p, q, k, j, w = parameters("p q k j w")
d = bools("d")
x = reals("x")
counts = places("n0 n1 n2 n3")


def along(v: Any) -> Any:
    """The length along the axis k."""
    return length_op(v, axis=k)


def counted(ndim: int) -> Any:
    """The number of elements of a mask that hold."""
    whole = sum_op(cast_op(d, dtype=Literal("dtype", "int64")), axes=tuple(range(ndim)))
    return dimshuffle_op(whole, pattern=Literal("move", (), ndim))


def shaped(ndim: int, axis: int, n: Any) -> Any:
    """A tensor in a written shape with the length n along an axis; n is not -1, which stands for what is left over."""
    return reshape_op(a, make_vector_op(*counts[:axis], n, *counts[axis + 1 : ndim]), ndim=ndim)


BESIDE = call("axis_beside_join", j, k)
SOURCES = [  # what rules call a value, the value, and the axis of a along which it has the length that it has along k
    ("of-dimshuffle", dimshuffle_op(a, pattern=p), axis_before(p, k)),
    ("of-part", part_op(a, pattern=p), call("axis_before_part", p, k)),
    ("of-part-at", part_op(a, i, pattern=p), call("axis_before_part", p, k)),
    ("of-write", put_op(a, b, pattern=p, add=w), k),
    ("of-write-at", put_op(a, b, i, pattern=p, add=w), k),
    ("beside-join", join_op(a, b, axis=j), BESIDE),
]

RULES = [
    *(
        rule(f"length-{name}", length_op(moved, axis=k), length_op(a, axis=axis), tier="exact")
        for name, moved, axis in SOURCES
    ),
    *(
        rule(f"length{name}", left, right, tier="exact", when=when, grows=False)
        for name, left, right, when in (
            ("-of-join", along(join_op(a, b, axis=k)), along(a) + along(b), None),
            ("-of-range", length_op(arange_op(i, m, 1), axis=0), maximum(m - i, 0), None),
            *(
                (f"-of-shape{size}-axis-{axis}{end}", length_op(shaped(size, axis, n), axis=axis), n, when)
                for end, n, when in (("", i, i >= 0), ("-product", i * m, (i >= 0) & (m >= 0)))
                for size in (1, 2, 3, 4)
                for axis in range(size)
            ),
            *(
                (f"-of-picks-{rank_of_a}", length_op(picked, axis=0), length_op(r, axis=0), rank(r, 1))
                for rank_of_a in (1, 2, 3)
                for picked in (gather_op(a, r, pattern=(0, -1, -1)[:rank_of_a]),)
            ),
            *(
                (
                    f"-of-selected-{ndim}{end}",
                    length_op(nonzero_op(d, *given), axis=1),
                    counted(ndim),
                    rank(d, ndim),
                )
                for ndim in (1, 2)
                for end, given in (("", ()), ("-checked", (i, m)[:ndim]))
            ),
            (
                "-of-pairs",
                length_op(gather_op(a, r, c, pattern=(0, 1)), axis=0),
                length_op(r, axis=0),
                rank(r, 1) & covers(r, (0,)) & rank(c, 1),
            ),
            (
                "s-of-parts-at-a-bound",
                along(part_op(a, i, pattern=p)) + along(part_op(a, i, pattern=q)),
                along(a),
                computed(call("meets_at_bound", p, q, k)),
            ),
        )
    ),
]
