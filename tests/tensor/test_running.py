"""Running extremes: values in all modes, and where their gradients go."""

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
