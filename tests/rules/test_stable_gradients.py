"""Losses as they are written by hand, and their gradients, far from where exp has range: the values of stable ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

SCORES = np.array([[1000.0, 999.0, -1000.0], [0.0, 1.0, 800.0]])
LOGITS = np.array([1000.0, -1000.0, 1000.0, -1000.0, 0.0, 5.0])
OTHERS = np.array([999.0, -1001.0, -1000.0, -1002.0, 1.0, 4.0])
BELOW = np.array([999.0, -1001.0, -1000.0, -1002.0, -1.0, 4.0])
WEIGHTS = T.constant(np.array([1.0, -2.0, 3.0, 0.5, 1.0, 1.0]))
CLASSES = np.array([1, 0, 0, 1, 1, 0])
ONE_HOT = T.eye(3)[[1, 2]]
PICKS = np.array([1, 2])

Loss = Callable[..., Any]


def total(s: Any) -> Any:
    return T.log(T.sum(T.exp(s), axis=1))


def of_class(q: Any, y: Any) -> Any:
    return -T.mean(T.log(T.switch(T.eq(y, 1), q, 1 - q)))


def quotient(s: Any) -> Any:
    return -T.mean(T.log(T.exp(s[T.arange(2), PICKS]) / T.exp(s).sum(axis=1)))


LOSSES: dict[str, tuple[Loss, Loss, list[Any]]] = {
    "mean of logsumexp": (lambda s: T.mean(total(s)), lambda s: T.mean(T.logsumexp(s, axis=1)), [SCORES]),
    "logsumexp over a length": (
        lambda s: T.sum(total(s)) / s.shape[0],
        lambda s: T.mean(T.logsumexp(s, axis=1)),
        [SCORES],
    ),
    "logsumexp less a column": (
        lambda s: T.mean(total(s) - s[:, 0]),
        lambda s: T.mean(T.logsumexp(s, axis=1) - s[:, 0]),
        [SCORES],
    ),
    "two exponentials": (
        lambda a, b: T.sum(T.log(T.exp(a) + T.exp(b))),
        lambda a, b: T.sum(T.maximum(a, b) + T.softplus(-abs(a - b))),
        [LOGITS, OTHERS],
    ),
    "sum of exponentials less another": (
        lambda s, t: T.sum(T.log(T.exp(s).sum(1, keepdims=True) - T.exp(t)[:, None])),
        lambda s, t: T.sum(T.logsumexp(s, axis=1) + T.log1mexp(t - T.logsumexp(s, axis=1))),
        [SCORES, np.array([998.0, -2.0])],
    ),
    "logarithms to base 2": (
        lambda s: T.mean(T.log2(T.sum(2**s, axis=1)) - T.log2(T.exp(s[:, 0]))),
        lambda s: T.mean(T.logsumexp(s * np.log(2), axis=1) - s[:, 0]) / np.log(2),
        [2 * SCORES],
    ),
    "inverse of softplus": (
        lambda a: T.sum(T.log(T.exp(a) - 1)),
        lambda a: T.sum(a + T.log1mexp(-a)),
        [np.array([1000.0, 800.0, 1.0, 1e-3])],
    ),
    "difference of exponentials": (
        lambda a, b: T.sum(T.log(T.exp(a) - T.exp(b))),
        lambda a, b: T.sum(a + T.log1mexp(b - a)),
        [LOGITS, BELOW],
    ),
    "mean of differences of exponentials": (
        lambda a, b: T.mean(WEIGHTS * T.log(T.exp(a) - T.exp(b))),
        lambda a, b: T.mean(WEIGHTS * (a + T.log1mexp(b - a))),
        [LOGITS, BELOW],
    ),
    "sum less an exponential": (
        lambda s, t: T.sum(T.log(T.sum(T.exp(s), axis=1) - T.exp(t))),
        lambda s, t: T.sum(T.logsumexp(s, axis=1) + T.log1mexp(t - T.logsumexp(s, axis=1))),
        [SCORES, np.array([999.0, 1.0])],
    ),
    "two exponentials less a third": (
        lambda a, b, c: T.sum(T.log(T.exp(a) + T.exp(b) - T.exp(c))),
        lambda a, b, c: T.sum(T.logaddexp(a, b) + T.log1mexp(c - T.logaddexp(a, b))),
        [LOGITS, OTHERS, BELOW],
    ),
    "mean of two exponentials": (
        lambda a, b: T.mean(T.log(T.exp(a) + T.exp(b))),
        lambda a, b: T.mean(T.maximum(a, b) + T.softplus(-abs(a - b))),
        [LOGITS, OTHERS],
    ),
    "known classes": (
        lambda s: -T.mean(T.sum(ONE_HOT * T.log(T.softmax(s, axis=1)), axis=1)),
        lambda s: -T.mean(T.log_softmax(s, axis=1)[T.arange(2), PICKS]),
        [SCORES],
    ),
    "quotient of what is picked": (
        quotient,
        lambda s: -T.mean(T.log_softmax(s, axis=1)[T.arange(2), PICKS]),
        [SCORES],
    ),
    "choice of a class": (
        lambda s: of_class(T.sigmoid(s), CLASSES),
        lambda s: T.mean(T.softplus(T.switch(T.eq(CLASSES, 1), -s, s))),
        [LOGITS],
    ),
    "hyperbolic tangent": (
        lambda s: T.sum((T.exp(s) - T.exp(-s)) / (T.exp(s) + T.exp(-s))),
        lambda s: T.sum(T.tanh(s)),
        [LOGITS],
    ),
}


@pytest.mark.parametrize("mode", ["numpy", "FAST_RUN"])
@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.sampled(3)
def test_value_and_gradient_are_those_of_the_stable_op(name: str, mode: str) -> None:
    written, stable, values = LOSSES[name]
    inputs = [T.dmatrix() if v.ndim == 2 else T.dvector() for v in values]
    results = []
    for loss, how in ((written(*inputs), mode), (stable(*inputs), "reference")):
        results.append(eqsat.function(inputs, [loss, *T.grad(loss, inputs)], mode=how)(*values))
    for found, wanted in zip(*results, strict=True):
        assert np.isfinite(wanted).all()
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-15)


def test_in_the_step_of_a_loop() -> None:
    rows, first = T.dmatrix("rows"), T.dvector("first")
    last = eqsat.scan(lambda r, a: T.log(T.exp(a) + T.exp(r)), rows, first)[0][-1].sum()
    values = np.array([[1000.0, -1000.0, 0.0], [999.0, -1000.0, 1.0]]), np.zeros(3)
    value, slope = eqsat.function([rows, first], [last, T.grad(last, rows)])(*values)
    stacked = np.vstack([values[1], values[0]])
    wanted = np.logaddexp.reduce(stacked, axis=0)
    np.testing.assert_allclose(value, wanted.sum(), rtol=1e-12)
    np.testing.assert_allclose(slope, np.exp(stacked - wanted)[1:], rtol=1e-12, atol=1e-15)
