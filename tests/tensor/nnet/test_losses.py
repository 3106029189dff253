"""Softmax shapes, and cross-entropies whose value and gradient hold at any input, in every mode."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import DTypeError, EqsatError, RankError, ShapeError
from eqsat.gradient import verify_grad

N = T.nnet
rng = np.random.default_rng(11)
EXTREME = np.array([[1000.0, -1000.0, 0.0], [-1000.0, 1000.0, 5.0], [800.0, 800.0, -800.0], [0.1, 0.2, 0.3]])
CLASSES = np.array([1, 1, 2, 0])
ONE_HOT = np.eye(3)[CLASSES]


def soft(x: Any) -> Any:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def log_soft(x: Any) -> Any:
    x = x - x.max(axis=-1, keepdims=True)
    return x - np.log(np.exp(x).sum(axis=-1, keepdims=True))


def test_softmax_of_a_vector_is_a_row() -> None:
    v, t = rng.normal(size=4), rng.normal(size=(2, 3, 4))
    for name, wanted in (("softmax", soft), ("logsoftmax", log_soft), ("log_softmax", log_soft)):
        f = getattr(N, name)
        np.testing.assert_allclose(f(v).eval(mode="reference"), wanted(v)[None])
        np.testing.assert_allclose(f(t).eval(mode="reference"), wanted(t))
        np.testing.assert_allclose(f(v, axis=0).eval(mode="reference"), wanted(v))
    np.testing.assert_allclose(T.softmax(v).eval(mode="reference"), soft(v))
    x, b = rng.normal(size=(2, 4)), rng.normal(size=4)
    np.testing.assert_allclose(N.softmax_with_bias(x, b).eval(mode="reference"), soft(x + b))


@pytest.fixture(scope="module")
def losses() -> Any:
    """Losses of logits against class numbers and probabilities, with their gradients."""
    x, y, t = T.dmatrix("x"), T.lvector("y"), T.dmatrix("t")
    p = N.softmax(x)
    each = [
        N.categorical_crossentropy(p, y),
        N.categorical_crossentropy(p, t),
        N.crossentropy_categorical_1hot(p, y),
        N.crossentropy_softmax_1hot(x, y)[0],
        N.crossentropy_softmax_1hot_with_bias(x, np.zeros(3), y)[0],
        N.crossentropy_softmax_max_and_argmax_1hot_with_bias(x, np.zeros(3), y)[0],
    ]
    return [x, y, t], [v for loss in each for v in (loss, T.grad(loss.sum(), x))]


def test_gradient_of_cross_entropy_is_softmax_minus_one_hot(losses: Any, seed_mode: str) -> None:
    inputs, outputs = losses
    found = eqsat.function(inputs, outputs, mode=seed_mode)(EXTREME, CLASSES, ONE_HOT)
    for loss, gradient in zip(found[::2], found[1::2], strict=True):
        np.testing.assert_allclose(loss, -log_soft(EXTREME)[np.arange(4), CLASSES], rtol=1e-12)
        np.testing.assert_allclose(gradient, soft(EXTREME) - ONE_HOT, atol=1e-14)


def test_cross_entropy_of_a_vector_and_of_soft_targets() -> None:
    v, t = rng.normal(size=4), soft(rng.normal(size=(1, 4)))
    found = N.categorical_crossentropy(N.softmax(v), t).eval(mode="reference")
    np.testing.assert_allclose(found, -(t * log_soft(v)).sum(axis=1))
    p = soft(rng.normal(size=(3, 4)))
    y = np.array([0, 3, 1], "int32")
    found = N.categorical_crossentropy(p, y).eval(mode="reference")
    np.testing.assert_allclose(found, -np.log(p[np.arange(3), y]))
    verify_grad(lambda q: N.categorical_crossentropy(q, y), [p])
    verify_grad(lambda q: N.categorical_crossentropy(N.softmax(q), p), [p])


def test_the_spelling_of_the_tutorials_is_stable(seed_mode: str) -> None:
    x, y = T.dmatrix(), T.lvector()
    loss = -T.mean(T.log(N.softmax(x))[T.arange(y.shape[0]), y])
    if seed_mode != "reference":  # the graph as written takes the logarithm of 0
        found = eqsat.function([x, y], [loss, T.grad(loss, x)], mode=seed_mode)(EXTREME, CLASSES)
        np.testing.assert_allclose(found[0], -log_soft(EXTREME)[np.arange(4), CLASSES].mean(), rtol=1e-12)
        np.testing.assert_allclose(found[1], (soft(EXTREME) - ONE_HOT) / 4, atol=1e-14)


def test_binary_cross_entropy_holds_at_any_input(seed_mode: str) -> None:
    x, t = T.dvector("x"), T.dvector("t")
    losses = [N.binary_crossentropy(N.sigmoid(x), t), N.sigmoid_binary_crossentropy(x, t)]
    outputs = [v for loss in losses for v in (loss, T.grad(loss.sum(), x))]
    a, b = np.array([-1000.0, 1000.0, -1000.0, 1000.0, 0.3]), np.array([0.0, 1.0, 1.0, 0.0, 0.7])
    found = eqsat.function([x, t], outputs, mode=seed_mode)(a, b)
    wanted = b * np.logaddexp(0, -a) + (1 - b) * np.logaddexp(0, a)
    for loss, gradient in zip(found[::2], found[1::2], strict=True):
        np.testing.assert_allclose(loss, wanted)
        np.testing.assert_allclose(gradient, np.array([0, 1, 0, 1, 1 / (1 + np.exp(-0.3))]) - b, atol=1e-14)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_class_numbers_of_another_length_are_refused(count: int, seed_mode: str) -> None:
    x, classes = T.dmatrix("x"), T.lvector("classes")
    loss = T.nnet.categorical_crossentropy(T.softmax(x), classes)
    for output in (loss, T.grad(loss.mean(), x)):
        with pytest.raises(ShapeError, match=rf"axis 0 has the lengths 3 and {count}"):
            eqsat.function([x, classes], output, mode=seed_mode)(np.eye(3), np.arange(count) % 3)


def test_binary_cross_entropy_of_probabilities_and_its_dtype() -> None:
    p, t = rng.uniform(0.1, 0.9, (2, 3)), rng.uniform(0, 1, (2, 3))
    found = N.binary_crossentropy(p, t).eval(mode="reference")
    np.testing.assert_allclose(found, -(t * np.log(p) + (1 - t) * np.log(1 - p)))
    verify_grad(lambda q: N.binary_crossentropy(q, t), [p])
    assert N.binary_crossentropy(T.fmatrix(), T.fmatrix()).dtype == "float32"


def test_largest_and_its_place() -> None:
    x = rng.normal(size=(3, 4))
    _, p, top, place = N.crossentropy_softmax_max_and_argmax_1hot_with_bias(x, np.zeros(4), [0, 1, 2])
    np.testing.assert_array_equal(place.eval(mode="reference"), x.argmax(axis=1))
    np.testing.assert_allclose(top.eval(mode="reference"), p.eval(mode="reference").max(axis=1))


m, z = T.dmatrix("m"), T.tensor("complex128", (2, 2), "z")
BAD: list[tuple[Any, type[EqsatError], str]] = [
    (lambda: N.softmax(T.dscalar("s")), RankError, "softmax: s is a scalar"),
    (lambda: N.softmax(z), DTypeError, "softmax: z is complex128"),
    (lambda: N.softmax_with_bias(m, m), RankError, "softmax_with_bias: x has 2 dimensions, b has 2"),
    (lambda: N.categorical_crossentropy(m, T.dvector("y")), DTypeError,
     "categorical_crossentropy: the class numbers are float64"),
    (lambda: N.categorical_crossentropy(m, T.dscalar("y")), RankError,
     "categorical_crossentropy: the predictions have 2 dimensions, the targets 0"),
    (lambda: N.categorical_crossentropy(z, T.lvector("y")), DTypeError, "categorical_crossentropy: z is complex128"),
]  # fmt: skip


@pytest.mark.parametrize("call, error, text", BAD)
def test_mistakes_are_refused_when_the_graph_is_built(call: Any, error: Any, text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(text)
    assert "made at test_losses.py:" in str(caught.value)
