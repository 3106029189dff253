"""Axes move after elementwise ops rather than before them; two moves are one."""

from eqsat.graph.ops.cast import cast_op
from eqsat.graph.ops.elemwise import (
    abs,
    add,
    exp,
    expm1,
    fill,
    log,
    log1p,
    maximum,
    minimum,
    mul,
    neg,
    reciprocal,
    sigmoid,
    sign,
    softplus,
    sqr,
    sqrt,
    sub,
    tanh,
    truediv,
)
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.rules.facts import single
from eqsat.rules.pattern import anything, compose, parameters, reals, value
from eqsat.rules.rule import rule

x, y, c = reals("x y c")
a, b = anything("a b")
p, q, t = parameters("p q t")

UNARY = [abs, exp, expm1, log, log1p, neg, reciprocal, sigmoid, sign, softplus, sqr, sqrt, tanh]
BINARY = [add, mul, sub, truediv, maximum, minimum]


def moved(v: object) -> object:
    """Axes of v moved by p."""
    return dimshuffle_op(v, pattern=p)


RULES = [
    rule(
        "dimshuffle-twice",
        dimshuffle_op(moved(a), pattern=q),
        dimshuffle_op(a, pattern=compose(p, q)),
        tier="exact",
        cite="definition",
    ),
    rule(
        "dimshuffle-of-fill",
        moved(fill(a, b)),
        fill(moved(a), moved(b)),
        tier="exact",
        grows=False,
        cite="definition",
    ),
    rule(
        "cast-of-dimshuffle",
        cast_op(moved(a), dtype=t),
        moved(cast_op(a, dtype=t)),
        tier="exact",
        cite="definition",
    ),
    *(
        rule(f"{op.name}-of-dimshuffle", op(moved(x)), moved(op(x)), tier="exact", cite="definition")
        for op in UNARY
    ),
    *(
        rule(
            f"{op.name}-of-dimshuffles",
            op(moved(x), moved(y)),
            moved(op(x, y)),
            tier="exact",
            cite="definition",
        )
        for op in BINARY
    ),
    *(
        rule(
            f"{op.name}-dimshuffle-constant",
            op(moved(x), c),
            moved(op(x, value(c))),
            tier="extends",
            when=single(c),
            cite="definition",
        )
        for op in BINARY
    ),
    *(
        rule(
            f"{op.name}-constant-dimshuffle",
            op(c, moved(x)),
            moved(op(value(c), x)),
            tier="extends",
            when=single(c),
            cite="definition",
        )
        for op in BINARY
        if not op.declaration.commutative
    ),
]
