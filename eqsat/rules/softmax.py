"""Sums of exponentials and their logarithms, shifted so that nothing overflows."""

from math import inf

from eqsat.graph.ops.create import arange_op
from eqsat.graph.ops.elemwise import exp, fill, gt, log, log1p, minimum, neg, reciprocal, switch
from eqsat.graph.ops.gather import gather_op
from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.linalg import dot_op
from eqsat.graph.ops.reduce import count_op, sum_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.graph.ops.softmax import log_softmax_op, logsumexp_op, softmax_op
from eqsat.rules.facts import above, covers, filled_with_one, moves_as, rank, varies, zero
from eqsat.rules.pattern import Number, axes_before, compose, indices, parameters, places, reals, value
from eqsat.rules.rule import rule
from eqsat.rules.spellings import differences, quotients

x, y, c, m, w = reals("x y c m w")
i, j = indices("i j")
k, first, stop, by = places("k first stop by")
s, p, q, g = parameters("s p q g")

total = sum_op(exp(x), axes=s)
weighted = sum_op(w * exp(x), axes=s)
product = dot_op(exp(x), y)
row_total = sum_op(exp(x), axes=(1,))
lse = logsumexp_op(x, axes=s)
row_totals = dimshuffle_op(logsumexp_op(x, axes=(1,)), pattern=p)  # of rank 1, with PICKED
share = softmax_op(x, axes=s)
most = gt(share, 0.5)  # of one element at most
rest = logsumexp_op(switch(most, -inf, x), axes=s) - lse
# the share near 1 alone: its weight, the shares of the others among themselves, and the rest without it
less = 1 - minimum(share, 0.5)
others = softmax_op(switch(most, -inf, x), axes=s) - switch(most, 1, 0)
PICKED = covers(x, (0, 1)) & rank(i, 1) & covers(i, (0,)) & moves_as(p, "of column")

RULES = [
    *(
        rule(
            name,
            log(left),
            right,
            tier="stabilises",
            when=known,
            grows=grows,
            prices=[priced],
            cite="blanchard2021",
        )
        for name, left, right, priced, known, grows in [
            ("log-sum-exp", total, lse, total, None, None),
            ("log-scaled-sum-exp", c * total, log(c) + lse, total, None, False),
            ("log-mean-exp", total / c, lse - log(c), total, None, False),
            ("log-sum-weighted-exp", weighted, logsumexp_op(x + log(w), axes=s), weighted, w >= 0, False),
        ]
    ),
    rule(
        "log1p-less-softmax",
        log1p(neg(share)),
        switch(most, rest, log1p(neg(minimum(share, 0.5)))),
        tier="stabilises",
        tags=["through"],
        cite="blanchard2021",
    ),
    *(  # the gradient of log(1 - share)
        rule(
            f"slope-of-log1p-less-softmax{end}{turn}",
            left * share,
            result,
            tier="stabilises",
            when=covers(x, s),
            grows=False,
            tags=["backward"],
            cite="blanchard2021",
        )
        for end, slope, times in (("", reciprocal(1 - share), Number(1.0)), ("-weighted", w / (1 - share), w))
        for safe, own in ((switch(most, 0, times / less), sum_op(switch(most, times * share, 0), axes=s)),)
        for whole in ((sum_op(safe * share, axes=s) - safe) * share + own * others,)
        for turn, left, result in (
            ("", sum_op(slope * share, axes=s) - slope, whole),
            ("-turned", slope - sum_op(slope * share, axes=s), neg(whole)),
        )
    ),
    # what reaches a number that is added to all elements, as the largest one is in a softmax by hand
    *(
        rule(
            name,
            sum_op(slope, axes=s),
            fill(count_op(w, axes=s), 0),
            when=covers(w, s) & covers(x, s),
            grows=False,
            tags=["backward"],
        )
        for name, slope in [
            ("total-of-slope-of-softmax", (w - sum_op(w * share, axes=s)) * share),
            ("total-of-slope-of-log-softmax", w - sum_op(w, axes=s) * share),
        ]
    ),
    *differences("logsumexp", lse, x, -log_softmax_op(x, axes=s), tier="stabilises", cite="blanchard2021"),
    rule("exp-logsumexp", exp(lse), total, tier="loose", grows=True),
    *quotients(
        "softmax",
        exp(x),
        total,
        softmax_op(x, axes=s),
        tier="stabilises",
        prices=[total],
        cite="blanchard2021",
    ),
    rule(  # a quotient of one number for each row is seen as one for each element
        "quotient-by-moved-total",
        dimshuffle_op(w / dimshuffle_op(total, pattern=p), pattern=q),
        dimshuffle_op(w, pattern=q) / dimshuffle_op(total, pattern=compose(p, q)),
        tier="exact",
        when=varies(w),
    ),
    rule(
        "softmax-weighted-sum",
        weighted / total,
        sum_op(w * softmax_op(x, axes=s), axes=s),
        tier="stabilises",
        prices=[weighted, total],
        cite="blanchard2021",
    ),
    rule(
        "softmax-times-matrix",
        product / row_total,
        dot_op(softmax_op(x, axes=(1,)), y),
        tier="stabilises",
        prices=[product, row_total],
        cite="blanchard2021",
    ),
    *(
        rule(
            f"log-of-{word}-of-softmax",
            log(taken(softmax_op(x, axes=s))),
            taken(log_softmax_op(x, axes=s)),
            tier="stabilises",
            cite="blanchard2021",
        )
        for word, taken in (
            ("part", lambda v: part_op(v, pattern=p)),
            ("part-at", lambda v: part_op(v, k, pattern=p)),
            ("rows", lambda v: gather_op(v, i, pattern=g)),
            ("pairs", lambda v: gather_op(v, i, j, pattern=g)),
        )
    ),
    *(
        rule(  # one element of each row of a matrix, of which there is more than one by type
            f"{name}-{word}",
            written,
            stable,
            tier="stabilises",
            when=zero(first) & filled_with_one(by) & more & PICKED,
            grows=False,
            cite="blanchard2021",
        )
        for word, more in (("of-known", above(value(stop), 1)), ("of-any", varies(stop)))
        for picked in [gather_op(x, arange_op(first, stop, by), i, pattern=(0, 1))]
        for likely in [gather_op(log_softmax_op(x, axes=(1,)), arange_op(first, stop, by), i, pattern=(0, 1))]
        for name, written, stable in (
            ("logsumexp-less-picks", row_totals - picked, -likely),
            ("picks-less-logsumexp", picked - row_totals, likely),
        )
    ),
    rule(
        "picks-less-picks-of-logsumexp",
        gather_op(x, i, j, pattern=(0, 1)) - gather_op(row_totals, i, pattern=(0,)),
        gather_op(log_softmax_op(x, axes=(1,)), i, j, pattern=(0, 1)),
        tier="stabilises",
        when=PICKED,
        grows=False,
        cite="blanchard2021",
    ),
    *(
        rule(
            f"{op.name}-of-dimshuffle",
            op(dimshuffle_op(x, pattern=p), axes=s),
            dimshuffle_op(op(x, axes=axes_before(p, s)), pattern=p),
        )
        for op in (softmax_op, log_softmax_op)
    ),
]
