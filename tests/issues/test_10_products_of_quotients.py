"""A product is not grouped in all ways to find what it is divided by: quotients of it cancel by rules of their own."""

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

v = T.dmatrix("v")
POINT = np.array([[40.0, 3.0, -3.0, 40.0], [3.0, 700.0, 700.0, 1.0], [3.0, -1000.0, 3.0, 1000.0]])
by_hand = 1 / (1 + T.exp(-v))
complement = T.exp(-T.softplus(v))
COSTS = {
    "of a sigmoid and one by hand": [-T.mean(T.log(complement + 1e-12)), T.sum(-T.log(by_hand))],
    "cross entropy by hand": [-T.mean(0.3 * T.log(by_hand + 1e-9) + 0.7 * T.log(1 - by_hand + 1e-9))],
    "quotients of quotients": [
        T.sum(by_hand / (complement + 1e-6) / (2 + by_hand)),
        T.mean(T.log(1 + by_hand)),
    ],
    "squares of quotients": [T.sum(T.sqr(by_hand / (1 + by_hand)) / (3 + by_hand)), T.mean(by_hand)],
}


@pytest.mark.parametrize("costs", COSTS.values(), ids=COSTS)
def test_gradients_saturate_and_stay_finite(costs):
    slopes = [T.grad(cost, v) for cost in costs]
    report = eqsat.optimize(slopes)
    assert not report.budgets
    assert report.e_nodes < 1000
    f = eqsat.function([v], slopes, mode="numpy")
    exact = eqsat.function([v], slopes, mode="reference")
    for got, want in zip(f(POINT), exact(POINT), strict=True):
        assert np.isfinite(got).all()
        known = np.isfinite(want)
        np.testing.assert_allclose(got[known], want[known], rtol=1e-9, atol=1e-15)
