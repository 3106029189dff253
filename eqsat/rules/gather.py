"""Rows and elements picked by an index array: before or after products and other picks; one-hot matrices."""

from __future__ import annotations

from typing import Any

from eqsat.graph.ops.create import arange_op
from eqsat.graph.ops.elemwise import fill
from eqsat.graph.ops.gather import gather_op, scatter_op
from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.linalg import dot_op
from eqsat.graph.ops.reduce import count_op, sum_op
from eqsat.graph.ops.shape import dimshuffle_op, length_op
from eqsat.rules.facts import as_long, covers, differ, filled_with_one, identity, moves_as, rank, swaps, zero
from eqsat.rules.mirror import with_mirror
from eqsat.rules.pattern import anything, call, indices, moved, numbers, parameters, picked, places
from eqsat.rules.rule import rule

w, n = numbers("w n")
a = anything("a")
i, j = indices("i j")
k, first, by = places("k first by")
g, p, s = parameters("g p s")
ROWS, COLUMNS = (0, -1), (-1, 0)
EACH_ROW = zero(first) & filled_with_one(by) & as_long(k, n, 0)
PICK = ["pick"]  # not out of what is read as a whole, see egraph/encode_parts.py

PAIRS = rank(i, 1) & rank(j, 1) & covers(i, (0,)) & covers(j, (0,))


def pick(v: Any, where: Any = i, pattern: Any = g) -> Any:
    """The elements that an index array picks from v."""
    return gather_op(v, where, pattern=pattern)


def place(name: str) -> Any:
    """A part of what is picked, as one of what it is picked from."""
    return call(name, p, picked(g))


def index_part(v: Any, name: str, end: str, index: tuple[Any, ...]) -> Any:
    """The part of a vector of indices."""
    return part_op(v, *index, pattern=place(name + end))


RULES = [
    rule(
        "pick-of-pick",
        pick(pick(a), where=j),
        pick(a, where=gather_op(i, j, pattern=(0,))),
        tier="exact",
        when=differ(pick(a), a),  # what picks every element would be picked again and again
        grows=False,
    ),
    # one element of what is picked is where one index says, some rows are picked by some of the indices
    *(
        r
        for at, end, index in (("", "", ()), ("-at", "_at", (k,)))
        for r in (
            *(
                rule(
                    f"part{at}-of-{word}",
                    part_op(gather_op(a, *arrays, pattern=g), *index, pattern=p),
                    part_op(
                        a, *(index_part(v, "part_of_index", end, index) for v in arrays), pattern=place(ends)
                    ),
                    tier="exact",
                    when=known,
                    grows=False,
                )
                for word, arrays, ends, known in (
                    ("pick", (i,), "part_at_index_at", rank(i, 1)),
                    ("picked-pairs", (i, j), "part_at_index_at_two", PAIRS),
                )
            ),
            rule(
                f"rows{at}-of-pick",
                part_op(pick(a), *index, pattern=p),
                pick(a, where=index_part(i, "rows_of_index", end, index)),
                tier="exact",
                when=rank(i, 1),
                grows=False,
            ),
        )
    ),
    *(
        rule(
            f"pick-{name}",
            pick(dimshuffle_op(a, pattern=p), pattern=at),
            dimshuffle_op(pick(a, pattern=before), pattern=p),
            tier="exact",
            when=move & rank(i, 1),
            tags=PICK,
        )
        for name, move, at, before in (
            ("rows-of-transpose", swaps(p), ROWS, COLUMNS),
            ("columns-of-transpose", swaps(p), COLUMNS, ROWS),
            ("of-of-column", moves_as(p, "of column") & rank(a, 2), (0,), ROWS),
            ("of-of-row", moves_as(p, "of row") & rank(a, 2), (0,), COLUMNS),
        )
    ),
    *(
        rule(
            f"every-index-along-{axis}-of-{rank_of_a}",
            pick(a, where=arange_op(first, k, by), pattern=tuple(-int(m != axis) for m in range(rank_of_a))),
            a,
            tier="exact",
            when=zero(first) & filled_with_one(by) & as_long(k, a, axis),
        )
        for rank_of_a in (1, 2, 3)
        for axis in range(rank_of_a)
    ),
    # one-hot matrices
    *with_mirror(
        rule(
            "one-hot-dot",
            dot_op(pick(n, pattern=ROWS), w),
            pick(w, pattern=ROWS),
            tier="extends",
            when=identity(n) & rank(i, 1),
        ),
        "dot-one-hot",
    ),
    *(  # sums of rows with one element, as gradients of picked logarithms have them
        rule(name, sum_op(rows, axes=(1,)), right, tier="extends", when=known, grows=False)
        for name, rows, right, known in (
            (
                "one-hot-weighted-sum",
                w * pick(n, pattern=ROWS),
                moved(gather_op(w, arange_op(0, length_op(w, axis=0), 1), i, pattern=(0, 1)), "column"),
                identity(n) & rank(i, 1) & covers(i, (0,)) & covers(w, (0, 1)),
            ),
            (
                "one-hot-sum",
                pick(n, pattern=ROWS),
                fill(moved(i, "column"), 1),
                identity(n) & rank(i, 1),
            ),
            (
                "sum-of-one-written",
                scatter_op(n, w, arange_op(first, k, by), i, pattern=(0, 1), add=1),
                fill(count_op(n, axes=(1,)), moved(w, "column")),
                zero(n) & rank(n, 2) & covers(n, (0,)) & rank(w, 1) & rank(i, 1) & EACH_ROW,
            ),
        )
    ),
]
