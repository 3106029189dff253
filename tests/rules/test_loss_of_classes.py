"""Gradients of losses of two classes stay finite however the loss is spelled, far out on both sides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

FAR = np.array([40.0, 800.0, -1000.0, 0.5])
TARGETS = np.array([0.0, 1.0, 1.0, 0.0])

SPELLINGS: dict[str, Callable[[Any, Any], Any]] = {
    "minus before the mean": lambda p, y: -T.mean(y * T.log(p) + (1 - y) * T.log(1 - p)),
    "minus inside": lambda p, y: T.mean(-y * T.log(p) - (1 - y) * T.log(1 - p)),
    "a sum over a number": lambda p, y: -T.sum(y * T.log(p) + (1 - y) * T.log(1 - p)) / 4,
    "two means": lambda p, y: -T.mean(y * T.log(p)) - T.mean((1 - y) * T.log(1 - p)),
    "a choice": lambda p, y: -T.mean(T.switch(T.gt(y, 0.5), T.log(p), T.log(1 - p))),
    "a sum of choices": lambda p, y: -T.sum(T.switch(T.gt(y, 0.5), T.log(p), T.log(1 - p))) * 0.25,
}
PROBABILITIES: dict[str, Callable[[Any], Any]] = {
    "sigmoid": T.sigmoid,
    "written out": lambda z: 1 / (1 + T.exp(-z)),
}


@pytest.mark.parametrize("probability", PROBABILITIES)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_gradient_is_finite_everywhere(spelling: str, probability: str) -> None:
    z, y = T.dvectors("z", "y")
    loss = SPELLINGS[spelling](PROBABILITIES[probability](z), y)
    gradient = eqsat.function([z, y], T.grad(loss, z), mode="numpy")
    with np.errstate(over="ignore"):
        wanted = (1 / (1 + np.exp(-FAR)) - TARGETS) / 4
    np.testing.assert_allclose(gradient(FAR, TARGETS), wanted, rtol=1e-12, atol=1e-300)


def test_of_a_regression_too() -> None:
    rows, w, b, y = T.dmatrix("rows"), T.dvector("w"), T.dscalar("b"), T.dvector("y")
    loss = SPELLINGS["minus before the mean"](T.sigmoid(rows @ w + b), y)
    step = eqsat.function([rows, w, b, y], T.grad(loss, [w, b]))
    for found in step(FAR[:, None], [1.0], 0.0, TARGETS):
        assert np.isfinite(found).all()
