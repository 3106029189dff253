"""Quotients of sums and products of exponentials, which overflow: of their logarithms, or shares of a sum.

``of_exps`` says what is made of exponentials, however it is written: behind weights, parts, choices and joins.
"""

from typing import Any

from eqsat.graph.ops.elemwise import (
    abs,
    exp,
    expm1,
    log,
    maximum,
    neg,
    reciprocal,
    sigmoid,
    sign,
    softplus,
    sqrt,
    switch,
)
from eqsat.graph.ops.linalg import dot_op
from eqsat.graph.ops.reduce import sum_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.graph.ops.softmax import logsumexp_op, softmax_op
from eqsat.rules.facts import covers, invariant, met, of_no_exps, rank, swaps
from eqsat.rules.facts_of_functions import any_log, made_of_exps, of_any_sign, of_exps, of_no_shift
from eqsat.rules.mirror import with_mirror
from eqsat.rules.pattern import Literal, Number, bools, parameters, reals, transposed
from eqsat.rules.rule import rule
from eqsat.rules.spellings import quotients

y, b, c, d, v, w = reals("y b c d v w")
s, q = parameters("s q")
p = bools("p")

STABLE: dict[str, Any] = {"tier": "stabilises", "tags": ["backward"], "cite": "blanchard2021"}
"""Options of the laws on quotients of exponentials."""
OF_VECTOR = rank(c, 1) & rank(b, 2) & rank(w, 2)
LEAST = Number(-(2.0**100))  # below it there is nothing but the logarithm of 0
BOTH = of_exps(b) & (b >= 0) & any_log(c) & (c >= 0)
total = sum_op(b, axes=s)
weighted = sum_op(v * b, axes=s)
product = dot_op(b, y)
row_total = sum_op(b, axes=(1,))
EXPS = of_exps(b) & (b >= 0)
apart = log(b) - log(c)
gap = neg(sign(apart) * expm1(neg(abs(apart))))  # b - c over the larger of the two
UNSHIFTED = EXPS & of_no_shift(b)  # what is shifted by hand is left so where it has weights


def logs_of(v: Any, b: Any) -> Any:
    """The logarithms of weighted exponentials; the weights may have any sign, and be 0 where the exponential is largest."""
    return maximum(log(b) + log(abs(v)), LEAST)


def top_of(v: Any, b: Any) -> Any:
    """The logarithm of the sum of their sizes."""
    return logsumexp_op(logs_of(v, b), axes=s)


def scaled_by(v: Any, b: Any) -> Any:
    """Their sum over that of their sizes."""
    return sum_op(sign(v) * softmax_op(logs_of(v, b), axes=s), axes=s)


def over_total(v: Any) -> Any:
    """v * b / c, which is 0 where v is, and c may be too."""
    size = log(b) + maximum(log(abs(v)), LEAST)
    return sign(v) * exp(size - maximum(log(c), LEAST))


def beside(v: Any, pattern: tuple[Any, ...]) -> Any:
    """A matrix as a stack of matrices, to be met with another one."""
    return dimshuffle_op(v, pattern=Literal("move", pattern, 2))


def matrix(v: Any, pattern: tuple[Any, ...]) -> Any:
    """A vector as a row or a column."""
    return dimshuffle_op(v, pattern=Literal("move", pattern, 1))


def vector(axis: int) -> Any:
    """A function that makes a vector of a row or a column, along an axis of it."""
    return lambda v: dimshuffle_op(v, pattern=Literal("move", (axis,), 2))


def without(axis: int, stack: Any) -> Any:
    """A stack of matrices without an axis of length 1."""
    return dimshuffle_op(stack, pattern=Literal("move", tuple({0, 1, 2} - {axis}), 3))


def total_of(column: Any) -> Any:
    """A product with a column, as a sum."""
    return sum_op(b * transposed(column), axes=(1,))


log_terms = beside(log(b), (0, 1, "x")) + beside(log(c), ("x", 0, 1))
TERMS = any_log(b) & (b >= 0) & any_log(c) & (c >= 0)
logs, top, scaled = logs_of(v, b), top_of(v, b), scaled_by(v, b)
shares = sign(v) * softmax_op(logs, axes=s) / scaled

RULES = [
    *(  # with other factors there would be as many forms as ways to bring exponentials and divisors together
        rule(
            name,
            left,
            exp(log(b) - log(c)),
            when=BOTH,
            grows=False,
            **STABLE,
        )
        for name, left in [("quotient-of-exps", b / c)]
    ),
    *(  # a weight of any sign has no logarithm: it stays beside the quotient
        rule(
            f"{name}-with-a-weight",
            left,
            v * right,
            when=known & of_no_exps(v),
            grows=False,
            **STABLE,
        )
        for name, left, right, known in (
            ("quotient-of-exps", (v * b) / c, exp(log(b) - log(c)), BOTH),
            ("exps-by-quotient", b * (v / c), exp(log(b) - log(c)), BOTH),
            ("exps-times-sigmoid", (v * b) * sigmoid(y), exp(log(b) - softplus(neg(y))), EXPS),
            (
                "exps-times-exps",
                b * (v * c),
                exp(log(b) + log(c)),
                BOTH & of_exps(c) & any_log(b) & of_any_sign(v),
            ),
        )
    ),
    *quotients(
        "quotient-by-exps-plus",
        b,
        c + y,
        exp(log(b) - log(c + y)),
        when=EXPS & of_exps(c) & (c >= 0) & (y >= 0),
        **STABLE,
    ),
    *(  # of a difference, which has any sign: its gradient's terms, and others by the larger of the two
        law
        for name, top, result, known in (
            ("first-by-exps-less", b, reciprocal(neg(expm1(log(c) - log(b)))), EXPS),
            ("second-by-exps-less", c, reciprocal(expm1(log(b) - log(c))), EXPS),
            (
                "quotient-by-exps-less",
                d,
                exp(log(d) - maximum(log(b), log(c))) / gap,
                EXPS & of_exps(d) & (d >= 0),
            ),
        )
        for law in quotients(name, top, b - c, result, when=known & of_exps(c) & (c >= 0), **STABLE)
    ),
    *(  # as the gradient of a sum along an axis has it
        rule(
            f"quotient-by-exps-less-moved{end}",
            d * dimshuffle_op(left, pattern=q),
            exp(log(d) - dimshuffle_op(maximum(log(b), log(c)), pattern=q))
            * dimshuffle_op(left_made, pattern=q),
            when=EXPS & of_exps(c) & (c >= 0) & of_exps(d) & (d >= 0),
            grows=False,
            **STABLE,
        )
        for end, left, left_made in (
            ("", w / (b - c), w / gap),
            ("-of-one", reciprocal(b - c), reciprocal(gap)),
            ("-of-minus-one", neg(reciprocal(b - c)), neg(reciprocal(gap))),
        )
    ),
    *(  # a choice between a quotient and 0, as gradients of choices have it
        rule(
            f"quotient-of-exps-in-{word}{end}{whole}",
            b * reduced(branch(divided)),
            result,
            when=BOTH & invariant(c, s) if whole else BOTH,
            grows=False,
            **STABLE,
        )
        for word, branch in (("then", lambda v: switch(p, v, 0)), ("else", lambda v: switch(p, 0, v)))
        for end, divided, times in (
            ("", v / c, v),
            ("-by-one-over", reciprocal(c), Number(1.0)),
            ("-by-one-less-over", neg(reciprocal(c)), Number(-1.0)),
        )
        for whole, reduced, result in (
            ("", lambda v: v, branch(times * exp(log(b) - log(c)))),
            ("-of-sum", lambda v: sum_op(v, axes=s), over_total(sum_op(branch(times), axes=s))),
        )
    ),
    *quotients(
        "share-of-exps",
        b,
        total,
        softmax_op(log(b), axes=s),
        when=EXPS & any_log(b),
        prices=[total],
        **STABLE,
    ),
    *quotients(
        "weighted-share",
        v * b,
        weighted,
        shares,
        deep=True,
        when=UNSHIFTED,
        prices=[weighted],
        **STABLE,
    ),
    *quotients(
        "quotient-by-weighted-exps",
        c,
        weighted,
        exp(log(c) - top) / scaled,
        when=UNSHIFTED & of_exps(c) & (c >= 0),
        prices=[weighted],
        **STABLE,
    ),
    *(  # the weight times a share: an exponential that overflows may have the weight 0
        rule(
            f"weight-of-share{end}",
            left,
            result,
            when=UNSHIFTED,
            prices=[weighted],
            grows=False,
            **STABLE,
        )
        for end, left, result in (
            ("", v * (b / weighted), shares),
            ("-by-multiple-over", v * (b * (w / weighted)), w * shares),
            ("-of-multiple", v * ((w * b) / weighted), w * shares),
            ("-over-weighted", b * (v / weighted), shares),
            ("-over-weighted-multiple", b * (w * (v / weighted)), w * shares),
            ("-of-product-over-weighted", b * ((v * w) / weighted), w * shares),
        )
    ),
    rule(
        "exps-times-sigmoid",
        b * sigmoid(y),
        exp(log(b) - softplus(neg(y))),
        tier="stabilises",
        when=EXPS,
        tags=["backward"],
        grows=False,
        cite="maechler2012",
    ),
    rule(
        "root-of-exps",
        sqrt(b),
        exp(log(b) * 0.5),
        tier="stabilises",
        when=made_of_exps(b) & any_log(b),  # of another the root is no better
        tags=["backward"],
        grows=False,
        cite="definition",
    ),
    *(
        rule(f"log-of-{name}", log(left), right, when=known, prices=[left], grows=False, **STABLE)
        for name, left, right, known in (
            ("weighted-exps", weighted, top + log(scaled), UNSHIFTED),
            ("quotient-by-a-weight", weighted / w, top + log(scaled / w), UNSHIFTED & of_no_exps(w)),
            (
                "exps-times-exps",
                dot_op(b, c),
                without(1, logsumexp_op(log_terms, axes=(1,))),
                TERMS & covers(b, (0, 1)) & covers(c, (0, 1)),
            ),
        )
    ),
    *(  # what the gradient of that logarithm leaves: shares of the terms of the product
        rule(
            f"slope-of-exps-times-exps-{side}{end}",
            left,
            without(axis, sum_op(weighted_by(softmax_op(log_terms, axes=(1,))), axes=(axis,))),
            when=TERMS & swaps(q),
            grows=False,
            **STABLE,
        )
        for end, slope, weighted_by in (
            ("", v / dot_op(b, c), lambda share: beside(v, (0, "x", 1)) * share),
            ("-of-one", reciprocal(dot_op(b, c)), lambda share: share),
        )
        for side, axis, left in (
            ("left", 2, b * dot_op(slope, dimshuffle_op(c, pattern=q))),
            ("right", 0, c * dot_op(dimshuffle_op(b, pattern=q), slope)),
        )
    ),
    *(  # the share of a product of exponentials, of which no sign is asked
        rule(
            f"share-of-product-of-exps{end}",
            left,
            result,
            when=EXPS & of_exps(v) & (v >= 0),
            prices=[weighted],
            grows=False,
            **STABLE,
        )
        for share in (softmax_op(log(b) + log(v), axes=s),)
        for end, left, result in (
            ("", (v * b) / weighted, share),
            ("-apart", v * (b / weighted), share),
            ("-of-multiple", (v * b) * (w / weighted), w * share),
        )
    ),
    *(  # an exponential that comes late to a sum of quotients, of which it may be a row or a column
        rule(
            f"exps-times-sum-of-quotients{end}{word}",
            c * moved(sum_op(inner, axes=over)),
            moved(sum_op(times(exp(log(b) + back(log(c)) - log(w))), axes=over)),
            when=EXPS
            & of_exps(c)
            & (c >= 0)
            & any_log(w)
            & (w >= 0)
            & (known & rank(v, 2) if end and word else known),
            grows=False,
            **STABLE,
        )
        for end, inner, times in (("", b / w, lambda x: x), ("-weighted", b * (v / w), lambda x: v * x))
        for word, over, moved, back, known in (
            ("", s, lambda x: x, lambda x: x, invariant(c, s)),
            ("-as-row", (0,), vector(1), lambda x: matrix(x, ("x", 0)), covers(b, (1,)) & OF_VECTOR),
            ("-as-column", (1,), vector(0), lambda x: matrix(x, (0, "x")), covers(b, (0,)) & OF_VECTOR),
        )
    ),
    *(  # the product with a column of weights is a weighted sum
        law
        for word, column, of, fits in (
            ("log-of", c, log, invariant(c, (1,))),
            ("one-over", c, reciprocal, invariant(c, (1,))),
            ("quotient-by", c, lambda total: w / total, invariant(c, (1,))),
            ("inverted", reciprocal(c), None, of_exps(c) & invariant(c, (1,))),
            ("divided", v / c, None, of_exps(c) & invariant(c, (1,)) & invariant(v, (1,))),
        )
        for law in with_mirror(
            rule(
                f"{word}-exps-times-column",
                of(dot_op(b, column)) if of else dot_op(b, column),
                of(total_of(column)) if of else total_of(column),
                when=of_exps(b) & covers(b, (0, 1)) & covers(c, (0,)) & fits,
                tier="stabilises",
                prices=[dot_op(b, column)] if of else [],
                grows=False,
                tags=["backward"],
            ),
            f"{word}-row-times-exps",
        )
    ),
    *(
        rule(
            f"log-of-{name}",
            log(left),
            right,
            when=EXPS & of_exps(c) & (c >= 0) & of_any_sign(v) & of_any_sign(w),
            grows=False,
            **STABLE,
        )
        for name, left, right in (
            ("quotient-of-weighted-exps", (v * b) / (w * c), log(v / w) + (log(b) - log(c))),
            (
                "quotient-of-weighted-sums",
                weighted / sum_op(w * c, axes=s),
                log(scaled / scaled_by(w, c)) + (top - top_of(w, c)),
            ),
        )
    ),
    *(  # so that weights stand on one side; what is the same all along a sum leaves it
        rule(
            f"{name}-weighted-exps-{word}",
            of(sum_op(left, axes=s)),
            of(sum_op(weight * b, axes=s)),
            when=known,
            prices=[sum_op(left, axes=s)],
            grows=False,
            **STABLE,
        )
        for word, left, weight, known in (
            ("divided", (v * b) / w, v / w, EXPS & met(b, b, s)),
            ("times-divided", v * (b / w), v / w, EXPS & met(b, b, s)),
            ("over", b / w, reciprocal(w), of_exps(b) & met(w, w, s)),
        )
        for name, of in (("log-of", log), ("one-over", reciprocal), ("quotient-by", lambda total: y / total))
    ),
    *(
        rule(name, left, right, when=EXPS, prices=priced, grows=False, **STABLE)
        for name, left, right, priced in (
            (
                "weighted-share-of-exps",
                weighted / total,
                sum_op(v * softmax_op(log(b), axes=s), axes=s),
                [weighted, total],
            ),
            (
                "shares-of-exps-times-matrix",
                product / row_total,
                dot_op(softmax_op(log(b), axes=(1,)), y),
                [product, row_total],
            ),
        )
    ),
]
