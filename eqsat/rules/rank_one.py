"""Matrices changed by an outer product: on request, as the results can cancel."""

from __future__ import annotations

from typing import Any

from eqsat.graph.ops.determinant import det_op
from eqsat.graph.ops.linalg import dot_op
from eqsat.graph.ops.solve import inv_op, solve_op
from eqsat.rules.facts import closes, covers, identity, invariant
from eqsat.rules.pattern import moved, reals
from eqsat.rules.rule import rule

a, b, i, x, y = reals("a b i x y")
OUTER = covers(x, (0,)) & covers(y, (1,)) & invariant(x, (1,)) & invariant(y, (0,))


def solved(v: Any) -> Any:
    """Solution of a system with a."""
    return solve_op(a, v)


UNIT = identity(i) & covers(i, (0, 1))
RULES = [
    rule(name, of, found, tier="loose", when=known & OUTER, tags=["rank-one"], cite="petersen2012")
    for name, of, found, known in (
        ("det-of-unit-and-outer", det_op(i + x * y), moved(1 + dot_op(y, x), "number of matrix"), UNIT),
        ("inverse-of-unit-and-outer", inv_op(i + x * y), i - x * y / (1 + dot_op(y, x)), UNIT),
        (
            "solve-with-outer",
            solve_op(a + x * y, b),
            solved(b) - solved(x) * (dot_op(y, solved(b)) / (1 + dot_op(y, solved(x)))),
            closes(a, a) & covers(a, (0, 1)),
        ),
    )
]
