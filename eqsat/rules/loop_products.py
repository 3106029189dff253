"""Loops: products of rows with a matrix are one product before or after the loop, sums of products one product."""

from eqsat.graph.ops.dots import rows_dot, sum_dots
from eqsat.graph.ops.elemwise import mul
from eqsat.graph.ops.linalg import batched_op, dot_op
from eqsat.graph.ops.reduce import sum_op
from eqsat.rules.facts import covers, invariant, rank
from eqsat.rules.loops import e, lifted, s, w, x, y
from eqsat.rules.mirror import with_mirror
from eqsat.rules.pattern import swapped_inside, under_time
from eqsat.rules.rule import rule

PUSH_DOT = ["push-out-dot", "backward"]

RULES = [
    *(
        r
        for law in lifted("dot", lambda v: dot_op(v, w), lambda v: rows_dot(v, w), [x], [w], even=True)
        for r in with_mirror(law, f"{law.name}-left", grows=True)
    ),
    *lifted("dots", dot_op, batched_op, [x, y]),
    rule(
        "dots-of-vectors",
        batched_op(x, y),
        sum_op(mul(x, swapped_inside(y)), axes=(2,)),
        when=invariant(x, (1,)) & invariant(y, (2,)) & covers(x, (0, 2)) & covers(y, (0, 1)),
        tags=["backward"],
        cite="higham2002",
    ),
    rule(
        "sum-of-dots",
        sum_op(batched_op(x, y), axes=(0,)),
        under_time(sum_dots(x, y), 2),
        tags=PUSH_DOT,
        cite="higham2002",
    ),
    rule(
        "sum-of-outer-products",
        sum_op(mul(s, e), axes=(0,)),
        under_time(sum_dots(s, e), 2),
        when=rank(s, 3) & invariant(s, (2,)) & invariant(e, (1,)) & covers(s, (0,)) & covers(e, (0,)),
        tags=PUSH_DOT,
    ),
]
