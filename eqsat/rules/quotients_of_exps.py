"""Quotients of sums and products of exponentials, which overflow: of their logarithms, or shares of a sum.

``of_exps`` says what is made of exponentials, however it is written: behind weights, parts, choices and joins.
"""

from typing import Any

from eqsat.graph.ops.elemwise import (
    abs,
    exp,
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
from eqsat.graph.ops.softmax import logsumexp_op, softmax_op
from eqsat.rules.facts import covers, invariant
from eqsat.rules.facts_of_functions import any_log, made_of_exps, of_exps
from eqsat.rules.mirror import with_mirror
from eqsat.rules.pattern import Number, bools, parameters, reals, transposed
from eqsat.rules.rule import rule
from eqsat.rules.spellings import quotients

y, b, c, v, w = reals("y b c v w")
s = parameters("s")
p = bools("p")

STABLE: dict[str, Any] = {"tier": "stabilises", "tags": ["backward"], "cite": "blanchard2021"}
"""Options of the laws on quotients of exponentials."""
LEAST = Number(-(2.0**100))  # below it there is nothing but the logarithm of 0
BOTH = of_exps(b) & (b >= 0) & any_log(c) & (c >= 0)
total = sum_op(b, axes=s)
weighted = sum_op(v * b, axes=s)
product = dot_op(b, y)
row_total = sum_op(b, axes=(1,))
EXPS = of_exps(b) & (b >= 0)
# the weights may have any sign, and be 0 where the exponential is largest
logs = maximum(log(b) + log(abs(v)), LEAST)
top = logsumexp_op(logs, axes=s)
scaled = sum_op(sign(v) * softmax_op(logs, axes=s), axes=s)
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
    *quotients(
        "quotient-by-exps-plus",
        b,
        c + y,
        exp(log(b) - log(c + y)),
        when=EXPS & of_exps(c) & (c >= 0) & (y >= 0),
        **STABLE,
    ),
    *(  # a choice between a quotient and 0, as gradients of choices have it
        rule(
            f"quotient-of-exps-in-{word}{end}",
            b * branch(divided),
            branch(value),
            when=BOTH,
            grows=False,
            **STABLE,
        )
        for word, branch in (("then", lambda v: switch(p, v, 0)), ("else", lambda v: switch(p, 0, v)))
        for end, divided, value in (
            ("", v / c, v * exp(log(b) - log(c))),
            ("-by-one-over", reciprocal(c), exp(log(b) - log(c))),
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
        when=EXPS,
        prices=[weighted],
        **STABLE,
    ),
    *quotients(
        "quotient-by-weighted-exps",
        c,
        weighted,
        exp(log(c) - top) / scaled,
        when=EXPS & of_exps(c) & (c >= 0),
        prices=[weighted],
        **STABLE,
    ),
    *(  # the weight times a share: an exponential that overflows may have the weight 0
        rule(
            f"weight-of-share{end}",
            left,
            result,
            when=EXPS,
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
    rule(
        "log-of-weighted-exps",
        log(weighted),
        top + log(scaled),
        when=EXPS,
        prices=[weighted],
        grows=False,
        **STABLE,
    ),
    *(  # of two matrices there would be as many sums as products of elements; weights would need their logarithms
        law
        for word, of, tier in (
            ("log-of", log, "stabilises"),
            ("one-over", reciprocal, "rounds"),
            ("quotient-by", lambda total: w / total, "rounds"),
        )
        for law in with_mirror(
            rule(
                f"{word}-exps-times-column",
                of(dot_op(b, c)),
                of(sum_op(b * transposed(c), axes=(1,))),
                when=of_exps(b) & of_exps(c) & covers(b, (0, 1)) & covers(c, (0,)) & invariant(c, (1,)),
                tier=tier,
                grows=False,
                tags=["backward"],
            ),
            f"{word}-row-times-exps",
        )
    ),
    rule(
        "weighted-share-of-exps",
        weighted / total,
        sum_op(v * softmax_op(log(b), axes=s), axes=s),
        when=EXPS,
        prices=[weighted, total],
        grows=False,
        **STABLE,
    ),
    rule(
        "shares-of-exps-times-matrix",
        product / row_total,
        dot_op(softmax_op(log(b), axes=(1,)), y),
        when=EXPS,
        prices=[product, row_total],
        grows=False,
        **STABLE,
    ),
]
