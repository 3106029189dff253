"""Logarithms of functions that leave the range, or come so near to 1 that they are 1, while their logarithms do neither.

The tag ``through`` says that the rule is wanted wherever the function stands under a logarithm: behind parts and choices
(rules/between.py), as a factor, a divisor, a power or a term of a sum.
"""

from math import log as ln
from math import nan
from typing import Any

from eqsat.graph.ops.cumulate import cumsum_op, logcumsumexp_op
from eqsat.graph.ops.elemwise import (
    abs,
    exp,
    expm1,
    gt,
    log,
    log1p,
    log2,
    log10,
    neg,
    pow,
    reciprocal,
    softplus,
    sqr,
    sqrt,
    switch,
    tanh,
)
from eqsat.graph.ops.reduce import sum_op
from eqsat.graph.ops.rounding import exp2
from eqsat.graph.ops.softmax import logsumexp_op
from eqsat.graph.ops.special import (
    erfc,
    gamma,
    gammaln,
    log1mexp,
    log_cosh,
    log_ndtr,
    logaddexp,
)
from eqsat.graph.ops.trigonometry import sinh
from eqsat.rules.facts import above, below, single, varies
from eqsat.rules.facts_of_functions import any_log, known_log, made_of_exps, of_exps
from eqsat.rules.pattern import Number, parameters, reals, value
from eqsat.rules.rule import rule
from eqsat.rules.spellings import of_powers

x, y, b, c = reals("x y b c")
s, k = parameters("s k")

TWO = Number(2.0)
BACKWARD = ["backward"]
KNOWN = known_log(b) & (b >= 0)
EXPS = of_exps(b) & (b >= 0)


def log_one_less_tanh(v: Any) -> Any:
    """log(1 - tanh(v)): without cancellation near 0, and without exponentials that overflow."""
    return switch(gt(v, -1), neg(v) - log_cosh(v), log(TWO) - softplus(v * 2))


RULES = [
    *(
        rule(name, left, right, tier="stabilises", tags=["through"], rounded=True)
        for name, left, right in [
            ("log-exp2", log(exp2(x)), x * ln(2)),
            ("log-of-running-sum-of-exps", log(cumsum_op(exp(x), axis=k)), logcumsumexp_op(x, axis=k)),
            ("log-sinh", log(sinh(x)), x + log1mexp(x * -2) - log(TWO)),
            ("log-tanh", log(tanh(x)), log1mexp(x * -2) - softplus(x * -2)),
            ("log-expm1", log(expm1(x)), x + log1mexp(neg(x))),
            ("log-gamma", log(gamma(x)), switch(gt(gamma(x), 0), gammaln(x), nan)),
            ("log1p-less-tanh", log1p(neg(tanh(x))), log_one_less_tanh(x)),
            ("log1p-tanh", log1p(tanh(x)), log_one_less_tanh(neg(x))),
            ("log1p-less-square-of-tanh", log1p(neg(sqr(tanh(x)))), log_cosh(x) * -2),
        ]
    ),
    *(
        rule(name, left, right, tier="stabilises")
        for name, left, right in [
            ("log1p-less-half-erfc", log1p(erfc(x) * -0.5), log_ndtr(x * sqrt(TWO))),
            ("log-half-erfc", log(erfc(x) * 0.5), log_ndtr(neg(x * sqrt(TWO)))),
            ("log-abs-gamma", log(abs(gamma(x))), gammaln(x)),
            ("softplus-less-its-mirror", softplus(x) - softplus(neg(x)), x),
        ]
    ),
    # a logarithm of a product is one of its factors, of a sum one of its terms
    *(
        rule(name, left, right, tier="stabilises", when=when, tags=BACKWARD, grows=False)
        for name, left, right, when in [
            ("log-of-known-times", log(b * y), log(b) + log(y), KNOWN),
            ("log-of-size-of-known-times", log(abs(b * y)), log(b) + log(abs(y)), any_log(b) & (b >= 0)),
            ("log-of-known-over", log(b / y), log(b) - log(y), KNOWN),
            ("log-of-over-known", log(y / b), log(y) - log(b), KNOWN),
            ("log-of-root-of-known", log(sqrt(b)), log(b) * 0.5, known_log(b)),
            ("log-of-square-of-known", log(sqr(b)), log(b) * 2, KNOWN),
            ("log-of-one-over-known", log(reciprocal(b)), neg(log(b)), known_log(b)),
            ("log-of-sum-of-known", log(sum_op(b, axes=s)), logsumexp_op(log(b), axes=s), KNOWN),
            (
                "log-of-running-sum-of-known",
                log(cumsum_op(b, axis=k)),
                logcumsumexp_op(log(b), axis=k),
                KNOWN,
            ),
        ]
    ),
    *of_powers(
        "log-of-power-of-known",
        log(pow(b, y)),
        y,
        log(b),
        tier="stabilises",
        when=KNOWN,
        tags=BACKWARD,
        cite="definition",
    ),
    *(
        rule(
            f"{op.name}-of-known",
            op(b),
            log(b) / log(Number(base)),
            tier="stabilises",
            when=any_log(b),
            tags=BACKWARD,
            grows=False,
        )
        for op, base in ((log2, 2.0), (log10, 10.0))
    ),
    *(  # of 1 and an exponential there is a rule of its own
        rule(
            f"log-of-exps-plus-{word}",
            log(b + y),
            logaddexp(log(b), log(y)),
            tier="stabilises",
            when=EXPS & (y >= 0) & more,
            tags=BACKWARD,
            grows=False,
            cite="blanchard2021",
        )
        for word, more in (
            ("any", varies(y)),
            ("more-than-one", single(y) & above(value(y), 1)),
            ("less-than-one", single(y) & below(value(y), 1)),
        )
    ),
    *(
        rule(
            name,
            left,
            softplus(log(b)),
            tier="stabilises",
            when=made_of_exps(b) & any_log(b) & (b >= 0),
            tags=BACKWARD,
            grows=False,
            cite="maechler2012",
        )
        for name, left in (("log-of-one-plus-exps", log(1 + b)), ("log1p-of-exps", log1p(b)))
    ),
    rule(
        "log-of-exps-less",
        log(b - c),
        log(b) + log1mexp(log(c) - log(b)),
        tier="stabilises",
        when=EXPS & of_exps(c) & (c >= 0),
        tags=BACKWARD,
        grows=False,
        cite="maechler2012",
    ),
]
