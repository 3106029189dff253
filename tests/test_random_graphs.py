"""1,000 random graphs give the same values in every mode.

Tolerance: the reference is run again with every floating result moved by a few units in the last place; a mode
may be off by ten times what that changes. Integers and bool must be equal. Where the reference is NaN or
infinite, the modes that do not rewrite must be so too; a rewritten graph may be defined there (tier `extends`).
"""

from __future__ import annotations

import contextlib
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import eqsat
import eqsat.errors
import eqsat.tensor as T
from eqsat.graph.core import Constant
from eqsat.graph.walk import toposort

GRAPHS = 8  # per function, so that the compiler is called once for eight
EXAMPLES = 125
LENGTHS = (0, 1, 1, 2, 3, 5, 17)
NUMBERS = [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0]
SPECIAL = [float("nan"), float("inf"), float("-inf"), -0.0, 1e30]
SMOOTH = [T.exp, T.expm1, T.log, T.log1p, T.sqrt, T.tanh, T.sin, T.cos, T.sigmoid, T.softplus, T.erf, T.log2]
PAIRS = [T.add, T.sub, T.mul, T.maximum, T.minimum]
COMPARE = [T.lt, T.le, T.gt, T.ge, T.eq, T.neq]


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
        kind = self.rng.choice([T.sum, T.mean, T.max, T.min, T.logsumexp, T.var, T.prod])
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
        table = {
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
        write = T.set_subtensor if kind == "set" else T.inc_subtensor
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


def evaluate(inputs: Any, values: Any, outputs: Any, noise: np.random.Generator | None = None) -> list[Any]:
    """The reference; with noise, every floating result is moved by up to four units in the last place."""
    known = dict(zip(inputs, values, strict=True))
    for node in toposort(outputs):
        storage: list[list[Any]] = [[None]]
        node.op.perform(node, [known[v] if v in known else _constant(v) for v in node.inputs], storage)
        result = storage[0][0]
        if noise is not None and result.dtype.kind == "f" and str(node.op).split("{")[0] not in EXACT:
            with np.errstate(all="ignore"):
                eps = np.finfo(result.dtype).eps
                result = (result * (1 + 4 * eps * noise.uniform(-1, 1, result.shape))).astype(result.dtype)
        known[node.outputs[0]] = result
    return [known[v] if v in known else _constant(v) for v in outputs]


EXACT = {
    "dimshuffle",
    "subtensor",
    "maximum",
    "minimum",
    "neg",
    "abs",
    "switch",
    "clip",
    "fill",
    "alloc",
    "reshape",
}
EXACT |= {
    "max",
    "min",
    "set_part",
    "concatenate",
    "gather",
    "cast",
    "sign",
    "scatter",
    "specify_shape",
    "forget_shape",
}


def _constant(v: Any) -> Any:
    assert isinstance(v, Constant)
    return v.data


def agree(name: str, ours: Any, wanted: Any, moved: list[Any], rewritten: bool, text: str) -> None:
    """Assert that a mode's value is within the tolerance of the reference's."""
    assert ours.shape == wanted.shape and ours.dtype == wanted.dtype, (name, ours.shape, wanted.shape, text)
    if ours.dtype.kind != "f":
        stable = np.ones(wanted.shape, bool)
        for other in moved:
            stable &= other == wanted
        assert np.array_equal(ours[stable], wanted[stable]), (name, ours, wanted, text)
        return
    with np.errstate(all="ignore"):
        finite = np.isfinite(wanted)
        spread = np.zeros(wanted.shape)
        for other in moved:
            finite &= np.isfinite(other)
            spread = np.maximum(spread, np.abs(other.astype("float64") - wanted))
        eps = float(np.finfo(wanted.dtype).eps)
        limit = 10 * spread + 16 * eps * np.abs(wanted.astype("float64")) + float(np.finfo(wanted.dtype).tiny)
        off = np.abs(ours.astype("float64") - wanted)
    bad = finite & ~(off <= limit)
    assert not bad.any(), (name, ours[bad], wanted[bad], limit[bad], text)
    if not rewritten:
        same = [np.array_equal(np.isnan(o), np.isnan(wanted)) for o in moved]
        if all(same):
            assert np.array_equal(np.isnan(ours), np.isnan(wanted)), (name, ours, wanted, text)


@pytest.mark.seed("K006")
@pytest.mark.parametrize("mode", ["numpy", "FAST_COMPILE", "FAST_RUN"])
def test_random_graphs_agree_with_the_reference(mode: str) -> None:
    @settings(
        max_examples=EXAMPLES, deadline=None, derandomize=True, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(st.integers(0, 2**32))
    def check(seed: int) -> None:
        inputs, values, outputs = grow(seed)
        wanted = evaluate(inputs, values, outputs)
        plain = eqsat.function(inputs, outputs, mode="reference", on_unused_input="ignore")(*values)
        for a, b in zip(plain, wanted, strict=True):
            np.testing.assert_array_equal(a, b)
        noise = np.random.default_rng(seed)
        moved = list(zip(*(evaluate(inputs, values, outputs, noise) for _ in range(6)), strict=True))
        f = eqsat.function(inputs, outputs, mode=mode, on_unused_input="ignore")
        copies = [v.copy() for v in values]
        results = f(*values)
        for v, c in zip(values, copies, strict=True):
            np.testing.assert_array_equal(v, c)
        for k, (ours, ref) in enumerate(zip(results, wanted, strict=True)):
            text = f"seed {seed}, output {k}:\n" + eqsat.printing.debugprint(outputs[k], file="str")
            agree(mode, ours, ref, list(moved[k]), mode != "FAST_COMPILE", text)

    check()
