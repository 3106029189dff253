"""Fillings: a value broadcast to the shape of a model, of which only the shape matters."""

from eqsat.graph.ops.cast import cast_op
from eqsat.graph.ops.elemwise import (
    add,
    exp,
    fill,
    maximum,
    minimum,
    mul,
    neg,
    reciprocal,
    sqr,
    sqrt,
    sub,
    truediv,
)
from eqsat.rules.facts import single, wider
from eqsat.rules.pattern import anything, parameters, reals, value
from eqsat.rules.rule import rule

x, y, z, w = reals("x y z w")
a, b, k = anything("a b k")
c = reals("c")
t = parameters("t")

UNARY = [neg, sqr, sqrt, exp, reciprocal]
BINARY = [add, mul, sub, truediv, maximum, minimum]

RULES = [
    *(
        rule(f"{op.name}-by-number", op(x, c), op(x, value(c)), tier="extends", cite="definition")
        for op in BINARY
    ),
    *(
        rule(f"number-{op.name}", op(c, x), op(value(c), x), tier="extends", cite="definition")
        for op in BINARY
        if not op.declaration.commutative
    ),
    rule("fill-same-shape", fill(a, b), b, tier="exact", cite="definition"),
    rule("fill-of-fill", fill(fill(a, b), k), fill(a, k), tier="exact", cite="definition"),
    rule("fill-value-fill", fill(a, fill(b, k)), fill(a, k), tier="exact", cite="definition"),
    rule(
        "cast-of-fill",
        cast_op(fill(a, b), dtype=t),
        fill(a, cast_op(b, dtype=t)),
        tier="exact",
        cite="definition",
    ),
    rule("fill-cast-model", fill(cast_op(a, dtype=t), b), fill(a, b), tier="exact", cite="definition"),
    *(
        rule(
            f"{op.name}-of-fill",
            op(fill(x, y)),
            fill(x, op(y)),
            tier="exact",
            cite="definition",
        )
        for op in UNARY
    ),
    *(
        rule(f"{op.name}-fill-left", op(fill(x, y), z), op(y, z), tier="exact", cite="definition")
        for op in BINARY
    ),
    *(
        rule(f"{op.name}-fill-right", op(x, fill(y, z)), op(x, z), tier="exact", cite="definition")
        for op in BINARY
        if not op.declaration.commutative
    ),
    *(
        rule(
            f"{op.name}-fill-fill",
            op(fill(x, y), fill(x, z)),
            fill(x, op(y, z)),
            tier="exact",
            cite="definition",
        )
        for op in BINARY
    ),
    # arithmetic on fillings that are known numbers; of others it would breed numbers before they are folded
    *(
        rule(
            f"{op.name}-of-filling",
            op(fill(x, y)),
            fill(x, op(y)),
            tier="exact",
            when=single(y),
            tags=["filled"],
            cite="definition",
        )
        for op in UNARY
    ),
    *(
        rule(
            f"{op.name}-of-fillings",
            op(fill(x, y), fill(w, z)),
            fill(x, op(y, z)),
            tier="exact",
            when=single(y) & single(z),
            tags=["filled"],
            cite="definition",
        )
        for op in BINARY
    ),
    # what is narrower than the model is computed before it is broadcast
    *(
        rule(
            f"{op.name}-before-fill",
            op(fill(x, y), z),
            fill(x, op(y, z)),
            tier="exact",
            when=wider(x, z) & wider(x, y),
            grows=False,
            cite="definition",
        )
        for op in BINARY
    ),
    *(
        rule(
            f"{op.name}-before-fill-right",
            op(z, fill(x, y)),
            fill(x, op(z, y)),
            tier="exact",
            when=wider(x, z) & wider(x, y),
            grows=False,
            cite="definition",
        )
        for op in BINARY
        if not op.declaration.commutative
    ),
    *(
        rule(f"fill-{op.name}-model", fill(op(x), y), fill(x, y), tier="exact", cite="definition")
        for op in UNARY
    ),
    *(
        rule(f"fill-{op.name}-model", fill(op(x, y), z), fill(x, z), tier="exact", cite="definition")
        for op in BINARY
    ),
]
