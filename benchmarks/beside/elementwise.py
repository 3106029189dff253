"""Chains of elementwise functions over ten million numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from beside.workload import normal, uniform, workload

N = 10_000_000


def chain(m: Any, x: Any, y: Any) -> Any:
    """Fourteen operations of arithmetic."""
    t = 2 * x + 3 * y
    v = (t * t - x * y) / (1 + x * x)
    return m.where(v > 1, v - 1, 0.5 * v) + 0.25 * abs(y) - 0.1 * (x - y) * (x - y)


def transcendental(m: Any, x: Any, y: Any) -> Any:
    """Functions that take longer than memory does."""
    return m.exp(-x * x) * m.tanh(y) + m.log1p(abs(x)) + m.log(1 + m.exp(y))


@workload("chain of 14 operations, 1e7 float32", 1e-5, x=normal("float32", N), y=normal("float32", N))
def chain_f32(m: Any, x: Any, y: Any) -> Any:
    return chain(m, x, y)


@workload("chain of 14 operations, 1e7 float64", 1e-12, x=normal("float64", N), y=normal("float64", N))
def chain_f64(m: Any, x: Any, y: Any) -> Any:
    return chain(m, x, y)


@workload("exp, tanh, log1p, log, 1e7 float32", 1e-5, x=normal("float32", N), y=normal("float32", N))
def trans_f32(m: Any, x: Any, y: Any) -> Any:
    return transcendental(m, x, y)


@workload("exp, tanh, log1p, log, 1e7 float64", 1e-12, x=normal("float64", N), y=normal("float64", N))
def trans_f64(m: Any, x: Any, y: Any) -> Any:
    return transcendental(m, x, y)


@workload("GELU by erf, 1e7 float32", 1e-5, x=normal("float32", N))
def gelu_f32(m: Any, x: Any) -> Any:
    return 0.5 * x * (1 + m.erf(x * math.sqrt(0.5)))


def black_scholes(m: Any, spot: Any, strike: Any, years: Any) -> Any:
    """Prices of a call and a put."""
    rate, volatility = 0.03, 0.25
    spread = volatility * m.sqrt(years)
    up = (m.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / spread
    first, second = (0.5 * (1 + m.erf(d * math.sqrt(0.5))) for d in (up, up - spread))
    owed = strike * m.exp(-rate * years)
    call = spot * first - owed * second
    return call, call - spot + owed


@workload(
    "Black-Scholes call and put, 1e7 float64",
    1e-11,
    spot=uniform("float64", 10, 50, N),
    strike=uniform("float64", 10, 50, N),
    years=uniform("float64", 0.1, 2, N),
)
def blackscholes_f64(m: Any, spot: Any, strike: Any, years: Any) -> Any:
    return black_scholes(m, spot, strike, years)


M = 2_000_000


@workload("swish and its slope, 2e6 float32", 1e-5, x=normal("float32", M))
def swish_slope(m: Any, x: Any) -> Any:
    s = m.sigmoid(x)
    return x * s, s + x * s * (1 - s)


@workload(
    "one step of Adam on 1e6 weights, float32",
    1e-5,
    weights=normal("float32", 1_000_000),
    slope=normal("float32", 1_000_000),
    mean=normal("float32", 1_000_000, scale=0.1),
    square=uniform("float32", 0.1, 1, 1_000_000),
)
def adam(m: Any, weights: Any, slope: Any, mean: Any, square: Any) -> Any:
    new_mean = 0.9 * mean + 0.1 * slope
    new_square = 0.999 * square + 0.001 * slope * slope
    step = 0.01 * (new_mean / 0.1) / (m.sqrt(new_square / 0.001) + 1e-8)
    return weights - step, new_mean, new_square


@workload(
    "angle between directions of 1e6 points, float64",
    1e-10,
    p=normal("float64", 3, 1_000_000),
    q=normal("float64", 3, 1_000_000),
)
def angles(m: Any, p: Any, q: Any) -> Any:
    norms = m.sqrt((p * p).sum(0)) * m.sqrt((q * q).sum(0))
    return m.arccos(0.999 * (p * q).sum(0) / norms)


def numba_map(about: Callable[..., Any]) -> Callable[[], Callable[..., Any]]:
    """A parallel loop over a scalar function of numbers, compiled by Numba."""

    def build() -> Callable[..., Any]:
        import numba

        one = numba.njit(fastmath=True)(about)

        @numba.njit(parallel=True, fastmath=True)
        def loop(x, y):  # type: ignore[no-untyped-def]
            out = np.empty_like(x)
            for i in numba.prange(x.size):
                out[i] = one(x[i], y[i])
            return out

        return loop

    return build


def chain_one(x: float, y: float) -> float:
    """The chain, of two numbers."""
    t = x + x + y + y + y
    v = (t * t - x * y) / (1 + x * x)
    return (v - 1 if v > 1 else v / 2) + abs(y) / 4 - (x - y) * (x - y) / 10


def trans_one(x: float, y: float) -> float:
    """The transcendental chain, of two numbers."""
    return math.exp(-x * x) * math.tanh(y) + math.log1p(abs(x)) + math.log(1 + math.exp(y))


for _work, _one in (
    (chain_f32, chain_one),
    (chain_f64, chain_one),
    (trans_f32, trans_one),
    (trans_f64, trans_one),
):
    _work.in_numba(numba_map(_one))
