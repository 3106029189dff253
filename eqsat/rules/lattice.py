"""Larger and smaller of what shares a term, a factor or a function: what is shared is done once, afterwards."""

from eqsat.graph.ops.elemwise import clip, maximum, minimum, neg
from eqsat.rules.facts import above, at_least, varies
from eqsat.rules.pattern import anything, reals, value
from eqsat.rules.rule import rule

x, y, z, c = reals("x y z c")
a, b, k = anything("a b k")

PAIRS = [(maximum, minimum), (minimum, maximum)]
POSITIVE = varies(x) & above(value(c), 0.0)

RULES = [
    rule(name, left, right, tier="extends", when=when)
    for name, left, right, when in (
        *(
            law
            for op, other in PAIRS
            for law in (
                (f"{op.name}-of-multiple-and-zero", op(x * c, 0), op(x, 0) * c, POSITIVE),
                (
                    f"{op.name}-of-negative-and-number",
                    op(neg(x), c),
                    neg(other(x, value(c) * -1.0)),
                    varies(x),
                ),
                (f"self-minus-{op.name}", x - op(x, y), other(x - y, 0), varies(x)),
                (f"{op.name}-minus-self", op(x, y) - x, op(y - x, 0), varies(x)),
            )
        ),
        # ranges
        ("clip-apart", clip(a, b, k), minimum(maximum(a, b), k), None),
        ("clip-again", clip(clip(a, b, k), b, k), clip(a, b, k), None),
        ("max-of-min", maximum(minimum(a, k), b), clip(a, b, k), at_least(k, b)),
        ("clip-above", clip(a, b, k), minimum(a, k), at_least(a, b)),
        ("clip-below", clip(a, b, k), maximum(a, b), at_least(k, a) & at_least(k, b)),
    )
]
