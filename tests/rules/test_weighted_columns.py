"""Logarithms of weighted exponentials and their gradients: risk sets, means with weights, counts with a soft rate, marks over fillings."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

import eqsat
import eqsat.tensor as T

FAR = np.array([1000.0, -1000.0, 0.0, 3.0])
SETS = np.tri(4)
WEIGHTS = np.array([[0.2, 1.5, 3.0, 0.1], [1.0, 0.1, 2.0, 5.0]])
ROWS = np.array([[1000.0, 0.0, -1000.0, 999.0], [-1000.0, -999.0, -1001.0, -1000.0]])


def both(build: Callable[..., Any], *values: Any) -> list[Any]:
    """A cost, its gradients, and these without the cost."""
    inputs = [T.TensorType("float64", (None,) * v.ndim)() for v in values]
    cost = build(*inputs)
    grads = T.grad(cost, inputs)
    alone = eqsat.function(inputs, grads, mode="numpy")(*values)
    value, *beside = eqsat.function(inputs, [cost, *grads], mode="numpy")(*values)
    for one, other in zip(alone, beside, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-300)
    return [value, *alone]


@pytest.mark.parametrize("word", ["matrix", "constant"])
def test_risk_sets(word: str) -> None:
    sets = T.constant(SETS)
    if word == "matrix":
        z, m = T.dvector(), T.dmatrix()
        loss = T.sum(T.log(T.dot(m, T.exp(z))) - z)
        outs = eqsat.function([z, m], [loss, T.grad(loss, z)], mode="numpy")(FAR, SETS)
        alone = eqsat.function([z, m], T.grad(loss, z), mode="numpy")(FAR, SETS)
        np.testing.assert_allclose(alone, outs[1], rtol=1e-12, atol=1e-300)
    else:
        outs = both(lambda z: T.sum(T.log(T.dot(sets, T.exp(z))) - z), FAR)
    with np.errstate(divide="ignore"):
        logs = FAR + np.log(SETS)
    totals = special.logsumexp(logs, axis=1)
    np.testing.assert_allclose(outs[0], np.sum(totals - FAR), rtol=1e-13)
    np.testing.assert_allclose(outs[1], np.exp(logs - totals[:, None]).sum(0) - 1, rtol=1e-12, atol=1e-15)


def test_a_mean_with_weights() -> None:
    value, by_rows, by_weights = both(
        lambda s, w: T.sum(T.log(T.sum(w * T.exp(s), axis=1) / T.sum(w, axis=1))), ROWS, WEIGHTS
    )
    logs = special.logsumexp(ROWS, axis=1, b=WEIGHTS, keepdims=True)
    np.testing.assert_allclose(value, np.sum(logs[:, 0] - np.log(WEIGHTS.sum(1))), rtol=1e-13)
    np.testing.assert_allclose(by_rows, WEIGHTS * np.exp(ROWS - logs), rtol=1e-11, atol=1e-300)
    np.testing.assert_allclose(
        by_weights, np.exp(ROWS - logs) - 1 / WEIGHTS.sum(1, keepdims=True), rtol=1e-10
    )


def test_counts_with_a_soft_rate() -> None:
    counts = T.constant(np.array([0.0, 3.0, 1.0, 7.0]))

    def loss(z: Any) -> Any:
        rate = T.log(1 + T.exp(z))
        return T.sum(rate - counts * T.log(rate))

    value, slope = both(loss, FAR)
    assert np.isfinite(value)
    small = special.expit(FAR[2:]) * (1 - np.array([1.0, 7.0]) / np.logaddexp(0, FAR[2:]))
    np.testing.assert_allclose(slope, [1.0, -3.0, *small], rtol=1e-12)


SLOPES = {
    "softplus": (T.softplus, lambda x: special.expit(x) / np.logaddexp(0, x), [-30.0, 0.0, 900.0]),
    "cosh": (T.cosh, np.tanh, [-900.0, 0.1, 900.0]),
    "erfc": (T.erfc, lambda x: -2 / np.sqrt(np.pi) / special.erfcx(x), [0.0, 3.0, 40.0]),
}


@pytest.mark.parametrize("name", SLOPES)
def test_the_slope_of_a_logarithm_comes_from_what_ops_declare(name: str) -> None:
    f, slope, points = SLOPES[name]
    x, u = T.dvector("x"), T.dvector("u")
    gradient = T.grad(T.sum(T.log(f(x)) * u), x)
    found = eqsat.function([x, u], gradient, mode="numpy")(points, [2.0, 3.0, 0.5])
    np.testing.assert_allclose(found, slope(np.array(points)) * [2.0, 3.0, 0.5], rtol=1e-11)


SOON = """
import eqsat, eqsat.tensor as T
x, y = T.dscalars("x", "y")
report = eqsat.optimize(T.grad(-T.log(T.exp(x) / (T.exp(x) + T.exp(y))), x))
assert not report.budgets and report.e_nodes < 1000 and report.unstable == [], report
"""


def test_a_quotient_by_two_exponentials_saturates_soon() -> None:
    """In a new process: which rules are at hand, and so how much is tried, depends on the graphs before."""
    done = subprocess.run([sys.executable, "-c", SOON], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_is_filled_into_a_shape_stays_priced_out() -> None:
    s, w = T.dmatrix("s"), T.dmatrix("w")
    loss = T.sum(T.log(T.sum(w * T.exp(s), axis=1) / T.sum(w, axis=1)))
    gradient = eqsat.function([s, w], T.grad(loss, w), mode="numpy")
    assert np.isfinite(gradient(ROWS, WEIGHTS)).all()
