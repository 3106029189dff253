"""Hyperbolic functions and error functions as they are written in exponentials, and their inverses in logarithms."""

from eqsat.graph.ops.elemwise import exp, expm1, log, log1p, neg, reciprocal, sqr, sqrt, tanh
from eqsat.graph.ops.special import erfc, exp_over_erfc, ndtr
from eqsat.graph.ops.trigonometry import arctanh, cosh, sinh
from eqsat.rules.facts import above, below, single, tame, varies
from eqsat.rules.pattern import Number, reals, value
from eqsat.rules.rule import rule
from eqsat.rules.spellings import quotients

x, c, d = reals("x c d")

OPPOSITE = (
    varies(x)
    & single(c)
    & single(d)
    & tame(value(c))
    & above(value(c) + value(d), -1e-30)
    & below(value(c) + value(d), 1e-30)
)

RULES = [
    rule("exp-less-mirror", exp(x) - exp(neg(x)), sinh(x) * 2, tier="stabilises"),
    rule("exp-plus-mirror", exp(x) + exp(neg(x)), cosh(x) * 2),
    rule(
        "exp-of-multiple-less-mirror",
        exp(x * c) - exp(x * d),
        sinh(x * value(c)) * 2,
        tier="stabilises",
        when=OPPOSITE,
    ),
    rule("exp-of-multiple-plus-mirror", exp(x * c) + exp(x * d), cosh(x * value(c)) * 2, when=OPPOSITE),
    *quotients("sinh-over-cosh", sinh(x), cosh(x), tanh(x), tier="stabilises"),
    *quotients("cosh-over-sinh", cosh(x), sinh(x), reciprocal(tanh(x)), tier="stabilises"),
    *(  # half of the least number is 0
        law
        for name, top, divisor, value in [
            ("tanh-from-expm1", expm1(x), exp(x) + 1, tanh(0.5 * x)),
            ("coth-from-expm1", exp(x) + 1, expm1(x), reciprocal(tanh(0.5 * x))),
        ]
        for law in quotients(name, top, divisor, value, tier="stabilises", tags=["backward"])
    ),
    rule("arctanh-from-log", log((1 + x) / (1 - x)), arctanh(x) * 2, tier="stabilises"),
    rule("arctanh-from-log1p", log1p(x) - log1p(neg(x)), arctanh(x) * 2),
    # error functions without their factor exp(-x**2)
    *quotients(
        "exp-over-erfc",
        exp(neg(sqr(x))),
        erfc(x),
        exp_over_erfc(x),
        deep=True,
        tier="stabilises",
        tags=["backward"],
        cite="definition",
    ),
    *quotients(
        "over-erfc",
        exp(sqr(x) * c),
        erfc(x * d),
        exp_over_erfc(x * value(d)),
        deep=True,
        tier="stabilises",
        when=varies(x)
        & single(c)
        & single(d)
        & tame(value(d))
        & above(value(c) + value(d) * value(d), -1e-15)
        & below(value(c) + value(d) * value(d), 1e-15),
        tags=["backward"],
        cite="definition",
    ),
    *quotients(
        "exp-over-ndtr",
        exp(sqr(x) * -0.5),
        ndtr(x),
        exp_over_erfc(neg(x / sqrt(Number(2.0)))) * 2,
        deep=True,
        tier="stabilises",
        tags=["backward"],
        cite="definition",
    ),
]
