"""Networks that are trained on the emulated device: losses and weights after some steps are those of the processor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.configuration import config
from eqsat.tensor.nnet.convolution import conv2d
from eqsat.tensor.signal.pool import pool_2d

pytestmark = [pytest.mark.c, pytest.mark.cuda]
STEPS, RATE = 3, 0.05
Weights = dict[str, Any]


@pytest.fixture(autouse=True)
def emulated() -> Iterator[None]:
    with config.change_flags(cuda_device="emulated"):
        yield


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(0, 0.4, shape)


def shared(**shapes: Sequence[int]) -> Weights:
    return {name: eqsat.shared(normal(*shape), name) for name, shape in shapes.items()}


def cross_entropy(scores: Any, labels: Any) -> Any:
    return -T.mean(T.log_softmax(scores, axis=1)[T.arange(labels.shape[0]), labels])


def digits(x: Any, y: Any) -> tuple[Any, Weights]:
    w = shared(W1=(64, 32), b1=(32,), W2=(32, 10), b2=(10,))
    hidden = T.maximum(x @ w["W1"] + w["b1"], 0)
    return cross_entropy(hidden @ w["W2"] + w["b2"], y) + 1e-3 * (w["W1"] ** 2).sum(), w


def recurrent(x: Any, y: Any) -> tuple[Any, Weights]:
    """A GRU over 8 rows of 8 numbers of each image."""
    n = 12
    w = shared(X=(8, 3 * n), U=(n, 2 * n), R=(n, n), out=(n, 10))
    rows = x.reshape((-1, 8, 8)).dimshuffle(1, 0, 2) @ w["X"]

    def step(row: Any, s: Any, U: Any, R: Any) -> Any:
        gates = T.sigmoid(row[:, : 2 * n] + s @ U)
        update, reset = gates[:, :n], gates[:, n:]
        return update * s + (1 - update) * T.tanh(row[:, 2 * n :] + (reset * s) @ R)

    states, _ = eqsat.scan(step, rows, T.zeros((x.shape[0], n)), [w["U"], w["R"]])
    return cross_entropy(states[-1] @ w["out"], y), w


def transformer(x: Any, y: Any) -> tuple[Any, Weights]:
    """A block with causal attention of 2 heads and layer norms, over 8 places of 8 numbers."""
    places, d, heads = 8, 8, 2
    w = shared(
        places=(places, d), qkv=(d, 3 * d), mix=(d, d), up=(d, 16), down=(16, d), gain=(d,), bias=(d,), out=(d, 10)
    )  # fmt: skip
    at = T.arange(places)

    def normed(z: Any) -> Any:
        mean, variance = z.mean(-1, keepdims=True), z.var(-1, keepdims=True)
        return (z - mean) / T.sqrt(variance + 1e-5) * w["gain"] + w["bias"]

    def split(z: Any) -> Any:
        return z.reshape((-1, places, heads, d // heads)).dimshuffle(0, 2, 1, 3)

    z = x.reshape((-1, places, d)) + w["places"]
    whole = normed(z) @ w["qkv"]
    q, k, v = (split(whole[:, :, i * d : (i + 1) * d]) for i in range(3))
    scores = T.matmul(q, k.dimshuffle(0, 1, 3, 2)) * (d // heads) ** -0.5
    seen = T.softmax(T.switch(at[:, None] >= at[None, :], scores, -1e9), axis=-1)
    z = z + T.matmul(seen, v).dimshuffle(0, 2, 1, 3).reshape((-1, places, d)) @ w["mix"]
    z = z + T.maximum(normed(z) @ w["up"], 0) @ w["down"]
    return cross_entropy(normed(z).mean(1) @ w["out"], y), w


def convolutional(x: Any, y: Any) -> tuple[Any, Weights]:
    w = shared(K=(4, 1, 3, 3), b=(4,), out=(36, 10))
    found = conv2d(x.reshape((-1, 1, 8, 8)), w["K"]) + w["b"].dimshuffle("x", 0, "x", "x")
    pooled = pool_2d(T.maximum(found, 0), (2, 2), ignore_border=True)
    return cross_entropy(pooled.reshape((-1, 36)) @ w["out"], y), w


def trained(network: Callable[[Any, Any], tuple[Any, Weights]], target: str, dtype: str) -> list[np.ndarray]:
    """The losses of some steps of training, and the weights afterwards."""
    x, y = T.tensor(dtype, (None, 64), name="x"), T.lvector("y")
    with config.change_flags(floatX=dtype):
        loss, weights = network(x, y)
        updates = [(w, (w - RATE * T.grad(loss, w)).astype(w.dtype)) for w in weights.values()]
        step = eqsat.function([x, y], loss, updates=updates, target=target)
    assert target == "c" or step.cuda_source is not None
    values = normal(6, 64).astype(dtype), np.arange(6) * 3 % 10
    losses = [np.asarray(step(*values)) for _ in range(STEPS)]
    assert losses[-1] < losses[0]
    return [*losses, *(w.get_value() for w in weights.values())]


SLOW = pytest.mark.sweep
CASES = [
    pytest.param(network, dtype, marks=() if dtype == "float64" and network in (digits, recurrent) else SLOW)
    for network in (digits, recurrent, transformer, convolutional)
    for dtype in ("float64", "float32")
]


@pytest.mark.parametrize(("network", "dtype"), CASES)
def test_training_agrees_with_the_processor(network: Any, dtype: str) -> None:
    rtol, atol = (1e-10, 1e-12) if dtype == "float64" else (1e-4, 1e-5)
    for ours, theirs in zip(*(trained(network, target, dtype) for target in ("cuda", "c")), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=atol)
