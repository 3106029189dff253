"""Two exponentials with weights of any sign, as mixtures have them: logarithms, and shares of the sum, by the shares of both."""

from eqsat.graph.ops.elemwise import abs, clip, exp, log, log1p, neg, sigmoid, sign
from eqsat.graph.ops.special import logaddexp
from eqsat.rules.facts_of_functions import of_any_sign, of_exps
from eqsat.rules.pattern import Number, reals
from eqsat.rules.quotients_of_exps import STABLE
from eqsat.rules.rule import rule
from eqsat.rules.spellings import quotients

b, c, d, v, u = reals("b c d v u")

LEAST, MOST = (
    Number(-(2.0**100)),
    Number(2.0**100),
)  # beyond them are the logarithms of 0 and of infinity alone
# where the signs of both weights are known there are logarithms of the weighted ones
BOTH = of_exps(b) & of_exps(c) & (b >= 0) & (c >= 0) & of_any_sign(v)
both = v * b + u * c
logs = log(b) + log(abs(v)), log(c) + log(abs(u))
first, second = (clip(one, LEAST, MOST) for one in logs)
top = logaddexp(first, second)
share = sign(v) * sigmoid(first - second)
scaled = share + sign(u) * sigmoid(second - first)
part = d / (d + c)

RULES = [
    *(
        rule(name, left, right, when=known, prices=priced, grows=False, **STABLE)
        for name, left, right, known, priced in (
            ("log-of-two-weighted-exps", log(both), logaddexp(*logs) + log(scaled), BOTH, [both]),
            ("odds-of-share", part / (1 - part), d / c, None, []),
            ("log-odds-of-share", log(part) - log1p(neg(part)), log(d / c), None, []),
        )
    ),
    *quotients(
        "share-of-two-weighted-exps",
        v * b,
        both,
        share / scaled,
        when=BOTH,
        prices=[both],
        **STABLE,
    ),
    *quotients(
        "quotient-by-two-weighted-exps",
        d,
        both,
        exp(log(d) - top) / scaled,
        when=BOTH & of_exps(d) & (d >= 0),
        prices=[both],
        **STABLE,
    ),
]
