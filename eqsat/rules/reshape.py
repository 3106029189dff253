"""Elements in another shape: after elementwise work rather than before it, and not twice."""

from __future__ import annotations

from typing import Any

from eqsat.graph.ops.cast import cast_op
from eqsat.graph.ops.elemwise import add, log, maximum, minimum, mul, sub, truediv
from eqsat.graph.ops.linalg import dot_op
from eqsat.graph.ops.reduce import sum_op
from eqsat.graph.ops.shape import reshape_op
from eqsat.graph.ops.softmax import log_softmax_op, softmax_op
from eqsat.rules.facts import congruent, covers, single, varies
from eqsat.rules.index import UNARY
from eqsat.rules.pattern import anything, parameters, reals, shapes, value
from eqsat.rules.rule import rule

x, y, c = reals("x y c")
a = anything("a")
s, t = shapes("s t")
n, m, d, axes = parameters("n m d axes")


def shaped(v: Any) -> Any:
    """v in the shape s."""
    return reshape_op(v, s, ndim=n)


RULES = [
    rule(
        "reshape-twice",
        reshape_op(shaped(a), t, ndim=m),
        reshape_op(a, t, ndim=m),
        tier="exact",
        cite="definition",
    ),
    rule(
        "cast-of-reshape",
        cast_op(shaped(a), dtype=d),
        shaped(cast_op(a, dtype=d)),
        tier="exact",
        cite="definition",
    ),
    *(
        rule(f"{op.name}-of-reshape", op(shaped(x)), shaped(op(x)), tier="exact", cite="definition")
        for op in UNARY
    ),
    rule(
        "log-of-reshaped-softmax",
        log(shaped(softmax_op(x, axes=axes))),
        shaped(log_softmax_op(x, axes=axes)),
        tier="stabilises",
        tags=["backward"],
        cite="blanchard2021",
    ),
    *(
        rule(
            f"{op.name}-reshape-constant",
            op(shaped(x), c),
            shaped(op(x, value(c))),
            tier="exact",
            when=single(c) & varies(x),
            cite="definition",
        )
        for op in (add, mul, sub, truediv, maximum, minimum)
    ),
    *(
        rule(
            f"{op.name}-constant-reshape",
            op(c, shaped(x)),
            shaped(op(value(c), x)),
            tier="exact",
            when=single(c) & varies(x),
            cite="definition",
        )
        for op in (sub, truediv)
    ),
    rule(
        "dot-of-flattened",
        dot_op(reshape_op(x, s, ndim=2), reshape_op(y, t, ndim=2)),
        sum_op(x * y, axes=(0, 1)),
        tier="rounds",
        when=congruent(x, y) & covers(x, (0, 1)) & covers(y, (0, 1)),
        tags=["backward"],
        grows=True,
        cite="definition",
    ),
]
