"""Hyperbolic functions and error functions as they are written in exponentials, and their inverses in logarithms."""

from collections.abc import Iterator
from typing import Any

from eqsat.graph.ops.elemwise import add, exp, expm1, log, log1p, neg, reciprocal, sqr, sqrt, sub, tanh
from eqsat.graph.ops.special import erfc, exp_over_erfc, ndtr
from eqsat.graph.ops.trigonometry import arctanh, cosh, sinh
from eqsat.rules.facts import above, below, single, tame, varies
from eqsat.rules.pattern import Number, reals, value
from eqsat.rules.rule import Rule, rule
from eqsat.rules.spellings import differences, quotients

x, c, d = reals("x c d")

OPPOSITE = (
    varies(x)
    & single(c)
    & single(d)
    & tame(value(c))
    & above(value(c) + value(d), -1e-30)
    & below(value(c) + value(d), 1e-30)
)


def mirrored(word: str, join: Any, half: Any, tier: str) -> Iterator[Rule]:
    """The sum or difference of an exponential and its mirror is twice the even or the odd part of it."""
    yield rule(f"exp-{word}-mirror", join(exp(x), exp(neg(x))), half(x) * 2, tier=tier)
    left, right = join(exp(x * c), exp(x * d)), half(x * value(c)) * 2
    yield rule(f"exp-of-multiple-{word}-mirror", left, right, tier=tier, when=OPPOSITE)


RULES = [
    *differences("cosh-sinh", cosh(x), sinh(x), exp(neg(x)), tier="stabilises"),
    *mirrored("less", sub, sinh, "stabilises"),
    *mirrored("plus", add, cosh, "rounds"),
    *(  # half of the least number is 0
        law
        for name, top, divisor, value in [
            ("tanh-from-expm1", expm1(x), exp(x) + 1, tanh(0.5 * x)),
            ("coth-from-expm1", exp(x) + 1, expm1(x), reciprocal(tanh(0.5 * x))),
            ("exp-over-expm1", exp(x), expm1(x), reciprocal(neg(expm1(neg(x))))),
        ]
        for law in quotients(name, top, divisor, value, tier="stabilises", tags=["backward"])
    ),
    *(
        rule(name, left, right, tier=tier)
        for name, left, right, tier in (
            ("sinh-plus-cosh", sinh(x) + cosh(x), exp(x), "stabilises"),
            ("arctanh-from-log", log((1 + x) / (1 - x)), arctanh(x) * 2, "stabilises"),
            ("arctanh-from-log1p", log1p(x) - log1p(neg(x)), arctanh(x) * 2, "rounds"),
        )
    ),
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
