"""Running extremes and logarithms of sums: values in all modes, and where their gradients go."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

RUNNING: list[Any] = [(T.cummax, np.maximum, np.argmax), (T.cummin, np.minimum, np.argmin)]


@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE", "numpy"])
@pytest.mark.parametrize("axis", [0, 1])
def test_values_and_gradients(axis: int, mode: str) -> None:
    x, w = T.dmatrix("x"), T.dmatrix("w")
    made = [op(x, axis=axis) for op, _, _ in RUNNING]
    f = eqsat.function([x, w], [*made, *(eqsat.grad(T.sum(y * w), x) for y in made)], mode=mode)
    dice = np.random.default_rng(0)
    for shape in ((3, 4), (0, 3), (3, 0), (1, 1), (5, 40)):
        v, weights = np.round(dice.normal(size=shape), 1), dice.normal(size=shape)
        found = f(v, weights)
        for k, (_, pair, place) in enumerate(RUNNING):
            np.testing.assert_array_equal(found[k], pair.accumulate(v, axis=axis))
            wanted = np.zeros_like(v)  # the first of equal elements has the gradient
            for i, j in np.ndindex(*shape):
                if axis == 0:
                    wanted[place(v[: i + 1, j]), j] += weights[i, j]
                else:
                    wanted[i, place(v[i, : j + 1])] += weights[i, j]
            np.testing.assert_allclose(found[2 + k], wanted, atol=1e-12)


def test_numbers_after_nan_are_nan() -> None:
    x = T.dvector("x")
    f = eqsat.function([x], [T.cummax(x), T.cummin(x)])
    for found in f(np.array([1.0, np.nan, 3.0, -np.inf])):
        np.testing.assert_array_equal(np.isnan(found), [False, True, True, True])


def test_a_loop_of_maxima_is_a_running_maximum() -> None:
    x = T.dvector("x")
    y, _ = eqsat.scan(lambda e, m: T.maximum(m, e), sequences=x, outputs_info=x[0])
    (best,) = eqsat.optimize(y).optimized
    assert "cummax" in str(best) and "scan" not in str(best)


@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE", "numpy"])
@pytest.mark.parametrize("axis", [0, 1])
def test_logarithms_of_running_sums(axis: int, mode: str) -> None:
    x, w = T.dmatrix("x"), T.dmatrix("w")
    y = T.logcumsumexp(x, axis=axis)
    f = eqsat.function([x, w], [y, eqsat.grad(T.sum(y * w), x)], mode=mode)
    dice = np.random.default_rng(0)
    for shape in ((3, 4), (0, 3), (3, 0), (1, 1), (5, 40)):
        v, weights = 300 * dice.normal(size=shape), dice.normal(size=shape)
        found, slope = f(v, weights)
        np.testing.assert_allclose(found, np.logaddexp.accumulate(v, axis=axis), rtol=1e-14)
        wanted = np.zeros(shape)
        for k in range(shape[axis]):  # each sum gives its weight to the elements up to it, in shares
            upto = np.take(v, range(k + 1), axis)
            shares = np.exp(upto - np.logaddexp.reduce(upto, axis=axis, keepdims=True))
            np.moveaxis(wanted, axis, 0)[: k + 1] += np.moveaxis(
                shares * np.take(weights, [k], axis), axis, 0
            )
        np.testing.assert_allclose(slope, wanted, rtol=1e-9, atol=1e-12)


def test_infinities_of_running_logarithms() -> None:
    x = T.dvector("x")
    y = T.logcumsumexp(x)
    value, slope = eqsat.function([x], [y, eqsat.grad(T.sum(y), x)])(np.array([-np.inf, 800.0, np.inf, 1.0]))
    np.testing.assert_array_equal(value, [-np.inf, 800.0, np.inf, np.inf])
    np.testing.assert_array_equal(slope[1:], [1.0, 2.0, 0.0])


@pytest.mark.parametrize(
    "written",
    [
        lambda x, u: T.cumsum(T.exp(x)),
        lambda x, u: T.cumsum(T.exp(x - 3.0)) * T.exp(u[0]),
        lambda x, u: T.cumsum(T.sqr(u) * T.exp(x)),
        lambda x, u: T.cumsum(T.exp(x) / T.exp(u)),
        lambda x, u: T.cumsum(T.sigmoid(x)),
    ],
)
def test_the_logarithm_of_a_running_sum_of_exponentials(written: Any) -> None:
    x, u = T.dvectors("x", "u")
    (best,) = eqsat.optimize(T.log(written(x, u))).optimized
    assert "logcumsumexp" in str(best)
    v, weights = np.array([0.5, -2.0, 1.0]), np.array([0.25, 2.0, -1.0])
    found, wanted = (
        eqsat.function([x, u], T.log(written(x, u)), mode=m, on_unused_input="ignore")(v, weights)
        for m in ("FAST_RUN", "reference")
    )
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    far = eqsat.function([x], T.log(T.cumsum(T.exp(x))))(np.array([900.0, -900.0, 901.0]))
    np.testing.assert_allclose(far, [900.0, 900.0, 901.0 + np.log1p(np.exp(-1.0))])
