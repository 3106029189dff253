"""Random kernels by number, for ``op_cost.py --draws``: prices were set with a look at those below 290, not at those from 290 on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import eqsat
import eqsat.tensor as T

DTYPES = ("float64", "float32")
SIZES = (5_000, 20_000, 60_000, 200_000, 600_000, 2_000_000)
UNARY: list[Callable[[Any], Any]] = [
    *(T.exp, T.log, T.sqrt, T.tanh, T.sigmoid, T.sin, T.cos, T.abs, T.sqr, T.log1p, T.expm1),
    *(T.erf, T.softplus, T.neg, T.floor),
    lambda x: 1 / (1 + x),
    lambda x: T.maximum(x, 0.3),
    lambda x: x * x * x,
    lambda x: T.clip(x, 0.2, 0.7),
    lambda x: x**1.5,
]
BINARY: list[Callable[[Any, Any], Any]] = [
    *(T.add, T.sub, T.mul, T.true_div, T.maximum, T.minimum, T.arctan2, T.hypot),
    lambda x, y: T.where(x > y, x, y * 2),
    lambda x, y: x * y + x,
    lambda x, y: T.sqrt(x * x + y * y),
]
FOLDS: list[Callable[..., Any]] = [
    *(T.sum, T.mean, T.max, T.min, T.prod, T.var),
    lambda x, axis: T.logsumexp(x, axis),
    lambda x, axis: T.sqrt(T.sqr(x).sum(axis)),
]
GROUPS: list[Callable[..., Any]] = [
    T.softmax,
    T.log_softmax,
    lambda x, axis: x / T.sqrt(T.sqr(x).mean(axis, keepdims=True) + 1e-6),
    lambda x, axis: (x - x.mean(axis, keepdims=True)) / (x.std(axis, keepdims=True) + 1e-3),
    lambda x, axis: x / x.sum(axis, keepdims=True),
    lambda x, axis: T.exp(x - x.max(axis, keepdims=True)),
]


class Draw:
    """Inputs with their arrays, and choices by a seed."""

    def __init__(self, seed: int) -> None:
        self.dice = np.random.default_rng([2024, seed])
        self.dtype = self.one(DTYPES)
        self.size = self.one(SIZES)
        self.data: dict[Any, np.ndarray] = {}

    def one(self, choices: Any) -> Any:
        """One of several."""
        return choices[int(self.dice.integers(len(choices)))]

    def lengths(self, ndim: int, most: float = 1.0) -> tuple[int, ...]:
        """Lengths of about as many elements as were drawn."""
        parts = self.dice.dirichlet(np.ones(ndim) * 2)
        return tuple(max(2, round((self.size * most) ** p)) for p in parts)

    def given(self, *shape: int) -> Any:
        """An input."""
        x = T.TensorType(self.dtype, shape=shape)()
        self.data[x] = self.dice.uniform(0.1, 0.9, shape).astype(self.dtype)
        return x

    def places(self, count: int, below: int) -> Any:
        """An input of indices."""
        i = T.TensorType("int64", shape=(count,))()
        self.data[i] = self.dice.integers(0, below, count)
        return i

    def shaped(self) -> Any:
        """An input of one to four axes."""
        return self.given(*self.lengths(self.one((1, 2, 2, 3, 4))))

    def computed(self, x: Any, most: int = 3) -> Any:
        """Some elementwise ops of a value."""
        for _ in range(int(self.dice.integers(0, most + 1))):
            x = self.one(UNARY)(x)
        return x

    def axis(self, x: Any) -> Any:
        """One axis of a value, or all of them."""
        return self.one([*range(x.ndim), None])


def elementwise(d: Draw) -> Any:
    shape = d.lengths(d.one((1, 2, 3)))
    x, y = d.given(*shape), d.given(*shape)
    return d.one(BINARY)(d.computed(d.one(UNARY)(x)), d.computed(y, 2))


def broadcast(d: Draw) -> Any:
    shape = d.lengths(d.one((2, 3)))
    kept = [int(d.dice.integers(2)) for _ in shape]
    x, y = d.given(*shape), d.given(*(n if k else 1 for n, k in zip(shape, kept, strict=True)))
    return d.one(BINARY)(d.computed(x, 2), d.computed(y, 1))


def several(d: Draw) -> Any:
    x = d.shaped()
    y = d.one(UNARY)(x)
    return [d.computed(y, 1) + 1, d.one(BINARY)(x, y)]


def fold(d: Draw) -> Any:
    x = d.shaped()
    return d.one(FOLDS)(d.computed(x, 2), axis=d.axis(x))


def folds(d: Draw) -> Any:
    x = d.shaped()
    axis = d.axis(x)
    return [x.sum(axis), T.sqr(x).sum(axis), x.max(axis)]


def group(d: Draw) -> Any:
    x = d.given(*d.lengths(d.one((2, 2, 3))))
    return d.one(GROUPS)(d.computed(x, 1), axis=x.ndim - 1)


def across(d: Draw) -> Any:
    x = d.given(*d.lengths(2))
    return d.one(GROUPS)(d.computed(x, 1), axis=0)


def part(d: Draw) -> Any:
    x = d.shaped()
    cut = d.one([slice(1, None), slice(None, -2), slice(None, None, 2), slice(None, None, -1)])
    place = d.one(range(x.ndim))
    return d.computed(x[(slice(None),) * place + (cut,)], 2) + 1


def stencil(d: Draw) -> Any:
    x = d.shaped()
    return d.computed(x[2:] - 2 * x[1:-1] + x[:-2], 1) if d.data[x].shape[0] > 3 else x + 1


def joined(d: Draw) -> Any:
    x = d.given(*d.lengths(2))
    return T.concatenate([d.computed(x, 1), d.one(UNARY)(x)], axis=d.one((0, 1)))


def replaced(d: Draw) -> Any:
    x = d.given(*d.lengths(2))
    return T.set_subtensor(x[1:], d.one(UNARY)(x[1:]))


def turned(d: Draw) -> Any:
    x = d.given(*d.lengths(d.one((2, 3))))
    order = [int(k) for k in d.dice.permutation(x.ndim)]
    return d.computed(x.dimshuffle(*order), 1) * 2


def gather(d: Draw) -> Any:
    rows, columns = d.lengths(2, 0.5)
    x = d.given(rows, columns)
    i = d.places(max(2, d.size // columns), rows)
    return d.computed(x[i], 1)


def picked(d: Draw) -> Any:
    x = d.given(d.one((100, 5_000, 100_000)))
    i = d.places(d.size, d.data[x].size)
    return d.one(UNARY)(x[i]) + 1


def scattered(d: Draw) -> Any:
    x, most = d.given(d.size), d.one((10, 1_000, 50_000))
    return T.zeros(most, dtype=d.dtype)[d.places(d.size, most)].inc(d.computed(x, 1))


def running(d: Draw) -> Any:
    x = d.given(*d.lengths(d.one((1, 2, 3))))
    return T.cumsum(d.computed(x, 1), axis=d.one(range(x.ndim)))


def ordered(d: Draw) -> Any:
    d.size = min(d.size, 200_000)
    x = d.given(*d.lengths(d.one((1, 2))))
    return d.one((T.sort, T.argsort))(x, axis=-1)


def place(d: Draw) -> Any:
    x = d.given(*d.lengths(2))
    return d.one((T.argmax, T.argmin))(x, axis=d.one((0, 1)))


def product(d: Draw) -> Any:
    m, k, n = (max(2, length) for length in d.lengths(3, 1.0))
    return T.dot(d.given(m, k), d.given(k, n))


def vector_product(d: Draw) -> Any:
    m, k = d.lengths(2)
    return T.dot(d.given(m, k), d.given(k)) if d.one((0, 1)) else T.dot(d.given(m), d.given(m, k))


def layer(d: Draw) -> Any:
    d.size = min(d.size, 200_000)
    m, k, n = (max(4, length) for length in d.lengths(3))
    return d.one((T.tanh, T.nnet.relu, T.sigmoid))(T.dot(d.given(m, k), d.given(k, n)) + d.given(n))


def stacked(d: Draw) -> Any:
    k = d.one((4, 8, 16, 50))
    count = max(1, d.size // (k * k))
    return T.matmul(d.given(count, k, k), d.given(count, k, k))


def system(d: Draw) -> Any:
    n = d.one((5, 20, 60, 150, 300))
    x = d.given(n, n)
    d.data[x] = (d.data[x] / n + np.eye(n)).astype(d.dtype)
    if d.one((0, 1)):
        return T.linalg.solve(x, d.given(n))
    d.data[x] = ((d.data[x] + d.data[x].T) / 2).astype(d.dtype)
    return T.linalg.cholesky(x)


def convolution(d: Draw) -> Any:
    batch, channels, filters = d.one((1, 4, 16)), d.one((1, 3, 16)), d.one((4, 16, 32))
    side, size = d.one((10, 24, 48)), d.one((1, 3, 5))
    return T.nnet.conv2d(d.given(batch, channels, side, side), d.given(filters, channels, size, size))


def pairs(d: Draw) -> Any:
    n = d.one((50, 200, 600))
    x, y = d.given(n), d.given(n)
    return d.one(UNARY)(x[:, None] - y[None, :] + 1).sum(d.one((0, 1)))


def loop(d: Draw) -> Any:
    d.size = min(d.size, 200_000)
    width = d.one((1, 1, 3, 10, 100, 500))
    x = d.given(max(2, d.size // width), *((width,) if width > 1 else ()))
    step = d.one(
        [
            lambda x, h: h * 0.9 + x,
            lambda x, h: T.tanh(h + x),
            lambda x, h: T.exp(-h) + x,
            lambda x, h: h * x / (1 + h),
            lambda x, h: T.maximum(h, x) * 0.99,
        ]
    )
    states, _ = eqsat.scan(step, sequences=[x], outputs_info=[T.zeros(x.type.shape[1:], dtype=d.dtype)])
    return states


KINDS: list[Callable[[Draw], Any]] = [
    *(elementwise, elementwise, broadcast, several, fold, fold, folds, group, across, part, stencil, joined),
    *(replaced, turned, gather, picked, scattered, running, ordered, place, product, vector_product, layer),
    *(stacked, system, convolution, pairs, loop, loop),
]


def draw(seed: int) -> tuple[str, str, int, Any, dict[Any, np.ndarray]]:
    """The kind of a random kernel, its dtype, the elements of its operands, its outputs, and arrays by inputs."""
    d, kind = Draw(seed), KINDS[seed % len(KINDS)]
    outputs = kind(d)
    return kind.__name__, d.dtype, sum(a.size for a in d.data.values()), outputs, d.data
