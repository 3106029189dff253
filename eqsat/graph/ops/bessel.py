"""Bessel functions of the orders 0 and 1. Results of float32 are computed in float64 and rounded once."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.graph.declare import Cost, elemwise
from eqsat.graph.ops.elemwise import _number, eq, neg, sub, switch
from eqsat.graph.ops.special import INF, NARROW, _scipy


def _at_infinity(name: str, x: Any, value: Any) -> Any:
    return np.where(np.isinf(x), value, _scipy(name)(x)).astype(x.dtype)


def _modified(name: str, x: Any, value: Any) -> Any:
    """A modified function from the scaled one, which overflows no earlier than the result does."""
    root = np.exp(np.abs(x.astype(float)) / 2)
    scaled = _scipy(name)(x.astype(float)) * root * root
    return np.where(np.isinf(x), value, scaled).astype(x.dtype)


def _over(y: Any, x: Any) -> Any:
    """y / x, and 1/2 where x is 0: the limit of J1 and of I1."""
    zero = eq(x, 0)
    return switch(zero, _number(0.5, x), y / switch(zero, _number(1, x), x))


@elemwise(
    c=NARROW % "j0({x})",
    signature="f->f",
    grad=lambda x, dy: neg(dy * j1(x)),
    cost=Cost(flops=400, vector=False),
    image=(-0.41, 1.0),
    parity="even",
    real="besselj(0, x)",
)
def j0(x: Any) -> Any:
    """Bessel function of the first kind of order 0."""
    return _at_infinity("j0", x, 0)


@elemwise(
    c=NARROW % "j1({x})",
    signature="f->f",
    grad=lambda x, out, dy: dy * sub(j0(x), _over(out, x)),
    cost=Cost(flops=360, vector=False),
    image=(-0.59, 0.59),
    parity="odd",
    real="besselj(1, x)",
)
def j1(x: Any) -> Any:
    """Bessel function of the first kind of order 1."""
    return _at_infinity("j1", x, np.copysign(0, x))


@elemwise(
    c=NARROW % "eq_bessel_i__double({x}, 0)",
    signature="f->f",
    grad=lambda x, dy: dy * i1(x),
    cost=Cost(flops=1000, vector=False),
    image=(1.0, INF),
    parity="even",
    monotone="increasing in x if nonneg x",
    real="besseli(0, x)",
)
def i0(x: Any) -> Any:
    """Modified Bessel function of the first kind of order 0."""
    return _modified("i0e", x, INF)


@elemwise(
    c=NARROW % "eq_bessel_i__double({x}, 1)",
    signature="f->f",
    grad=lambda x, out, dy: dy * sub(i0(x), _over(out, x)),
    cost=Cost(flops=600, vector=False),
    monotone="increasing",
    parity="odd but for signs of zeros",
    real="besseli(1, x)",
)
def i1(x: Any) -> Any:
    """Modified Bessel function of the first kind of order 1."""
    return _modified("i1e", x, x)
