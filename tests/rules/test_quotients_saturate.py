"""Saturation ends where quotients meet what they are divided by: a value that has a form without the divisor is not distributed over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.graph.walk import free_inputs

x, t, y, mean, scale = T.dvectors("x", "t", "y", "mean", "scale")
spread = T.dscalar("spread")
POINT = {
    x: np.array([3.0, -2.0, 0.25]),
    t: np.array([1.0, 0.0, 0.75]),
    y: np.array([0.5, 1.5, -2.5]),
    mean: np.array([0.0, 2.0, -1.0]),
    scale: np.array([-0.5, 0.25, 1.0]),
    spread: np.array(0.5),
}


def odds(p: Any) -> Any:
    return T.sum(T.log(p) - T.log(1 - p))


def entropy(p: Any) -> Any:
    return -T.mean(t * T.log(p) + (1 - t) * T.log(1 - p))


def divergence(p: Any, q: Any) -> Any:
    return T.sum(p * T.log(p / q) + (1 - p) * T.log((1 - p) / (1 - q)))


COSTS: dict[str, Callable[[], Any]] = {
    "odds": lambda: odds(T.sigmoid(x)),
    "odds by hand": lambda: odds(1 / (1 + T.exp(-x))),
    "odds of a tanh": lambda: odds(0.5 * (1 + T.tanh(x))),
    "odds that are shared": lambda: odds(T.sigmoid(x)) + T.sum(T.sigmoid(x) ** 2),
    "entropy by hand": lambda: entropy(1 / (1 + T.exp(-x))),
    "entropy of a mixture": lambda: entropy(T.sigmoid(x) * 0.98 + 0.01),
    "two divergences": lambda: divergence(T.sigmoid(x), T.sigmoid(y)),
    "a likelihood": lambda: T.sum(0.5 * T.sqr((y - mean) / T.exp(scale)) + scale),
    "a likelihood with a prior of its scale": lambda: (
        T.sum(-0.5 * T.sqr((y - mean) / T.exp(spread)) - spread) + spread - T.log1p(T.exp(2 * spread))
    ),
    "a share of two exponentials": lambda: -T.sum(T.log(T.exp(x) / (T.exp(x) + T.exp(y)))),
    "a share of three exponentials": lambda: -T.sum(T.log(T.exp(x) / (T.exp(x) + T.exp(y) + T.exp(t)))),
    "a density of kernels with a scale": lambda: (
        T.sum(T.log(T.sum(T.exp(-0.5 * T.sqr((x[:, None] - y) / T.exp(spread))), 1))) - 6 * spread
    ),
    "a likelihood with squares": lambda: T.mean(0.5 * ((y - mean) ** 2 / T.exp(scale) ** 2) + scale),
}


@pytest.mark.parametrize("cost", COSTS.values(), ids=COSTS)
@pytest.mark.sampled(4)
def test_values_with_gradients_saturate(cost: Callable[[], Any]) -> None:
    value = cost()
    inputs = [v for v in POINT if v in free_inputs([value])]
    outs = [value, *T.grad(value, inputs)]
    f = eqsat.function(inputs, outs, mode="numpy")
    assert not f.report.budgets
    assert f.report.e_nodes < 1500
    given = [POINT[v] for v in inputs]
    wanted = eqsat.function(inputs, outs, mode="reference")(*given)
    for ours, theirs in zip(f(*given), wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("p", [T.sigmoid, T.tanh, T.erf, T.sin])
def test_what_cancels_leaves_a_number_of_its_shape(p: Callable[[Any], Any]) -> None:
    v = T.dmatrix("v")
    filled = eqsat.optimize(T.fill(p(v), np.float64(1.0))).cost_after
    for out in (p(v) + (1 - p(v)), (p(v) + 1) - p(v), -(p(v) - (1 + p(v)))):
        assert eqsat.optimize(out).cost_after <= 1.1 * filled
        found = eqsat.function([v], out, mode="numpy")([[0.5, -3.0]])
        np.testing.assert_array_equal(found, [[1.0, 1.0]])


@pytest.mark.sweep
def test_the_gradient_of_log_odds_is_one() -> None:
    for p in (T.sigmoid(x), 1 / (1 + T.exp(-x))):
        slope = eqsat.function([x], T.grad(odds(p), x), mode="numpy")
        np.testing.assert_array_equal(slope([-1000.0, 0.5, 1000.0]), [1.0, 1.0, 1.0])
