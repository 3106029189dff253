"""Special functions: error functions and their inverses, the gamma function and its kin, stable logarithms.

Results of float32 are computed in float64 and rounded once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.graph.declare import Cost, elemwise
from eqsat.graph.ops.elemwise import (
    _number,
    abs,
    eq,
    exp,
    expm1,
    log,
    log1p,
    maximum,
    sigmoid,
    softplus,
    sqr,
    switch,
    tanh,
)

INF = float("inf")
NARROW = "(({T})%s)"
NO_FORMULA = "the slope in this operand has no closed form"


def _scipy(name: str) -> Any:
    import scipy.special

    return getattr(scipy.special, name)


# --------------------------------------------------------------------------------------------- error functions


@elemwise(
    c="erfc{f}({x})",
    signature="f->f",
    grad=lambda x, dy: dy * _number(-2 / np.sqrt(np.pi), x) * exp(-sqr(x)),
    cost=Cost(flops=41),
    image=(0.0, 2.0),
    real="erfc(x)",
    monotone="decreasing",
    undoes="erfcinv",
    complement=("1 - erf(x)", "2 - erfc(-x)"),
    unstable=lambda x: {"erfcx-times-exp": erfcx(x) * exp(-sqr(x))},
)
def erfc(x: Any) -> Any:
    """1 - erf(x) without cancellation."""
    return _scipy("erfc")(x)


@elemwise(
    c="eq_ndtr__{T}({x})",
    signature="f->f",
    grad=lambda x, dy: dy * (_number(1 / np.sqrt(2 * np.pi), x) * exp(sqr(x) * _number(-0.5, x))),
    cost=Cost(flops=55),
    image=(0.0, 1.0),
    real="erfc(-x / sqrt(2)) / 2",
    monotone="increasing",
    complement="1 - ndtr(-x)",
)
def ndtr(x: Any) -> Any:
    """Normal distribution function: the share of a standard normal variable below x."""
    return _scipy("ndtr")(x)


@elemwise(
    c=NARROW % "eq_erfcx__double({x})",
    signature="f->f",
    grad=lambda x, out, dy: dy * (2 * x * out - _number(2 / np.sqrt(np.pi), x)),
    cost=Cost(flops=115, vector=False),
    image=(0.0, INF),
    real="exp(x * x) * erfc(x)",
    monotone="decreasing",
    unstable=lambda x: {"erfc-times-exp": erfc(x) * exp(sqr(x))},
)
def erfcx(x: Any) -> Any:
    """exp(x**2) * erfc(x), which does not underflow for large x."""
    return _scipy("erfcx")(x)


@elemwise(
    c=NARROW % "eq_erfinv__double({x})",
    signature="f->f",
    grad=lambda x, out, dy: dy * (_number(np.sqrt(np.pi) / 2, x) * exp(sqr(out))),
    cost=Cost(flops=4000, vector=False),
    monotone="increasing",
    parity="odd but for signs of zeros",
    domain=(-1.0, 1.0),
    undoes="erf",
    real="erfinv(x)",
)
def erfinv(x: Any) -> Any:
    """Inverse of erf; NaN outside -1 to 1. Start: Winitzki 2008, then Newton's method on log(erfc)."""
    return _scipy("erfinv")(x)


@elemwise(
    c=NARROW % "eq_erfcinv__double({x})",
    signature="f->f",
    grad=lambda x, out, dy: dy * (_number(-np.sqrt(np.pi) / 2, x) * exp(sqr(out))),
    cost=Cost(flops=3300, vector=False),
    monotone="decreasing",
    domain=(0.0, 2.0),
    undoes="erfc",
    real="erfinv(1 - x)",
)
def erfcinv(x: Any) -> Any:
    """Inverse of erfc, accurate for tiny x; NaN outside 0 to 2."""
    return _scipy("erfcinv")(x)


# ---------------------------------------------------------------------------------------------- gamma and its kin


@elemwise(
    c=NARROW % "tgamma({x})",
    signature="f->f",
    grad=lambda x, out, dy: dy * (out * digamma(x)),
    cost=Cost(flops=1300, vector=False),
    facts=("nonneg if nonneg x, nonzero x",),
    real="gamma(x)",
)
def gamma(x: Any) -> Any:
    """Gamma function; NaN at negative integers."""
    return _scipy("gamma")(x)


@elemwise(
    c=NARROW % "eq_gammaln__double({x})",
    signature="f->f",
    grad=lambda x, dy: dy * digamma(x),
    cost=Cost(flops=90, vector=False),
)
def gammaln(x: Any) -> Any:
    """Logarithm of the absolute value of the gamma function."""
    return _scipy("gammaln")(x)


@elemwise(
    c=NARROW % "eq_digamma__double({x})",
    signature="f->f",
    grad=lambda x, dy: dy * polygamma(_number(1, x), x),
    cost=Cost(flops=90, vector=False),
)
def digamma(x: Any) -> Any:
    """Derivative of gammaln; NaN at negative integers."""
    return _scipy("psi")(x)


@elemwise(
    c=NARROW % "eq_polygamma__double({n}, {x})",
    signature="f,f->f",
    grad=lambda n, x, dy: (NO_FORMULA, dy * polygamma(n + 1, x)),
    cost=Cost(flops=400, vector=False),
)
def polygamma(n: Any, x: Any) -> Any:
    """n-th derivative of digamma for whole n; NaN for other n. Below zero by the sum over all integers."""
    dtype, n, x = x.dtype, *np.broadcast_arrays(n.astype(float), x.astype(float))
    sign, left = np.where(n % 2 == 0, -1.0, 1.0), (x < 0) & np.isfinite(x)
    near = x - np.where(left, np.rint(x), x)  # exact, unlike x - floor(x)
    rest = np.where(left, np.where(near < 0, 1 + near, near), x)
    zeta = _scipy("zeta")
    full = zeta(n + 1, np.where(x == -INF, np.nan, rest))
    mirrored = sign * (
        zeta(n + 1, np.where(left, np.where(near > 0, 1 - near, -near), 1))
        - zeta(n + 1, np.where(left, 1 - x, 1))
    )
    result = sign * _scipy("gamma")(n + 1) * (full + np.where(left & (rest != 0), mirrored, 0))
    result = np.where(
        n == 0, _scipy("psi")(x), np.where((n < 0) | (n != np.floor(n)) | (n == INF), np.nan, result)
    )
    return result.astype(dtype)


# ------------------------------------------------------------------------------------------- stable logarithms


@elemwise(
    c="({x} > ({T})-0.6931471805599453 ? log{f}(-expm1{f}({x})) : log1p{f}(-exp{f}({x})))",
    signature="f->f",
    grad=lambda x, dy: -dy / expm1(-x),
    cost=Cost(flops=400, vector=False),
    image=(-INF, 0.0),
    real="log(1 - exp(x))",
    monotone="decreasing",
    domain=(-INF, 0.0),
    unstable=lambda x: {"log1p-neg-exp": log1p(-exp(x)), "log-neg-expm1": log(-expm1(x))},
)
def log1mexp(x: Any) -> Any:
    """log(1 - exp(x)) for x below 0, without cancellation. Source: Maechler 2012."""
    return np.where(x > -np.log(2), np.log(-np.expm1(x)), np.log1p(-np.exp(x)))


@elemwise(
    c="eq_logaddexp__{T}({x}, {y})",
    signature="f,f->f",
    grad=lambda x, y, dy: (dy * sigmoid(x - y), dy * sigmoid(y - x)),
    commutative=True,
    cost=Cost(flops=100, vector=False),
    real="log(exp(x) + exp(y))",
    monotone=("increasing in x", "increasing in y"),
    spelled=lambda x, y: {"logaddexp-split": maximum(x, y) + softplus(-abs(x - y))},
)
def logaddexp(x: Any, y: Any) -> Any:
    """log(exp(x) + exp(y)) without overflow."""
    return np.logaddexp(x, y)


@elemwise(
    c=NARROW % "eq_exp_over_erfc__double({x})",
    signature="f->f",
    grad=lambda x, out, dy: dy * (out * (_number(2 / np.sqrt(np.pi), x) * out - 2 * x)),
    cost=Cost(flops=150, vector=False),
    image=(0.0, INF),
    real="exp(-x * x) / erfc(x)",
    monotone="increasing",
)
def exp_over_erfc(x: Any) -> Any:
    """exp(-x**2) / erfc(x), also where both underflow: the slope of log(erfc(x)) but for a factor."""
    v = x.astype(float)
    positive = np.maximum(v, 0)
    over = np.exp(-np.square(v.astype(np.longdouble)))  # more digits: rounding v * v shows in the result
    far, near = 1 / _scipy("erfcx")(positive), (over / _scipy("erfc")(v - positive)).astype(float)
    return np.where(v > 0, far, near).astype(x.dtype)


@elemwise(
    c=NARROW % "eq_log_erfc__double({x})",
    signature="f->f",
    grad=lambda x, dy: dy * (_number(-2 / np.sqrt(np.pi), x) * exp_over_erfc(x)),
    cost=Cost(flops=400, vector=False),
    image=(-INF, 0.7),
    real="log(erfc(x))",
    monotone="decreasing",
    logarithm_of="erfc",
)
def log_erfc(x: Any) -> Any:
    """log(erfc(x)), also where erfc underflows or is near 1."""
    v = x.astype(float)
    near, far = np.log1p(-_scipy("erf")(v)), np.log(_scipy("erfcx")(v)) - np.square(v)
    return np.where(v < 0.5, near, np.where(v < 25, np.log(_scipy("erfc")(v)), far)).astype(x.dtype)


@elemwise(
    c=NARROW % "({x} > 0 ? log1p(-eq_ndtr__double(-{x})) "
    ": eq_log_erfc__double(-{x} * 0.70710678118654752) - 0.69314718055994531)",
    signature="f->f",
    grad=lambda x, dy: dy * (_number(np.sqrt(2 / np.pi), x) * exp_over_erfc(x * _number(-np.sqrt(0.5), x))),
    cost=Cost(flops=390, vector=False),
    image=(-INF, 0.0),
    real="log1p(-erfc(x / sqrt(2)) / 2) if x > 0 else log(erfc(-x / sqrt(2)) / 2)",
    monotone="increasing",
    logarithm_of="ndtr",
)
def log_ndtr(x: Any) -> Any:
    """Logarithm of the normal distribution function, also where it underflows or is near 1."""
    v = x.astype(float)
    half = (
        np.exp(-np.square(v.astype(np.longdouble)) / 2) / 2
    )  # more digits: rounding v * v shows in the result
    right = np.log1p(-(half * _scipy("erfcx")(np.abs(v) * np.sqrt(0.5))).astype(float))
    left = log_erfc.declaration.meaning(-v * np.sqrt(0.5)) - np.log(2)
    return np.where(v > 0, right, left).astype(x.dtype)


@elemwise(
    c=NARROW % "eq_log_cosh__double({x})",
    signature="f->f",
    grad=lambda x, dy: dy * tanh(x),
    cost=Cost(flops=100, vector=False),
    image=(0.0, INF),
    real="log(cosh(x))",
    monotone="increasing in x if nonneg x",
    parity="even",
    logarithm_of="cosh",
)
def log_cosh(x: Any) -> Any:
    """log(cosh(x)) without overflow, and without cancellation near 0."""
    a = np.abs(x.astype(float))
    near = np.log1p(2 * np.square(np.sinh(np.minimum(a, 1) / 2)))
    return np.where(a < 1, near, a + np.log1p(np.exp(-2 * a)) - np.log(2)).astype(x.dtype)


@elemwise(
    c="({x} < -37 ? {x} : {x} > -1 && {x} < 2 ? "
    "log1p{f}(log1p{f}(0.6321205588285577 * expm1{f}(({x} - 0.5413248546129181) + 1.8138570925507325e-17))) : "
    "log{f}(({x} > 0 ? {x} : 0) + log1p{f}(exp{f}(-fabs{f}({x})))))",
    signature="f->f",
    grad=lambda x, out, dy: dy * exp(-(softplus(-x) + out)),
    cost=Cost(flops=64),
    real="log(log(1 + exp(x)))",
    monotone="increasing",
    logarithm_of="softplus",
)
def log_softplus(x: Any) -> Any:
    """log(softplus(x)): x where exp(x) vanishes, with all digits near log(e - 1), where it is 0."""
    v = x.astype(float)
    root = (np.clip(v, -1, 2) - 0.5413248546129181) + 1.8138570925507325e-17  # x - log(e - 1)
    near = np.log1p(np.log1p(0.6321205588285577 * np.expm1(root)))  # 1 - 1 / e
    far = np.where(v < -37, v, np.log(np.logaddexp(0, np.maximum(v, -37))))
    return np.where((v > -1) & (v < 2), near, far).astype(x.dtype)


@elemwise(
    c="({x} == 0 && {y} == {y} ? 0 : {x} * log{f}({y}))",
    signature="f,f->f",
    grad=lambda x, y, dy: (dy * log(y), dy * (x / switch(eq(x, 0), _number(1, y), y))),
    cost=Cost(flops=26),
)
def xlogy(x: Any, y: Any) -> Any:
    """x * log(y), and 0 where x is 0 unless y is NaN."""
    return _scipy("xlogy")(x, y)
