"""Kernels of every form that plans have, at sizes from the nearest cache to memory: programs for ``op_cost.py --kernels``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np

import eqsat
import eqsat.tensor as T

SIZES = {"near": 5_000, "L2": 60_000, "L3": 600_000, "memory": 4_000_000}  # elements of the largest operand
Program = Callable[[str, int], Any]  # of a dtype and a number of elements: outputs, and arrays by inputs


@dataclass(frozen=True)
class Form:
    """A family of kernels."""

    name: str
    program: Program
    most: int = 1 << 60  # elements, for what takes long


FORMS: list[Form] = []
DICE = np.random.default_rng(3)


def given(dtype: str, *shape: int) -> tuple[Any, np.ndarray]:
    """An input of known lengths, and numbers for it."""
    return T.TensorType(dtype, shape=shape)(), DICE.uniform(0.1, 0.9, shape).astype(dtype)


def form(name: str, most: int = 1 << 60) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a program under the name of its form."""

    def register(program: Callable[..., Any]) -> Callable[..., Any]:
        FORMS.append(Form(name, program, most))
        return program

    return register


def vectors(name: str, count: int, f: Callable[..., Any]) -> None:
    """Elementwise programs over vectors."""

    def program(dtype: str, n: int) -> Any:
        pairs = [given(dtype, n) for _ in range(count)]
        return f(*(v for v, _ in pairs)), dict(pairs)

    form(name)(program)


def matrices(name: str, f: Callable[..., Any], columns: int = 0, most: int = 1 << 60) -> None:
    """Programs over one matrix, square or with so many columns."""

    def program(dtype: str, n: int) -> Any:
        wide = columns or isqrt(n)
        x, a = given(dtype, max(1, n // wide), wide)
        return f(x), {x: a}

    form(name, most)(program)


def chain(x: Any) -> Any:
    """Products and sums of numbers of the operand's dtype."""
    for k in range(8):
        x = x * T.constant(0.9 + k / 100, dtype=x.dtype) + T.constant(0.125, dtype=x.dtype)
    return x


vectors("elementwise", 1, lambda x: x * 2 + 1)
vectors("elementwise", 2, lambda x, y: x + y)
vectors("elementwise", 3, lambda x, y, z: T.where(x > y, x * z, y))
vectors("elementwise", 2, lambda x, y: [x + y, x * y])
vectors("chain", 1, chain)
vectors("chain", 1, lambda x: T.exp(x) * x)
vectors("chain", 1, lambda x: T.tanh(T.log1p(T.exp(x))) / (x + 1))
vectors("fold", 1, lambda x: x.sum())
vectors("fold", 2, lambda x, y: ((x - y) ** 2).sum())
vectors("fold", 1, lambda x: T.exp(x).sum())
vectors("fold", 1, lambda x: x.max())
matrices("broadcast", lambda x: x * x[0] + 1)
matrices("broadcast", lambda x: x * x[:, :1] + 1)
for width in (16, 0, 1000):
    matrices("rows", lambda x: x.sum(1), width)
    matrices("rows", lambda x: T.exp(x).sum(1), width)
    matrices("rows", lambda x: x.max(1), width)
    matrices("columns", lambda x: x.sum(0), width)
    matrices("columns", lambda x: T.exp(x).max(0), width)
    matrices("softmax", lambda x: T.softmax(x, 1), width)
    matrices("softmax", lambda x: T.logsumexp(x, 1), width)
    matrices("softmax", lambda x: (x - x.mean(1, keepdims=True)) / T.sqrt(x.var(1, keepdims=True) + 1), width)
matrices("turned", lambda x: x.T * 2)


@form("turned")
def _(dtype: str, n: int) -> Any:
    x, a = given(dtype, isqrt(n), isqrt(n))
    return x + x.T, {x: a}


matrices("parts", lambda x: x[1:] - x[:-1])
matrices("parts", lambda x: x[:, ::-1] * 2)
matrices("parts", lambda x: T.concatenate([x, x * 2], 0))
matrices("parts", lambda x: T.concatenate([x, x[:, :3]], 1))
matrices("running", lambda x: T.cumsum(x, 1))
matrices("running", lambda x: T.cumsum(x, 0))


@form("gather")
def _(dtype: str, n: int) -> Any:
    x, a = given(dtype, n)
    i = T.TensorType("int64", shape=(n,))()
    return x[i] * 2, {x: a, i: DICE.integers(0, n, n)}


@form("gather")
def _(dtype: str, n: int) -> Any:
    x, a = given(dtype, max(1, n // 64), 64)
    i = T.TensorType("int64", shape=(max(1, n // 64),))()
    return x[i], {x: a, i: DICE.integers(0, len(a), len(a))}


@form("gather")
def _(dtype: str, n: int) -> Any:
    x, a = given(dtype, n)
    i = T.TensorType("int64", shape=(n,))()
    return T.zeros(1000, dtype=dtype)[i].inc(x), {x: a, i: DICE.integers(0, 1000, n)}


def product(f: Callable[[int], tuple[int, int, int]]) -> None:
    """Products of matrices of lengths that depend on a size."""

    def program(dtype: str, n: int) -> Any:
        m, k, c = f(isqrt(n))
        (x, a), (y, b) = given(dtype, m, k), given(dtype, k, c)
        return T.dot(x, y), {x: a, y: b}

    form("product", 1_000_000)(program)


product(lambda n: (n, n, n))
product(lambda n: (n, n, 1))
product(lambda n: (1, n, n))
product(lambda n: (n, 16, n))


@form("product", 1_000_000)
def _(dtype: str, n: int) -> Any:
    (x, a), (y, b) = given(dtype, max(1, n // 1024), 32, 32), given(dtype, max(1, n // 1024), 32, 32)
    return T.matmul(x, y), {x: a, y: b}


def convolution(batch: int, channels: int, filters: int, size: int) -> None:
    """Convolutions of images whose number grows with the size."""

    def program(dtype: str, n: int) -> Any:
        side = max(8, min(64, isqrt(n // (batch * channels))))
        x, a = given(dtype, batch, channels, side, side)
        w, b = given(dtype, filters, channels, size, size)
        return T.nnet.conv2d(x, w), {x: a, w: b}

    form("convolution", 1_000_000)(program)


convolution(1, 8, 8, 3)
convolution(8, 16, 32, 3)
convolution(16, 3, 16, 5)


def loop(step: Callable[..., Any], width: int) -> None:
    """Loops whose number of steps grows with the size."""

    def program(dtype: str, n: int) -> Any:
        x, a = given(dtype, max(2, n // width), *((width,) if width > 1 else ()))
        start = T.zeros(x.type.shape[1:], dtype=dtype)
        states, _ = eqsat.scan(step, sequences=[x], outputs_info=[start])
        return states, {x: a}

    form("loop", 1_000_000)(program)


loop(lambda x, h: T.tanh(h * 0.5 + x), 1)
loop(lambda x, h: h * 0.5 + T.exp(x), 100)
loop(lambda x, h: h / (1 + h * h) + x, 1000)
