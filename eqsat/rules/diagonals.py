"""Diagonals of what is computed, products with diagonal and unit matrices."""

from __future__ import annotations

from typing import Any

from eqsat.graph.ops.diagonal import diagonal_op, set_diagonal_op
from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.linalg import dot_op
from eqsat.graph.ops.reduce import sum_op
from eqsat.graph.ops.shape import dimshuffle_op, length_op
from eqsat.graph.parts import FULL
from eqsat.rules.facts import (
    closes,
    covers,
    identity,
    invariant,
    one_element,
    rank,
    swaps,
    unmatched,
    varies,
    zero,
)
from eqsat.rules.mirror import with_mirror
from eqsat.rules.pattern import Literal, anything, call, moved, numbers, parameters, places, transposed
from eqsat.rules.rule import rule

x, y, z, i = numbers("x y z i")
a, d = anything("a d")
k, m = places("k m")
p, q = parameters("p q")
MAIN = (0, 0, 1)
BACKWARD = ["backward"]
SQUARE = closes(z, z) & covers(z, (0, 1))


def diagonal_of(v: Any) -> Any:
    """The main diagonal of a matrix."""
    return diagonal_op(v, pattern=MAIN)


def diagonal_matrix(zeros: Any, v: Any) -> Any:
    """A matrix of zeros with a vector on its diagonal."""
    return set_diagonal_op(zeros, v, pattern=MAIN, add=0)


def up_to(v: Any, other: Any, axis: int) -> Any:
    """The rows or columns of a factor that meet the diagonal of a product."""
    entries = [FULL, FULL]
    entries[axis] = ("slice", None, "?", None)
    return part_op(v, length_op(other, axis=1 - axis), pattern=Literal("part", tuple(entries)))


PARTS_OF_UNIT = [
    (
        f"{word}-of-unit{at}",
        left,
        part_op(x, *bounds, pattern=call(f"{way}{end}", p)),
        rank(x, 2),
        None,
    )
    for at, end, bounds in (("", "", ()), ("-at", "_at", (k,)), ("-between", "_at_two", (k, m)))
    for part in (part_op(i, *bounds, pattern=p),)
    for word, way, left in (
        ("dot-part", "columns_of_unit", dot_op(x, part)),
        ("part-dot", "rows_of_unit", dot_op(part, x)),
    )
]
RULES = [
    # of products, transposes and elementwise work
    *(
        rule(
            f"diagonal-of-{word}dot",
            diagonal_of(dot_op(x, y)),
            moved(sum_op(left * transposed(right), axes=(1,)), "of column"),
            when=known,
            grows=False,
            tags=BACKWARD,
            cite="higham2002",
        )
        for word, left, right, known in (
            ("", x, y, closes(x, y) & covers(x, (1,))),
            # as many rows as there are columns, and the other way round: a part takes no more than there are
            ("any-", up_to(x, y, 0), up_to(y, x, 1), unmatched(x, y)),
        )
    ),
    *(
        rule(f"diagonal-of-{name}", left, right, tier="exact", when=known)
        for name, left, right, known in (
            ("transpose", diagonal_of(dimshuffle_op(a, pattern=p)), diagonal_of(a), swaps(p)),
            (
                "set-diagonal",
                diagonal_op(set_diagonal_op(a, d, pattern=q, add=0), pattern=q),
                d,
                rank(a, 2) & covers(d, (0,)),
            ),
        )
    ),
    # diagonal matrices
    *with_mirror(
        rule(
            "diagonal-matrix-dot",
            dot_op(diagonal_matrix(z, y), x),
            moved(y, "column") * x,
            tier="extends",
            when=zero(z) & closes(z, z),
            grows=False,
        ),
        "dot-diagonal-matrix",
    ),
    rule(
        "transpose-of-diagonal-matrix",
        dimshuffle_op(diagonal_matrix(a, d), pattern=p),
        diagonal_matrix(a, d),
        tier="exact",
        when=swaps(p) & zero(a) & closes(a, a),
    ),
    *(
        rule(
            f"{word}-diagonal-matrix",
            x * diagonal_matrix(z, y),
            diagonal_matrix(z, met * y),
            tier="extends",
            when=rank(z, 2) & zero(z) & fits,
            grows=grows,
        )
        for word, met, fits, grows in (
            ("mul", diagonal_of(x), covers(x, (0, 1)) & covers(z, (0, 1)), None),
            ("row-mul", moved(x, "of row"), covers(x, (1,)) & invariant(x, (0,)) & SQUARE, False),
            ("column-mul", moved(x, "of column"), covers(x, (0,)) & invariant(x, (1,)) & SQUARE, False),
            ("scaled", moved(moved(x, "number of matrix"), "unit"), one_element(x) & varies(x), False),
        )
    ),
    # unit matrices
    *with_mirror(rule("unit-dot", dot_op(i, x), x, tier="extends", when=identity(i)), "dot-unit"),
    *(
        rule(name, left, right, tier="extends", when=identity(i) & known, grows=grows)
        for name, left, right, known, grows in (
            *PARTS_OF_UNIT,
            (
                "mul-unit",
                sum_op(x * i, axes=(0, 1)),
                moved(moved(sum_op(diagonal_of(x), axes=(0,)), "number"), "cell"),
                covers(x, (0, 1)) & covers(i, (0, 1)),
                False,
            ),
        )
    ),
]
