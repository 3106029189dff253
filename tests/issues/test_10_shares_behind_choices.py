"""Logarithms of shares whose exponentials stand behind a pick or a choice, quotients of hyperbolic functions, and what gains nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

x, y = T.dvectors("x", "y")
X, k, m = T.dmatrix("X"), T.lvector("k"), T.vector("m", dtype="bool")
SCORES = np.array([[1000.0, 0.0, -1000.0], [3.0, 4.0, 5.0]])
PICKED = np.array([2, 1])
MASK = np.array([False, True, True])
SHARE = np.exp([3.0, 4.0, 5.0]) / np.exp([3.0, 4.0, 5.0]).sum()


def test_the_log_of_a_picked_exponential_over_its_total() -> None:
    share = T.exp(X)[T.arange(2), k] / T.sum(T.exp(X), 1)
    for loss in (T.log(share), -T.log(1 / share)):
        found = eqsat.function([X, k], loss, mode="numpy")(SCORES, PICKED)
        np.testing.assert_allclose(found, [-2000.0, np.log(SHARE[1])], rtol=1e-12)


def masked_by_choice(v: Any) -> Any:
    return T.switch(m, T.exp(v), 0)


def masked_by_other_choice(v: Any) -> Any:
    return T.switch(T.invert(m), 0, T.exp(v))


def masked_by_product(v: Any) -> Any:
    return m * T.exp(v)


@pytest.mark.parametrize("masked", [masked_by_choice, masked_by_other_choice, masked_by_product])
def test_shares_of_what_is_not_masked(masked: Callable[[Any], Any]) -> None:
    share = masked(x) / T.sum(masked(x))
    found = eqsat.function([m, x], share, mode="numpy")(MASK, [1000.0, 700.0, 900.0])
    np.testing.assert_allclose(found, [0.0, np.exp(-200.0), 1.0], rtol=1e-12)


@pytest.mark.parametrize(
    "coth",
    [
        lambda v: (T.exp(v) + T.exp(-v)) / (T.exp(v) - T.exp(-v)),
        lambda v: (T.exp(2 * v) + 1) / (T.exp(2 * v) - 1),
        lambda v: T.cosh(v) / T.sinh(v),
        lambda v: 3 * (T.cosh(v) / T.sinh(v)) / 3,
    ],
)
def test_the_hyperbolic_cotangent(coth: Callable[[Any], Any]) -> None:
    points = np.array([1000.0, -1000.0, 1e-9, 0.5])
    found = eqsat.function([x], coth(x), mode="numpy")(points)
    np.testing.assert_allclose(found, 1 / np.tanh(points), rtol=1e-12)


def test_exponentials_over_one_and_other_exponentials() -> None:
    e = T.exp(x)
    for share, wanted in [
        (e / (1 + T.exp(2 * x)), [0.0, 0.0, 0.5]),
        (e * T.exp(y) / (1 + e), [np.exp(900.0 - 1000.0), np.exp(-400.0), 0.5]),
    ]:
        f = eqsat.function([x, y], share, mode="numpy", on_unused_input="ignore")
        at = [-1000.0, 1000.0, 0.0], [900.0, -400.0, 0.0]
        np.testing.assert_allclose(f(*at), wanted, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize(
    "inside",
    [T.sqr(y), T.sqr(x * T.exp(y)), T.sum(T.sqr(y * T.exp(x))), T.sqr(T.sqr(y * T.exp(x)) * x)],
    ids=str,
)
def test_what_is_no_more_stable_is_no_dearer(inside: Any) -> None:
    for out in (T.log(inside + 1), T.log1p(inside), T.sqrt(inside), inside / T.sum(inside)):
        report = eqsat.optimize(out)
        assert report.cost_after <= report.cost_before * 1.001, str(report)
