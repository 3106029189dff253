"""Small graphs whose rewrites once bred new forms without end saturate."""

from __future__ import annotations

from typing import Any

import pytest

import eqsat
import eqsat.tensor as T

X, Y = T.dvectors("x", "y")
ONE = T.exp(X - X)


@pytest.mark.parametrize(
    "outputs",
    [
        [T.sqr(ONE * ONE * T.exp(Y))],
        [0 * X + 1, (X + 1) - 1, T.neg(T.neg(X))],
        [X * 0, (X + 1) - 1, T.sqrt(X**2)],
        [1 / (1 / X), (X + 1) - 1, T.neg(T.neg(X))],
        [
            X * 0,
            X**0,
            T.exp(T.log(X)),
            T.log(T.exp(X)),
            T.sqrt(X) ** 2,
            1 / (1 / X),
            (X + 1) - 1,
            T.neg(T.neg(X)),
        ],
    ],
    ids=["powers of one", "zero and one", "root of a square", "reciprocals", "many ways to write x"],
)
def test_saturates(outputs: list[Any]) -> None:
    report = eqsat.optimize(outputs, seconds=30.0)
    assert report.budgets == []
    assert report.e_nodes < 500
