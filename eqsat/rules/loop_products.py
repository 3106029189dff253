"""Loops: products of rows with a matrix are one product before or after the loop, sums of products one product."""

from eqsat.graph.ops.dots import rows_dot, sum_dots
from eqsat.graph.ops.elemwise import mul
from eqsat.graph.ops.linalg import batched_op, dot_op
from eqsat.graph.ops.reduce import sum_op
from eqsat.rules.facts import covers, fixed, invariant, moves, rank, steady
from eqsat.rules.loops import PUSH_OUT, PUSH_SEQ, L, e, row, s, stack, w, x, y
from eqsat.rules.pattern import swapped_inside, transposed, under_time
from eqsat.rules.rule import rule

PUSH_DOT = ["push-out-dot", "backward"]

RULES = [
    rule("loop-row-dot", dot_op(row(x), w), row(rows_dot(x, w)), when=fixed(w, L), tags=PUSH_SEQ),
    rule(
        "loop-row-dot-left",
        dot_op(w, row(x)),
        row(swapped_inside(rows_dot(swapped_inside(x), transposed(w)))),
        when=fixed(w, L),
        tags=PUSH_SEQ,
    ),
    rule("loop-row-dots", dot_op(row(x), row(y)), row(batched_op(x, y)), tags=PUSH_SEQ),
    rule(
        "loop-stack-dot",
        stack(dot_op(x, w)),
        rows_dot(stack(x), w),
        when=fixed(w, L) & moves(x, L),
        tags=PUSH_OUT,
    ),
    rule(
        "loop-stack-dot-left",
        stack(dot_op(w, x)),
        swapped_inside(rows_dot(swapped_inside(stack(x)), transposed(w))),
        when=fixed(w, L) & moves(x, L),
        tags=PUSH_OUT,
    ),
    rule(
        "loop-stack-dots",
        stack(dot_op(x, y)),
        batched_op(stack(x), stack(y)),
        when=moves(x, L) & moves(y, L) & steady(x, L) & steady(y, L),
        tags=PUSH_OUT,
    ),
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
