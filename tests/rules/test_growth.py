"""Small graphs whose rewrites once bred new forms without end saturate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

X, Y = T.dvectors("x", "y")
M = T.dmatrix("m")
ONE = T.exp(X - X)
SHARE = T.sigmoid(X)
ODDS = T.log(SHARE / (1 - SHARE))  # linear combinations: softplus(x) = softplus(-x) + x
NOTHING = T.tanh(abs(T.tanh(M - M)))
SCALED = NOTHING * (NOTHING * NOTHING.T).sum(0)
A, B = T.dscalars("a", "b")
ODD = T.exp(A) / (T.exp(B) + 1)
TRANSPOSED_ONES = T.grad(T.logsumexp(M + X - T.logsumexp(X, 0), 1).sum(), X)


def once(x: Any) -> Any:
    """A number in the shape of a vector of length 1."""
    return T.fill(T.alloc(A, 1), x)


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
        [TRANSPOSED_ONES],
        [T.softplus(X) - T.softplus(-X) + 2 * X, T.softplus(X) + T.softplus(-X)],
        [T.log(SHARE) - T.log(1 - SHARE) - 3 * X],
        [X * X * Y * Y / (X * Y), X**3 / Y, Y / X**2 * X],
        [T.minimum(M, T.exp(M))[T.arange(M.shape[0])], T.exp(M)[:, T.arange(M.shape[1])]],
        [T.grad(T.softplus(NOTHING @ (NOTHING * NOTHING.sum())).sum(), M)],
        [T.grad((SCALED @ SCALED).sum(), M)],
        [T.log(T.alloc(ODD, 1)).sum(), once(ODD)[0] + once(B)],
    ],
    ids=[
        "powers of one",
        "zero and one",
        "root of a square",
        "reciprocals",
        "many ways to write x",
        "transposes of ones",
        "linear combinations",
        "logarithms of shares",
        "powers of a product",
        "every index",
        "products of zeros",
        "counts of counts",
        "repeats and parts of one element",
    ],
)
def test_saturates(outputs: list[Any]) -> None:
    report = eqsat.optimize(outputs, seconds=30.0)
    assert report.budgets == []
    assert report.e_nodes < 500


def test_log_odds_beside_their_gradient_saturate() -> None:
    report = eqsat.optimize([ODDS, T.grad(ODDS.sum(), X)], seconds=30.0)
    assert report.budgets == [] and report.unstable == []
    assert report.optimized[0] is X and report.e_nodes < 1500


@pytest.mark.parametrize(
    "cost",
    [
        (T.expm1(X) * T.maximum(Y, 0) - (X - X) / (X / (Y + 2))).sum(),
        (((Y - X) - X / X) * (1 / Y)).sum(),
        (2 * ((Y + X) + (X - Y)) - T.expm1(2 * X) / T.expm1(2 * X).sum()).sum(),
    ],
    ids=["zeros over quotients", "ones", "shares"],
)
def test_sums_of_known_numbers_are_one_number_at_once(cost: Any) -> None:
    report = eqsat.optimize([cost, T.grad(cost, X)], seconds=30.0)
    assert report.budgets == []
    assert report.e_nodes < 400


def differences() -> Any:
    """Every step reads two overlapping parts of the one before."""
    z = M
    for _ in range(20):
        z = T.exp(z[1:] - z[:-1])
    return z


def unrolled() -> Any:
    """A loop written out, that reads one row a step of what is computed for all."""
    rows, h = T.tanh(T.exp(M) * X + 1), X
    for k in range(60):
        h = T.tanh(h + rows[k])
    return h


def filled_up() -> Any:
    """A vector written element by element, then read."""
    h = T.zeros((40,))
    for k in range(40):
        h = T.set_subtensor(h[k], T.exp(X[k]))
    return [h[3], h[1:].sum()]


@pytest.mark.sweep
def test_rounded_numbers_do_not_breed() -> None:
    """Constants that divide and multiply each other would become ever more numbers a digit apart."""
    seen, mu, scale = T.vector("seen", dtype="bool"), T.dscalar("mu"), T.dscalar("scale")
    for z in (X, (X - mu) / T.exp(scale)):
        cost = -T.switch(seen, -0.5 * z**2 - scale, T.log(0.5 * T.erfc(z / np.sqrt(2)))).sum()
        report = eqsat.optimize([cost, *T.grad(cost, [X, scale])], seconds=30.0)
        assert report.e_nodes < 1500


def moving() -> Any:
    """A window that moves over what comes in."""
    window = X
    for k in range(20):
        window = T.concatenate([window, Y[k : k + 1]])[1:]
    return window


def without_elements() -> Any:
    """Parts of which nothing is left, which are equal to all sorts of things."""
    row = T.specify_shape(X, (3,))
    return [(row + 2)[3:] * row[:0], T.inc_subtensor(row[:], 2.0)[:-3], row[2:][::2][::2]]


@pytest.mark.parametrize("graph", [differences, unrolled, filled_up, moving, without_elements])
def test_parts_do_not_breed(graph: Any) -> None:
    report = eqsat.optimize(graph(), seconds=30.0)
    assert report.budgets == []
    assert report.e_nodes < 600


def logistic() -> Any:
    """The last value of a state whose next value reads it twice: parts of it go back step by step if they may."""
    values, _ = eqsat.scan(lambda s, r: s + r * s * (1 - s), X, non_sequences=T.dscalar("r"), n_steps=2000)
    return values[-1]


def gradient_of_last() -> Any:
    """The gradient of a last value, which goes through all the values before it."""
    values, _ = eqsat.scan(lambda s, r: T.tanh(r * s), X, non_sequences=Y, n_steps=50)
    return T.grad(T.sum(values[-1]), [X, Y])


@pytest.mark.parametrize("graph", [logistic, gradient_of_last])
def test_states_are_not_unrolled_from_the_end(graph: Any) -> None:
    report = eqsat.optimize(graph(), seconds=30.0)
    assert report.budgets == []
    assert report.e_nodes < 300
