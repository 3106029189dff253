"""Traces and bilinear forms: the order of factors that is cheapest, products that are sums."""

from __future__ import annotations

from typing import Any

from eqsat.graph.ops.linalg import dot_op
from eqsat.graph.ops.reduce import sum_op
from eqsat.rules.diagonals import diagonal_of
from eqsat.rules.pattern import closes, covers, invariant, numbers, transposed
from eqsat.rules.rule import rule

x, y, z, a = numbers("x y z a")
BACKWARD = ["backward"]


def trace(v: Any) -> Any:
    """The trace of a matrix, in a vector of one element."""
    return sum_op(diagonal_of(v), axes=(0,))


RULES = [
    rule(
        "trace-turned",
        trace(dot_op(x, y)),
        trace(dot_op(y, x)),
        tier="rounds",
        when=closes(x, y),
        tags=BACKWARD,
        cite="petersen2012",
    ),
    rule(
        "sum-of-matrix-times-dot",
        sum_op(dot_op(x, y) * z, axes=(0, 1)),
        sum_op(x * dot_op(z, transposed(y)), axes=(0, 1)),
        tier="rounds",
        when=covers(z, (0, 1)) & covers(x, (0, 1)) & covers(y, (1,)),
        tags=BACKWARD,
        grows=True,
        cite="petersen2012",
    ),
    rule(
        "bilinear-form",
        dot_op(dot_op(x, a), y),
        sum_op((a * transposed(x)) * transposed(y), axes=(0, 1)),
        tier="rounds",
        when=invariant(x, (0,)) & invariant(y, (1,)) & covers(a, (0, 1)),
        tags=BACKWARD,
        grows=True,
        cite="definition",
    ),
    rule(
        "inner-product",
        dot_op(x, y),
        sum_op(x * transposed(y), axes=(1,)),
        tier="rounds",
        when=invariant(x, (0,)) & invariant(y, (1,)) & covers(x, (1,)) & covers(y, (0,)),
        tags=BACKWARD,
        grows=True,
        cite="definition",
    ),
]
