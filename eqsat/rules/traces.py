"""Traces and bilinear forms: the order of factors that is cheapest, products that are sums."""

from __future__ import annotations

from typing import Any

from eqsat.graph.ops.linalg import dot_op
from eqsat.graph.ops.reduce import sum_op
from eqsat.rules.diagonals import diagonal_of
from eqsat.rules.facts import closes, covers, invariant, rank
from eqsat.rules.pattern import moved, numbers, transposed
from eqsat.rules.rule import rule
from eqsat.rules.schemes.operands import joined

x, y, z, a = numbers("x y z a")
BACKWARD = ["backward"]
ROW_AND_COLUMN = invariant(x, (0,)) & invariant(y, (1,)) & covers(x, (1,)) & covers(y, (0,))

COLUMN_AND_ROW = (
    invariant(x, (1,)) & invariant(y, (0,)) & covers(a, (0, 1)) & covers(x, (0,)) & covers(y, (1,))
)
TWO_COLUMNS = invariant(x, (1,)) & invariant(y, (1,)) & covers(y, (0,)) & covers(a, (0,))
FORM = dot_op(dot_op(transposed(x), a), transposed(y))


def trace(v: Any) -> Any:
    """The trace of a matrix, in a vector of one element."""
    return sum_op(diagonal_of(v), axes=(0,))


RULES = [
    rule(
        "trace-turned",
        trace(dot_op(x, y)),
        trace(dot_op(y, x)),
        when=closes(x, y),
        tags=BACKWARD,
        cite="petersen2012",
    ),
    rule(
        "sum-of-matrix-times-dot",
        sum_op(dot_op(x, y) * z, axes=(0, 1)),
        sum_op(x * dot_op(z, transposed(y)), axes=(0, 1)),
        when=covers(z, (0, 1)) & covers(x, (0, 1)) & covers(y, (1,)),
        tags=BACKWARD,
        grows=True,
        cite="petersen2012",
    ),
    *(
        rule(f"bilinear-form{word}", sum_op(term, axes=(0, 1)), form, when=fits, tags=BACKWARD, grows=True)
        for word, term, form, fits in (
            ("", (a * x) * y, FORM, COLUMN_AND_ROW),
            ("-turned", (a * y) * x, FORM, COLUMN_AND_ROW),
            ("-of-outer", (x * y) * a, FORM, COLUMN_AND_ROW),
            ("-of-products", dot_op(a, x) * y, dot_op(transposed(y), dot_op(a, x)), TWO_COLUMNS),
        )
    ),
    *(
        rule(name, product, form, when=joined(ROW_AND_COLUMN, fits), tags=BACKWARD, grows=True)
        for name, product, form, fits in (
            ("inner-product-as-sum", dot_op(x, y), sum_op(x * transposed(y), axes=(1,)), None),
            (
                "bilinear-form-as-sums",
                dot_op(dot_op(x, a), y),
                sum_op(sum_op(a * transposed(x), axes=(0,)) * transposed(y), axes=(1,)),
                covers(a, (0, 1)),
            ),
            (
                "bilinear-form-as-sum",
                dot_op(dot_op(x, a), y),
                sum_op((a * transposed(x)) * transposed(y), axes=(0, 1)),
                covers(a, (0, 1)),
            ),
        )
    ),
    rule(
        "inner-product",
        sum_op(x * y, axes=(0,)),
        moved(dot_op(moved(x, "row"), moved(y, "column")), "of column"),
        when=rank(x, 1) & covers(x, (0,)) & covers(y, (0,)),
        tags=BACKWARD,
        grows=True,
    ),
]
