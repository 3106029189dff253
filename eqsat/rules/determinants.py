"""Determinants, and their logarithms without the determinant itself, which overflows."""

from __future__ import annotations

from typing import Any

from eqsat.graph.ops.decompose import cholesky_op
from eqsat.graph.ops.determinant import det_op, logdet_op
from eqsat.graph.ops.elemwise import abs, log
from eqsat.graph.ops.linalg import dot_op
from eqsat.graph.ops.reduce import prod_op, sum_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.rules.diagonals import diagonal_of
from eqsat.rules.facts import closes, lower, posdef, positive_diagonal, swaps, upper
from eqsat.rules.pattern import moved, parameters, reals
from eqsat.rules.rule import rule
from eqsat.rules.schemes.operands import joined

a, l, x, y, z = reals("a l x y z")
p, s = parameters("p s")
BACKWARD = ["backward"]


def flipped(v: Any) -> Any:
    """The transpose of v, where ``swaps(p)`` holds."""
    return dimshuffle_op(v, pattern=p)


def log_sum(v: Any) -> Any:
    """The sum of the logarithms of a vector."""
    return moved(sum_op(log(v), axes=(0,)), "number")


def log_size(v: Any) -> Any:
    """Logarithm of the size of a determinant."""
    return logdet_op(v, absolute=1)


RULES = [
    *(
        rule(name, log(of), logdet_op(a, absolute=size), tier="stabilises", tags=BACKWARD, cite="higham2002")
        for name, of, size in (("log-det", det_op(a), 0), ("log-abs-det", abs(det_op(a)), 1))
    ),
    rule(
        "logdet-of-square",
        logdet_op(dot_op(l, flipped(l)), absolute=s),
        2 * log_size(l),
        tier="stabilises",
        when=swaps(p) & closes(l, l),
        grows=False,
        tags=BACKWARD,
        cite="golub2013",
    ),
    *(
        rule(
            f"{what}-{word}",
            of,
            from_diagonal(diagonal_of(a)),
            when=joined(known(a), more),
            grows=False,
            tags=BACKWARD,
        )
        for what, of, from_diagonal, more in (
            ("det-of", det_op(a), lambda v: moved(prod_op(v, axes=(0,)), "number"), None),
            ("log-size-of", log_size(a), lambda v: log_sum(abs(v)), None),
            ("logdet-of-positive", logdet_op(a, absolute=s), log_sum, positive_diagonal(a)),
        )
        for word, known in (("lower", lower), ("upper", upper))
    ),
    rule(
        "logdet-of-posdef",
        logdet_op(a, absolute=s),
        2 * log_sum(diagonal_of(cholesky_op(a))),
        when=posdef(a),
        grows=True,
        tags=BACKWARD,
        cite="golub2013",
    ),
]
