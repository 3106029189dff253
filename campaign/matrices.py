"""Random graphs of matrices: elementwise, reductions, products, parts and choices over inputs of several dtypes."""

from __future__ import annotations

import contextlib
import random
from typing import Any

import numpy as np

import eqsat
import eqsat.errors
import eqsat.tensor as T

GRAPHS = 8  # per function, so that the compiler is called once for eight
LENGTHS = (0, 1, 1, 2, 3, 5, 17)
NUMBERS = [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0]
SPECIAL = [float("nan"), float("inf"), float("-inf"), -0.0, 1e30]
SMOOTH: list[Any] = [
    T.exp,
    T.expm1,
    T.log,
    T.log1p,
    T.sqrt,
    T.tanh,
    T.sin,
    T.cos,
    T.sigmoid,
    T.softplus,
    T.erf,
    T.log2,
]
PAIRS: list[Any] = [T.add, T.sub, T.mul, T.maximum, T.minimum]
COMPARE: list[Any] = [T.lt, T.le, T.gt, T.ge, T.eq, T.neq]


class NothingFits(Exception):
    """No tensor of the pool can take part in a step."""


class Grower:
    """Grows graphs of rank-2 tensors; ``exact`` ones hold small numbers that no rounding touches."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.m, self.n = rng.choice(LENGTHS), rng.choice(LENGTHS)
        self.inputs: list[Any] = []
        self.values: list[Any] = []
        self.square: dict[str, Any] = {}
        self.pool: list[tuple[Any, bool]] = []
        for dtype in rng.sample(["float64", "float32", "int64", "int8", "uint8"], 3):
            for shape in rng.sample([(None, None), (1, None), (None, 1), (1, 1)], 2):
                self.leaf(dtype, shape)
        if not any(v.dtype.startswith("float") for v, _ in self.pool):
            self.leaf("float64", (None, None))

    def data(self, dtype: str, shape: tuple[int, ...]) -> Any:
        count = int(np.prod(shape))
        if not dtype.startswith("float"):
            return np.array([self.rng.randint(0, 5) for _ in range(count)], dtype).reshape(shape)
        special = self.rng.random() < 0.3
        numbers = NUMBERS + SPECIAL if special else NUMBERS
        return np.array([self.rng.choice(numbers) for _ in range(count)], dtype).reshape(shape)

    def leaf(self, dtype: str, shape: tuple[int | None, ...]) -> Any:
        variable = T.tensor(dtype, shape, f"v{len(self.inputs)}")
        real = tuple(1 if a == 1 else n for a, n in zip(shape, (self.m, self.n), strict=True))
        self.inputs.append(variable)
        self.values.append(self.data(dtype, real))
        self.pool.append((variable, True))
        return variable

    def matrix(self, dtype: str) -> Any:
        """A square matrix of side n, to multiply with from the right."""
        if dtype not in self.square:
            variable = self.square[dtype] = T.tensor(dtype, (None, None), f"w{len(self.inputs)}")
            self.inputs.append(variable)
            self.values.append(self.data(dtype, (self.n, self.n)))
        return self.square[dtype]

    def pick(self, test: Any = lambda v, exact: True) -> tuple[Any, bool]:
        found = [item for item in self.pool if test(*item)]
        if not found:
            raise NothingFits
        return self.rng.choice(found[-6:] if self.rng.random() < 0.7 else found)

    def step(self) -> None:
        ways = [self.pair, self.smooth, self.reduce, self.choose, self.whole, self.move, self.part]
        with contextlib.suppress(NothingFits, eqsat.errors.DTypeError):
            made = self.rng.choice([*ways, self.pair, self.smooth])()
            if made is not None and made[0].ndim == 2:
                self.pool.append(made)

    def pair(self) -> Any:
        (a, p), (b, q) = self.pick(), self.pick()
        kind = self.rng.choice([*PAIRS, T.truediv])
        if kind is T.truediv:
            return T.truediv(a, b), False
        small = p and q and kind in (T.maximum, T.minimum)
        return kind(a, b), small

    def smooth(self) -> Any:
        a, exact = self.pick(lambda v, e: v.dtype.startswith("float"))
        kind = self.rng.choice([*SMOOTH, T.neg, T.abs, T.sqr])
        return kind(a), exact and kind in (T.neg, T.abs)

    def reduce(self) -> Any:
        a, exact = self.pick()
        kind: Any = self.rng.choice([T.sum, T.mean, T.max, T.min, T.logsumexp, T.var, T.prod])
        if kind in (T.max, T.min) and 0 in (self.m, self.n):
            return None
        if kind is T.logsumexp and self.rng.random() < 0.5:
            kind = self.rng.choice([T.softmax, T.log_softmax])
            return kind(a, axis=self.rng.choice([0, 1])), False
        axis = self.rng.choice([0, 1, (0, 1)])
        return kind(a, axis=axis, keepdims=True), exact and kind in (T.max, T.min)

    def choose(self) -> Any:
        a, _ = self.pick(lambda v, e: e)
        b, _ = self.pick(lambda v, e: e)
        (x, p), (y, q) = self.pick(), self.pick()
        test = self.rng.choice(COMPARE)(a, b)
        if self.rng.random() < 0.3:
            return T.clip(x, -1, 2), p
        return T.switch(test, x, y), p and q

    def whole(self) -> Any:
        a, _ = self.pick(lambda v, e: not v.dtype.startswith("float"))
        b, _ = self.pick(lambda v, e: not v.dtype.startswith("float"))
        kind = self.rng.choice(["add", "mul", "floordiv", "mod", "and", "xor", "cast", "pow"])
        if a.dtype == "bool" or b.dtype == "bool":
            return T.cast(a, "int64"), False
        table: dict[str, Any] = {
            "add": T.add,
            "mul": T.mul,
            "floordiv": T.floordiv,
            "mod": T.mod,
            "and": T.and_,
            "xor": T.xor,
        }
        if kind == "cast":
            return T.cast(a, self.rng.choice(["int32", "uint16", "float32", "float64", "bool"])), False
        return (T.pow(a, 2) if kind == "pow" else table[kind](a, b)), False

    def move(self) -> Any:
        a, _ = self.pick()
        kind = self.rng.choice(["dot", "dot", "transpose", "flatten", "column"])
        if kind == "dot":
            if not a.dtype.startswith("float") or a.type.shape[1] == 1:
                return None
            return T.dot(a, self.matrix(a.dtype)), False
        if kind == "transpose":
            return T.tanh(a.T).T if a.dtype.startswith("float") else (a.T + a.T).T, False
        if kind == "flatten":
            return T.reshape(T.flatten(a) + 1, (a.shape[0], a.shape[1])) if a.type.shape == (
                None,
                None,
            ) else a, False
        return T.shape_padright(T.sum(a, axis=1)), False

    def part(self) -> Any:
        a, exact = self.pick(lambda v, e: v.type.shape == (None, None))
        kind = self.rng.choice(["reverse", "join", "set", "inc", "take"])
        if kind == "reverse":
            return a[::-1, ::-1], exact
        if kind == "join":
            return T.concatenate([a[1:], a[:1]], axis=0), exact
        if kind == "take":
            return (a[T.arange(a.shape[0])] if self.m else a), exact
        write: Any = T.set_subtensor if kind == "set" else T.inc_subtensor
        return write(a[:, 1:], np.asarray(2, a.dtype) if a.dtype != "bool" else True), exact and kind == "set"


def grow(seed: int) -> tuple[list[Any], list[Any], list[Any]]:
    """Inputs, values and outputs of a few random graphs over the same inputs."""
    rng = random.Random(seed)
    grower = Grower(rng)
    outputs = []
    for _ in range(GRAPHS):
        for _ in range(rng.randint(2, 7)):
            grower.step()
        outputs.append(grower.pool[-1][0])
    return grower.inputs, grower.values, outputs
