"""Special functions of several operands: incomplete gamma and beta functions and their inverses, Bessel functions of any order.

SciPy computes them, through the C functions that it offers; results of float32 are computed in float64 and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eqsat.graph.declare import Cost, structural
from eqsat.graph.ops.elemwise import _number, erf, exp, log, log1p, mul, neg, reciprocal, sign, sqr
from eqsat.graph.ops.special import NO_FORMULA, _scipy, gammaln

Slopes = Callable[..., list[Any]]


def _grad(slopes: Slopes) -> Any:
    """The gradient from the slopes in each operand, of which None is one that has no formula."""

    def grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
        found = slopes(*inputs, out)
        return [NO_FORMULA if d is None else mul(dy, d) for d in found]

    return grad


def _each(op: Any, ins: Sequence[Sequence[float]], out: Sequence[float]) -> Cost:
    return Cost(flops=600 * float(np.prod(out)))


def special(operands: int, slopes: Slopes) -> Callable[[Callable[..., Any]], Any]:
    """Declare a function of SciPy of numbers; operands broadcast."""
    return structural(
        "block",
        signature=",".join(["(...)"] * operands) + "->(...)",
        dtypes=",".join(["f"] * operands) + "->f",
        grad=_grad(slopes),
        builder="scipy_special.each",
        cost=_each,
    )


# ---------------------------------------------------------------------------------------- incomplete gamma and beta


def _gamma_density(k: Any, x: Any) -> Any:
    return exp((k - _number(1, k)) * log(x) - x - gammaln(k))


def _beta_density(a: Any, b: Any, x: Any) -> Any:
    logarithm = gammaln(a + b) - gammaln(a) - gammaln(b)
    return exp((a - _number(1, a)) * log(x) + (b - _number(1, b)) * log1p(neg(x)) + logarithm)


@special(2, lambda k, x, out: [None, _gamma_density(k, x)])
def gammainc(k: Any, x: Any) -> Any:
    """Regularised lower incomplete gamma function: the share of a gamma variable of shape k below x."""
    return _scipy("gammainc")(k, x)


@special(2, lambda k, x, out: [None, neg(_gamma_density(k, x))])
def gammaincc(k: Any, x: Any) -> Any:
    """Regularised upper incomplete gamma function: the share of a gamma variable of shape k above x."""
    return _scipy("gammaincc")(k, x)


@special(2, lambda k, p, out: [None, reciprocal(_gamma_density(k, out))])
def gammaincinv(k: Any, p: Any) -> Any:
    """The x with gammainc(k, x) = p."""
    return _scipy("gammaincinv")(k, p)


@special(2, lambda k, p, out: [None, neg(reciprocal(_gamma_density(k, out)))])
def gammainccinv(k: Any, p: Any) -> Any:
    """The x with gammaincc(k, x) = p."""
    return _scipy("gammainccinv")(k, p)


@special(3, lambda a, b, x, out: [None, None, _beta_density(a, b, x)])
def betainc(a: Any, b: Any, x: Any) -> Any:
    """Regularised incomplete beta function: the share of a beta variable of shapes a and b below x."""
    return _scipy("betainc")(a, b, x)


@special(3, lambda a, b, p, out: [None, None, reciprocal(_beta_density(a, b, out))])
def betaincinv(a: Any, b: Any, p: Any) -> Any:
    """The x with betainc(a, b, x) = p."""
    return _scipy("betaincinv")(a, b, p)


# ------------------------------------------------------------------------------------------------ Bessel functions


def _beside(name: str, factor: float, other: float, extra: Callable[[Any], Any] | None = None) -> Slopes:
    """Slopes of a Bessel function, from those of the orders beside it."""

    def slopes(v: Any, x: Any, out: Any) -> list[Any]:
        op = globals()[name]
        one = _number(1, v)
        both = (op(v - one, x) + _number(other, x) * op(v + one, x)) * _number(factor / 2, x)
        return [None, both if extra is None else both + extra(x) * out]

    return slopes


@special(2, _beside("jv", 1.0, -1.0))
def jv(v: Any, x: Any) -> Any:
    """Bessel function of the first kind of order v."""
    return _scipy("jv")(v, x)


@special(2, _beside("yv", 1.0, -1.0))
def yv(v: Any, x: Any) -> Any:
    """Bessel function of the second kind of order v."""
    return _scipy("yv")(v, x)


@special(2, _beside("iv", 1.0, 1.0))
def iv(v: Any, x: Any) -> Any:
    """Modified Bessel function of the first kind of order v."""
    return _scipy("iv")(v, x)


@special(2, _beside("ive", 1.0, 1.0, lambda x: neg(sign(x))))
def ive(v: Any, x: Any) -> Any:
    """iv(v, x) * exp(-abs(x)), which does not overflow."""
    return _scipy("ive")(v, x)


@special(2, _beside("kv", -1.0, 1.0))
def kv(v: Any, x: Any) -> Any:
    """Modified Bessel function of the second kind of order v."""
    return _scipy("kv")(v, x)


@special(2, _beside("kve", -1.0, 1.0, lambda x: _number(1, x)))
def kve(v: Any, x: Any) -> Any:
    """kv(v, x) * exp(x), which does not underflow."""
    return _scipy("kve")(v, x)


# --------------------------------------------------------------------------------------------------------- others


def _slope_of_hyp2f1(a: Any, b: Any, c: Any, z: Any, out: Any) -> list[Any]:
    one = _number(1, a)
    return [None, None, None, a * b / c * hyp2f1(a + one, b + one, c + one, z)]


@special(4, _slope_of_hyp2f1)
def hyp2f1(a: Any, b: Any, c: Any, z: Any) -> Any:
    """Gauss hypergeometric function 2F1(a, b; c; z)."""
    return _scipy("hyp2f1")(a, b, c, z)


def _slopes_of_owens_t(h: Any, a: Any, out: Any) -> list[Any]:
    half = _number(-0.5, h)
    of_h = exp(sqr(h) * half) * erf(a * h * _number(np.sqrt(0.5), h)) * _number(-0.5 / np.sqrt(2 * np.pi), h)
    wide = sqr(a) + _number(1, a)
    return [of_h, exp(sqr(h) * wide * half) / (wide * _number(2 * np.pi, a))]


@special(2, _slopes_of_owens_t)
def owens_t(h: Any, a: Any) -> Any:
    """Owen's T: the probability that a standard normal variable is above h, and another one between 0 and a times it."""
    return _scipy("owens_t")(h, a)


def _slope_of_ndtri_exp(y: Any, out: Any) -> list[Any]:
    return [exp(y + sqr(out) * _number(0.5, y)) * _number(np.sqrt(2 * np.pi), y)]


@special(1, _slope_of_ndtri_exp)
def ndtri_exp(y: Any) -> Any:
    """The x of which log_ndtr(x) is y."""
    return _scipy("ndtri_exp")(y)
