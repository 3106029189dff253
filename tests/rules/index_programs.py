"""Random programs of parts, joins and writes, with the values that they have."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.graph.tensor_type import TensorType
from tests.rules.helpers import numbers

UNARY = [T.exp, T.neg, T.sqr, T.tanh, T.abs, T.sign]
BINARY = [T.add, T.mul, T.sub, T.maximum]


class Program:
    """A growing list of tensors of rank 0 to 2 with their values; ``given`` holds the values of the inputs."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.draw = np.random.default_rng(seed)
        self.given: dict[Any, Any] = {}
        self.items: list[tuple[Any, Any]] = []
        m, n = self.rng.randint(1, 4), self.rng.randint(1, 4)
        for k, shape in enumerate([(m,), (n,), (m, n), (m, n)]):
            static = tuple(length if self.rng.random() < 0.4 else None for length in shape)
            self.leaf(TensorType("float64", static)(f"x{k}"), self.draw.normal(size=shape))

    def leaf(self, variable: Any, value: Any) -> Any:
        """A new input."""
        self.given[variable] = value
        if value.dtype == np.float64:
            self.items.append((variable, value))
        return variable

    def index(self, value: Any) -> tuple[Any, ...]:
        """An index that fits a value: integers, slices, sometimes a bound known at run time."""
        return tuple(self.entry(n) for n in value.shape)

    def entry(self, n: int) -> Any:
        kind = self.rng.random()
        if kind < 0.3 and n:
            i = self.rng.randint(-n, n - 1)
            return self.symbol(i) if self.rng.random() < 0.25 else i
        if kind < 0.5:
            return slice(None)
        ends = [None if self.rng.random() < 0.5 else self.rng.randint(-n, n) for _ in range(2)]
        if self.rng.random() < 0.15 and ends[1] is not None:
            ends[1] = self.symbol(ends[1])
        return slice(*ends, self.rng.choice([None, None, -1, 2]))

    def symbol(self, i: int) -> Any:
        return self.leaf(T.lscalar(f"i{len(self.given)}"), np.asarray(i))

    def step(self) -> None:
        """One more tensor, if what was drawn fits."""
        x, a = self.rng.choice(self.items[-7:])
        y, b = self.rng.choice(self.items)
        kind = self.rng.random()
        if kind < 0.35:
            made = x[self.index(a)] if a.ndim else T.exp(-T.sqr(x))
        elif kind < 0.5:
            made = self.rng.choice(UNARY)(x)
        elif kind < 0.65:
            if a.ndim == b.ndim and a.shape != b.shape:
                return
            if a.ndim != b.ndim and a.ndim and b.ndim and a.shape[-1] != b.shape[-1]:
                return
            made = self.rng.choice(BINARY)(x, y)
        elif kind < 0.75:
            if a.ndim != b.ndim or not a.ndim or a.shape[1:] != b.shape[1:]:
                return
            made = T.concatenate([x, y])
        elif kind < 0.88:
            if not a.ndim:
                return
            part = (T.zeros_like(x) if self.rng.random() < 0.4 else x)[self.index(a)]
            value = self.rng.choice([part * 0.5, T.ones_like(part), 2.0])
            made = self.rng.choice([T.set_subtensor, T.inc_subtensor])(part, value)
        elif kind < 0.94:
            made = x.T if a.ndim == 2 and self.rng.random() < 0.5 else x.sum(axis=0) if a.ndim else -x
        elif a.ndim == b.ndim == 2 and a.shape[1] == b.shape[0]:
            made = T.dot(x, y)
        else:
            return
        self.items.append((made, numbers([made], self.given)[0]))

    def grow(self, size: int) -> Any:
        """The last of some tensors."""
        for _ in range(size):
            self.step()
        return self.items[-1][0]
