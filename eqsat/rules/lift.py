"""What both branches of a choice have in common is done once, after it."""

from eqsat.graph.ops.cast import cast_op
from eqsat.graph.ops.elemwise import (
    abs,
    and_,
    cos,
    exp,
    expm1,
    invert,
    log,
    log1p,
    reciprocal,
    sigmoid,
    sin,
    softplus,
    sqr,
    sqrt,
    switch,
    tanh,
)
from eqsat.rules.pattern import bools, parameters, reals
from eqsat.rules.rule import rule

x, y, z = reals("x y z")
p, q = bools("p q")
d = parameters("d")

UNARY = [abs, cos, exp, expm1, log, log1p, reciprocal, sigmoid, sin, softplus, sqr, sqrt, tanh]

RULES = [
    *(
        rule(f"switch-{f.name}", switch(p, f(x), f(y)), f(switch(p, x, y)), tier="exact", cite="definition")
        for f in UNARY
    ),
    rule("switch-add-both", switch(p, x + z, y + z), switch(p, x, y) + z, tier="exact", cite="definition"),
    rule("switch-sub-both", switch(p, x - z, y - z), switch(p, x, y) - z, tier="exact", cite="definition"),
    rule("switch-sub-from", switch(p, z - x, z - y), z - switch(p, x, y), tier="exact", cite="definition"),
    rule("switch-div-both", switch(p, x / z, y / z), switch(p, x, y) / z, tier="exact", cite="definition"),
    rule("switch-div-under", switch(p, z / x, z / y), z / switch(p, x, y), tier="exact", cite="definition"),
    # masks, which are 0 and 1
    rule(
        "mask-times-mask",
        cast_op(p, dtype=d) * cast_op(q, dtype=d),
        cast_op(and_(p, q), dtype=d),
        tier="exact",
        cite="definition",
    ),
    rule("mask-squared", sqr(cast_op(p, dtype=d)), cast_op(p, dtype=d), tier="exact", cite="definition"),
    rule(
        "one-minus-mask",
        1 - cast_op(p, dtype=d),
        cast_op(invert(p), dtype=d),
        tier="exact",
        cite="definition",
    ),
]
