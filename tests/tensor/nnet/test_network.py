"""A small convolutional network learns made-up digits; its gradient is that of differences."""

from __future__ import annotations

from typing import Any

import numpy as np

import eqsat
import eqsat.tensor as T

N = T.nnet


def digits(count: int) -> tuple[Any, Any]:
    """Images of bars, whose class is the row or column in which the bar stands, with noise."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, count)
    x = rng.normal(0, 0.3, (count, 1, 10, 10))
    for k, c in enumerate(y):
        place = 3 + 4 * (c % 2)
        x[k, 0, place if c < 2 else slice(None), slice(None) if c < 2 else place] += 1
    return x, y


def network(x: Any, y: Any, floats: str = "float64") -> tuple[Any, list[Any]]:
    """Cost and parameters: convolution, pooling, bias, tanh, a dense layer, softmax."""
    rng = np.random.default_rng(1)
    shapes = [(4, 1, 3, 3), (4,), (4, 4, 2, 2), (36, 4), (4,)]
    w1, b1, w2, w3, b3 = (eqsat.shared((0.3 * rng.normal(size=s)).astype(floats)) for s in shapes)
    first = N.conv2d(x, w1, filter_shape=(4, 1, 3, 3))
    pooled = T.signal.pool.pool_2d(first, (2, 2), ignore_border=True)
    hidden = T.tanh(pooled + b1.dimshuffle("x", 0, "x", "x"))
    second = N.relu(N.conv2d(hidden, w2))
    p = N.softmax(T.dot(second.flatten(2), w3) + b3)
    return N.categorical_crossentropy(p, y).mean(), [w1, b1, w2, w3, b3]


def test_the_network_learns() -> None:
    x, y = T.dtensor4("x"), T.lvector("y")
    cost, parameters = network(x, y)
    grads = T.grad(cost, parameters)
    updates = [(w, w - 0.5 * g) for w, g in zip(parameters, grads, strict=True)]
    step = eqsat.function([x, y], cost, updates=updates)
    images, classes = digits(64)
    costs = [float(step(images, classes)) for _ in range(40)]
    assert costs[-1] < 0.1 * costs[0]


def test_its_gradient_is_that_of_differences() -> None:
    x, y = T.dtensor4("x"), T.lvector("y")
    cost, parameters = network(x, y)
    f = eqsat.function([x, y], [cost, *T.grad(cost, parameters)])
    images, classes = digits(3)
    grads = f(images, classes)[1:]
    rng = np.random.default_rng(2)
    for w, g in zip(parameters, grads, strict=True):
        start = w.get_value()
        way = rng.normal(size=start.shape)
        ends = []
        for sign in (1, -1):
            w.set_value(start + sign * 1e-6 * way)
            ends.append(float(f(images, classes)[0]))
        w.set_value(start)
        np.testing.assert_allclose((g * way).sum(), (ends[0] - ends[1]) / 2e-6, rtol=1e-5, atol=1e-8)
