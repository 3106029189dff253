"""Random expressions of two 3 by 3 matrices that have derivatives, and derivatives by differences."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np

import eqsat.tensor as T

STEP = 1e-5
PERMUTATION = np.array([2, 0, 1])

UNARY: list[Any] = [
    T.exp, T.expm1, T.tanh, T.sigmoid, T.softplus, T.sin, T.cos, T.erf, T.sqr, T.neg, lambda x: T.reciprocal(1.5 + x * x),
    lambda x: T.log(1.5 + x * x), lambda x: T.log1p(x * x), lambda x: T.sqrt(x * x + 0.3), lambda x: T.log2(2.5 + T.sin(x)),
    abs, lambda x: T.clip(x, -3.3, 3.3), lambda x: T.switch(x > 0.1, x, x * 0.3), lambda x: T.tanh(x) ** 3,
    lambda x: T.floor(x) * 0.1 + x, lambda x: x.astype("float32").astype("float64") * 0 + x,
    T.softmax, T.log_softmax, lambda x: T.softmax(x, 0), lambda x: T.softmax(x, (0, 1)),
    lambda x: x - x.mean(axis=0), lambda x: x.sum(axis=1, keepdims=True) + x, lambda x: x * x.sum(),
    lambda x: T.logsumexp(x, 1, keepdims=True) * x, lambda x: x.var(axis=1).dimshuffle(0, "x") + x,
    lambda x: x.max(axis=0) + x * 0.5, lambda x: x.min(axis=1, keepdims=True) * x, lambda x: T.tanh(x).prod(axis=0) + x,
    lambda x: x.T, lambda x: x.dimshuffle(1, "x", 0).flatten(2), lambda x: x.reshape((-1,)).reshape((3, 3)),
    lambda x: x.flatten()[::-1].reshape(x.shape, ndim=2), lambda x: T.concatenate([x[1:], x[:1] * 2], 0),
    lambda x: T.stack([x[0], x[2], x[1]]), lambda x: T.alloc(x[1], 3, 3) + x, lambda x: T.addbroadcast(x[1:2], 0) * x,
    lambda x: x[::-1], lambda x: x[:, ::-1] * x, lambda x: x[[1, 0, 1]], lambda x: x[PERMUTATION, [0, 0, 2]] * x,
    lambda x: x[x[0].argmax()] + x, lambda x: T.set_subtensor(x[0], 0.5), lambda x: T.inc_subtensor(x[1:], x[:2] * x[:2]),
    lambda x: T.inc_subtensor(x[[0, 0, 2]], T.tanh(x)), lambda x: T.set_subtensor(x[PERMUTATION, PERMUTATION], x[0]),
    lambda x: T.diag(T.diag(x)) + x, lambda x: T.tril(x) + 0.1, lambda x: T.trace(x) * x, lambda x: T.dot(x, x.T),
    lambda x: T.batched_dot(x, x).dimshuffle(0, "x") * x, lambda x: T.outer(x[0], x[1]),
]  # fmt: skip
BINARY: list[Any] = [
    lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / (1.5 + y * y), T.dot,
    lambda x, y: T.maximum(x, y), lambda x, y: T.minimum(x, y * 0.7), lambda x, y: T.switch(x > y, x, y * 0.5),
    lambda x, y: x * y.sum(), lambda x, y: T.sigmoid(x) ** T.sigmoid(y), lambda x, y: T.dot(x, y[0]).dimshuffle("x", 0) + y,
    lambda x, y: T.set_subtensor(x[1], y[0] * y[2]), lambda x, y: T.inc_subtensor(x[:, [2, 0]], y[:, 1:]),
    lambda x, y: T.concatenate([x[:2], y[1:2]]), lambda x, y: (x * y).sum(axis=0).dimshuffle("x", 0) * x,
]  # fmt: skip


def expression(seed: int, x: Any, y: Any) -> Any:
    """A scalar of two 3 by 3 matrices."""
    rng = random.Random(seed)
    pool = [x, y]
    for _ in range(rng.randint(3, 7)):
        if rng.random() < 0.6:
            made = rng.choice(UNARY)(pool[-1])
        else:
            made = rng.choice(BINARY)(pool[-1], rng.choice(pool))
        pool.append(T.tanh(made) if rng.random() < 0.5 else made)
    weights = np.random.default_rng(seed).uniform(-1, 1, (3, 3))
    return (T.tanh(pool[-1] * 0.5) * weights).sum() + (T.tanh(pool[3]) * y).sum() + T.dot(x[0], y[1]) * 0.1


@cache
def point(seed: int) -> tuple[Any, Any]:
    data = np.random.default_rng(seed + 1000)
    return data.normal(size=(3, 3)), data.normal(size=(3, 3))


def along(run: Any, seed: int, u: Any, v: Any, step: float) -> list[Any]:
    """Central differences of a function of x and y in the direction u, v."""
    x, y = point(seed)
    high, low = run(x + step * u, y + step * v), run(x - step * u, y - step * v)
    return [(a - b) / (2 * step) for a, b in zip(high, low, strict=True)]


def close(a: Any, b: Any) -> bool:
    return bool(np.allclose(a, b, rtol=1e-4, atol=1e-6))


def agree(run: Any, seed: int, u: Any, v: Any, found: Any) -> bool:
    """Whether derivatives are those of differences; False where two steps disagree, as they do beside a kink."""
    numeric = along(run, seed, u, v, STEP)
    if all(close(a, b) for a, b in zip(found, numeric, strict=True)):
        return True
    other = along(run, seed, u, v, 4 * STEP)
    assert not all(close(a, b) for a, b in zip(other, numeric, strict=True)), (seed, found, numeric)
    return False


def directions(seed: int, count: int) -> list[Any]:
    data = np.random.default_rng(seed + 2000)
    return [(data.normal(size=(3, 3)), data.normal(size=(3, 3))) for _ in range(count)]
