"""Angles and hyperbolic functions beyond sin, cos and tanh; their gradients stay finite where they can."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.graph.declare import Cost, elemwise
from eqsat.graph.dtypes import FLOATS
from eqsat.graph.ops.elemwise import _number, eq, log, sqr, sqrt, switch

INF = float("inf")
HALF_PI = (-1.5707963705062866, 1.5707963705062866)  # pi / 2 rounded up in float32


@elemwise(
    c={"complex": "ctan{f}({x})", "else": "tan{f}({x})"},
    signature="f->f",
    grad=lambda x, out, dy: dy * (1 + sqr(out)),
    cost=Cost(flops=20),
    real="tan(x)",
    parity="odd",
    undoes="arctan",
    ratio="sin over cos",
)
def tan(x: Any) -> Any:
    """Tangent of an angle in radians."""
    return np.tan(x)


def _across(x: Any) -> Any:
    """The root of 1 - x**2."""
    return sqrt((1 - x) * (1 + x))


def _one_and_square(x: Any) -> Any:
    """The root of 1 + x**2, of real numbers without overflow."""
    return hypot(x, _number(1, x)) if x.type.dtype in FLOATS else sqrt(1 + sqr(x))


@elemwise(
    c={"complex": "casin{f}({x})", "else": "asin{f}({x})"},
    signature="f->f",
    grad=lambda x, dy: dy / _across(x),
    cost=Cost(flops=23),
    image=HALF_PI,
    facts=("nonneg if nonneg x",),
    real="asin(x)",
    monotone="increasing",
    parity="odd",
    domain=(-1.0, 1.0),
)
def arcsin(x: Any) -> Any:
    """Angle from -pi/2 to pi/2 whose sine is x; NaN outside -1 to 1."""
    return np.arcsin(x)


@elemwise(
    c={"complex": "cacos{f}({x})", "else": "acos{f}({x})"},
    signature="f->f",
    grad=lambda x, dy: -dy / _across(x),
    cost=Cost(flops=23),
    image=(0.0, 3.1415927410125732),
    real="acos(x)",
    monotone="decreasing",
    domain=(-1.0, 1.0),
)
def arccos(x: Any) -> Any:
    """Angle from 0 to pi whose cosine is x; NaN outside -1 to 1."""
    return np.arccos(x)


@elemwise(
    c={"complex": "catan{f}({x})", "else": "atan{f}({x})"},
    signature="f->f",
    grad=lambda x, dy: dy / (1 + sqr(x)),
    cost=Cost(flops=23),
    image=HALF_PI,
    facts=("nonneg if nonneg x",),
    real="atan(x)",
    monotone="increasing",
    parity="odd",
)
def arctan(x: Any) -> Any:
    """Angle from -pi/2 to pi/2 whose tangent is x."""
    return np.arctan(x)


def _unless_zero(x: Any) -> Any:
    """x, and 1 where it is 0: a divisor whose quotient is 0 there."""
    return switch(eq(x, 0), _number(1, x), x)


@elemwise(
    c="hypot{f}({x}, {y})",
    real="sqrt(x * x + y * y)",
    signature="f,f->f",
    grad=lambda x, y, out, dy: (dy * (x / _unless_zero(out)), dy * (y / _unless_zero(out))),
    commutative=True,
    cost=Cost(flops=13),
    image=(0.0, INF),
    parity="even",
    monotone="nondecreasing in x if nonneg x",
)
def hypot(x: Any, y: Any) -> Any:
    """sqrt(x**2 + y**2) without overflow; at the origin its gradient is 0."""
    return np.hypot(x, y)


def _arctan2_grad(y: Any, x: Any, dy: Any) -> tuple[Any, Any]:
    r = hypot(x, y)
    return dy * (x / r / r), -dy * (y / r / r)


@elemwise(
    c="atan2{f}({y}, {x})",
    real="atan2(y, x)",
    signature="f,f->f",
    grad=_arctan2_grad,
    cost=Cost(flops=36),
    image=(-3.1415927410125732, 3.1415927410125732),
    parity="odd in y",
)
def arctan2(y: Any, x: Any) -> Any:
    """Angle from -pi to pi of the point (x, y); note that y comes first."""
    return np.arctan2(y, x)


@elemwise(
    c={"complex": "csinh{f}({x})", "else": "sinh{f}({x})"},
    signature="f->f",
    grad=lambda x, dy: dy * cosh(x),
    cost=Cost(flops=30),
    facts=("nonneg if nonneg x",),
    real="sinh(x)",
    monotone="increasing",
    parity="odd",
    undoes="arcsinh",
)
def sinh(x: Any) -> Any:
    """Hyperbolic sine."""
    return np.sinh(x)


@elemwise(
    c={"complex": "ccosh{f}({x})", "else": "cosh{f}({x})"},
    signature="f->f",
    grad=lambda x, dy: dy * sinh(x),
    cost=Cost(flops=18),
    image=(1.0, INF),
    real="cosh(x)",
    monotone="increasing in x if nonneg x",
    parity="even",
    undoes="arccosh",
    stays="above",
)
def cosh(x: Any) -> Any:
    """Hyperbolic cosine."""
    return np.cosh(x)


@elemwise(
    c={"complex": "casinh{f}({x})", "else": "asinh{f}({x})"},
    signature="f->f",
    grad=lambda x, dy: dy / _one_and_square(x),
    cost=Cost(flops=42),
    facts=("nonneg if nonneg x",),
    real="asinh(x)",
    monotone="increasing",
    parity="odd",
    undoes="sinh",
    unstable=lambda x: {"arcsinh-from-log": log(x + sqrt(sqr(x) + 1))},
)
def arcsinh(x: Any) -> Any:
    """Inverse of the hyperbolic sine."""
    return np.arcsinh(x)


@elemwise(
    c={"complex": "cacosh{f}({x})", "else": "acosh{f}({x})"},
    signature="f->f",
    grad=lambda x, dy: dy / (sqrt(x - 1) * sqrt(x + 1)),
    cost=Cost(flops=45),
    image=(0.0, INF),
    real="acosh(x)",
    monotone="increasing",
    domain=(1.0, INF),
    unstable=lambda x: {"arccosh-from-log": log(x + sqrt(sqr(x) + (-1)))},
)
def arccosh(x: Any) -> Any:
    """Inverse of the hyperbolic cosine, not below 0; NaN where x is below 1."""
    return np.arccosh(x)


@elemwise(
    c={"complex": "catanh{f}({x})", "else": "atanh{f}({x})"},
    signature="f->f",
    grad=lambda x, dy: dy / ((1 - x) * (1 + x)),
    cost=Cost(flops=27),
    facts=("nonneg if nonneg x",),
    real="atanh(x)",
    monotone="increasing",
    parity="odd",
    domain=(-1.0, 1.0),
    undoes="tanh",
)
def arctanh(x: Any) -> Any:
    """Inverse of the hyperbolic tangent; NaN outside -1 to 1."""
    return np.arctanh(x)


def _sinc_grad(x: Any, out: Any, dy: Any) -> Any:
    """The quotient rule away from 0, the series near it; the cosine by the distance from the nearest whole number."""
    from eqsat.graph.ops.elemwise import abs, cos, lt, mod
    from eqsat.graph.ops.rounding import round_half_to_even

    whole, pi = round_half_to_even(x), _number(np.pi, x)
    square = sqr(x * pi)
    near = lt(abs(x), _number(0.01, x))
    series = _number(-np.pi / 3, x) * (x * pi) * (1 - square / 10 * (1 - square / 28 * (1 - square / 54)))
    cosine = (1 - 2 * mod(whole, _number(2, x))) * cos((x - whole) * pi)
    return dy * switch(near, series, (cosine - out) / switch(near, _number(1, x), x))


@elemwise(
    c="eq_sinc__{T}({x})",
    signature="f->f",
    grad=_sinc_grad,
    cost=Cost(flops=26),
    image=(-0.25, 1.0),
    parity="even but for signs of zeros",
)
def sinc(x: Any) -> Any:
    """sin(pi x) / (pi x), and 1 at 0; accurate near whole numbers, where it is 0."""
    pi, whole = np.asarray(np.pi, x.dtype), np.rint(x)
    sign = np.where(np.mod(whole, 2) == 0, 1, -1).astype(x.dtype)
    return np.where(x == 0, np.asarray(1, x.dtype), sign * np.sin(pi * (x - whole)) / (pi * x))
