"""The logarithm of the share of a picked class, and its gradient, where the class is far from likely."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.tensor.nnet import softmax

SCORES = np.array([[1000.0, 0.0, -1000.0], [3.0, 4.0, 5.0]])
LABELS = np.array([2, 1])
SHARES = np.array([[1.0, 0.0, 0.0], np.exp([3.0, 4.0, 5.0]) / np.exp([3.0, 4.0, 5.0]).sum()])
LOSS = 2000.0 - np.log(SHARES[1, 1])
SLOPE = SHARES - np.eye(3)[LABELS]


def written(scores: Any) -> Any:
    return T.exp(scores) / T.exp(scores).sum(axis=1, keepdims=True)


@pytest.mark.parametrize("mode", ["numpy", "FAST_RUN"])
@pytest.mark.parametrize("share", [softmax, written])
@pytest.mark.parametrize("inside", [False, True])
def test_a_class_of_each_row(mode: str, share: Callable[[Any], Any], inside: bool) -> None:
    scores, labels = T.dmatrix("scores"), T.lvector("labels")
    rows = T.arange(labels.shape[0])
    p = share(scores)
    loss = -T.sum(T.log(p)[rows, labels] if inside else T.log(p[rows, labels]))
    f = eqsat.function([scores, labels], [loss, T.grad(loss, scores)], mode=mode)
    value, slope = f(SCORES, LABELS)
    np.testing.assert_allclose(value, LOSS, rtol=1e-12)
    np.testing.assert_allclose(slope, SLOPE, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("known", [False, True])
def test_one_class_of_one_row(known: bool) -> None:
    scores, label = T.dvector("scores"), T.lscalar("label")
    loss = -T.log(softmax(scores)[0, 2 if known else label])
    f = eqsat.function([scores, label], [loss, T.grad(loss, scores)], on_unused_input="ignore")
    value, slope = f(SCORES[0], 2)
    assert value == 2000.0
    np.testing.assert_array_equal(slope, [1.0, 0.0, -1.0])


def test_classes_that_are_picked_twice_count_twice() -> None:
    scores, labels = T.dvector("scores"), T.lvector("labels")
    loss = -T.sum(T.log(softmax(scores)[0, labels]))
    slope = eqsat.function([scores, labels], T.grad(loss, scores))(SCORES[0], [2, 0, 2])
    np.testing.assert_array_equal(slope, [2.0, 0.0, -2.0])
