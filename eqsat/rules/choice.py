"""Choices: equal branches, known conditions, and the masks that gradients of maximum leave behind."""

from eqsat.graph.ops.cast import cast_op
from eqsat.graph.ops.elemwise import (
    abs,
    and_,
    fill,
    ge,
    gt,
    invert,
    lt,
    neg,
    sqr,
    switch,
)
from eqsat.rules.pattern import anything, bools, parameters, reals
from eqsat.rules.rule import rule

w, x, y, z = reals("w x y z")
a, b, c = anything("a b c")
p, q = bools("p q")
d = parameters("d")

RULES = [
    rule("switch-same", switch(p, a, a), a, tier="exact"),
    rule("switch-true", switch(1, a, b), a, tier="exact"),
    rule("switch-false", switch(0, a, b), b, tier="exact"),
    rule("switch-true-repeated", switch(1, a, b), fill(b, a), tier="exact"),
    rule("switch-false-repeated", switch(0, a, b), fill(a, b), tier="exact"),
    rule("switch-not", switch(invert(p), a, b), switch(p, b, a), tier="exact"),
    rule("switch-switch-then", switch(p, switch(p, a, b), c), switch(p, a, c), tier="exact"),
    rule("switch-switch-else", switch(p, a, switch(p, b, c)), switch(p, a, c), tier="exact"),
    # a choice made twice, as in the gradient of log(switch(p, a, b)), and what is divided by a branch and multiplied by it
    rule("switch-over-switch-then", switch(p, w / switch(p, x, y), z), switch(p, w / x, z), tier="exact"),
    rule("switch-over-switch-else", switch(p, z, w / switch(p, x, y)), switch(p, z, w / y), tier="exact"),
    # There is no rule switch(p, x, 0) * y = switch(p, x * y, 0): the right side is 0 where the left is NaN, and a class
    # that held both would let a bare product pass for the choice that guards it (see gradient/masks.py).
    rule("mul-mask", x * cast_op(p, dtype=d), switch(p, x, 0), tier="stabilises"),
    rule("abs-from-gt", switch(gt(x, 0), x, neg(x)), abs(x), tier="extends"),
    rule("abs-from-ge", switch(ge(x, 0), x, neg(x)), abs(x), tier="extends"),
    rule("abs-from-lt", switch(lt(x, 0), neg(x), x), abs(x), tier="extends"),
    # masks, which are 0 and 1
    rule(
        "mask-times-mask",
        cast_op(p, dtype=d) * cast_op(q, dtype=d),
        cast_op(and_(p, q), dtype=d),
        tier="exact",
    ),
    rule("mask-squared", sqr(cast_op(p, dtype=d)), cast_op(p, dtype=d), tier="exact"),
    rule("one-minus-mask", 1 - cast_op(p, dtype=d), cast_op(invert(p), dtype=d), tier="exact"),
]
