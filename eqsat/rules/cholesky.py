"""Cholesky factors: of what has been multiplied out, of diagonal matrices and multiples."""

from __future__ import annotations

from eqsat.graph.ops.decompose import cholesky_op
from eqsat.graph.ops.linalg import dot_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.rules.facts import closes, lower, positive_diagonal, swaps, symmetric
from eqsat.rules.pattern import parameters, reals
from eqsat.rules.rule import rule

a, c, l, y, z = reals("a c l y z")
p = parameters("p")
BACKWARD = ["backward"]

RULES = [
    rule(
        "cholesky-of-square",
        cholesky_op(dot_op(l, dimshuffle_op(l, pattern=p))),
        l,
        tier="stabilises",
        when=swaps(p) & lower(l) & positive_diagonal(l) & closes(l, l),
        tags=BACKWARD,
        cite="golub2013",
    ),
    *(
        rule(name, left, a, when=swaps(p) & symmetric(a), tags=BACKWARD, cite="golub2013")
        for name, left in (
            ("square-of-cholesky", dot_op(cholesky_op(a), dimshuffle_op(cholesky_op(a), pattern=p))),
            ("transpose-of-symmetric", dimshuffle_op(a, pattern=p)),
        )
    ),
]
