"""Elements in another shape, which they take once."""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import Any

from eqsat.graph.ops.elemwise import log
from eqsat.graph.ops.linalg import dot_op
from eqsat.graph.ops.reduce import sum_op
from eqsat.graph.ops.reshape import reshape_op
from eqsat.graph.ops.shape import make_vector_op
from eqsat.graph.ops.softmax import log_softmax_op, softmax_op
from eqsat.rules.facts import as_long, congruent, covers, rank
from eqsat.rules.pattern import anything, parameters, places, reals, shapes
from eqsat.rules.rule import rule

x, y = reals("x y")
a = anything("a")
s, t = shapes("s t")
n, m, axes = parameters("n m axes")
counts = places("n0 n1 n2 n3")


def shaped(v: Any) -> Any:
    """v in the shape s."""
    return reshape_op(v, s, ndim=n)


RULES = [
    *(
        rule(
            f"reshape-to-own-shape-{r}",
            reshape_op(a, make_vector_op(*counts[:r]), ndim=r),
            a,
            tier="exact",
            when=reduce(and_, (as_long(counts[k], a, k) for k in range(r)), rank(a, r)),
        )
        for r in (2, 3, 4)
    ),
    rule("reshape-twice", reshape_op(shaped(a), t, ndim=m), reshape_op(a, t, ndim=m), tier="exact"),
    rule(
        "log-of-reshaped-softmax",
        log(shaped(softmax_op(x, axes=axes))),
        shaped(log_softmax_op(x, axes=axes)),
        tier="stabilises",
        tags=["backward"],
        cite="blanchard2021",
    ),
    rule(
        "dot-of-flattened",
        dot_op(reshape_op(x, s, ndim=2), reshape_op(y, t, ndim=2)),
        sum_op(x * y, axes=(0, 1)),
        when=congruent(x, y) & covers(x, (0, 1)) & covers(y, (0, 1)),
        tags=["backward"],
        grows=True,
    ),
]
