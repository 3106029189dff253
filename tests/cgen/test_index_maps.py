"""Kernels that hold parts, joins and writes, against the reference and a second target: lengths, strides, dtypes, results."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.functions.planning import plan_graph
from eqsat.pipeline.modes import Mode
from eqsat.pipeline.preparation import prepare
from eqsat.pipeline.settings import Settings
from tests.cgen.interpreter import run

SLICES = [slice(1, None), slice(None, -1), slice(1, -1), slice(2, None), slice(None, 2), slice(-2, None)]
RARE = [slice(None, None, -1), slice(3, 1), slice(None, -3), slice(None, 40), slice(1, None, 2)]
AS_WRITTEN = Mode("as written", rewrite=False, compiled=True, doc="fused kernels of the graph as it is")
SIZES = [0, 1, 2, 3, 5, 70]


class Program:
    """Random values of one rank and dtype, all of the shape of the inputs."""

    def __init__(self, seed: int, ndim: int, dtype: str) -> None:
        self.rng = random.Random(seed)
        self.ndim, self.dtype = ndim, dtype
        self.long = 0 if seed % 2 else ndim - 1  # the axis whose length differs
        self.index = T.lvector("i")
        lengths = tuple(1 if a == self.long else None for a in range(ndim))
        self.row = T.tensor(dtype, shape=lengths, name="row")
        self.inputs = [T.tensor(dtype, shape=(None,) * ndim, name=f"x{k}") for k in range(2)]
        self.pool: list[Any] = list(self.inputs)
        for _ in range(self.rng.randint(3, 7)):
            self.pool.append(self.value())
        self.outputs = [self.pool[-1]] + self.rng.sample(self.pool, 1)
        if dtype != "bool":
            axis = self.rng.randrange(ndim)
            self.outputs.append(self.pool[-1].sum(axis))

    def any(self) -> Any:
        """A value, rather one of the last."""
        return self.rng.choice(self.pool[-3:])

    def part(self) -> tuple[Any, ...]:
        """An index of slices."""
        rng = self.rng
        entries = [rng.choice([*SLICES, *SLICES, *RARE]) if rng.random() < 0.7 else slice(None)]
        entries += [rng.choice(SLICES) if rng.random() < 0.3 else slice(None) for _ in range(self.ndim - 1)]
        rng.shuffle(entries)
        return tuple(entries)

    def value(self) -> Any:
        """A new value."""
        a, b, s = self.any(), self.any(), self.part()
        kind = self.rng.choice(["map", "set", "set", "inc", "join", "fill", "stencil", "pick", "spread"])
        if kind == "map":
            return self.map(a, b)
        if kind == "set":
            return T.set_subtensor(a[s], b[s])
        if kind == "inc":
            return T.inc_subtensor(a[s], self.map(a, b)[s])
        if kind == "spread":
            return self.map(a, self.row)
        if kind == "pick":
            picked = T.take(a, self.index, axis=self.long)
            return self.map(picked[:, ::-1] if self.ndim > 1 else picked, b)
        if kind == "fill":
            return T.set_subtensor(a[s], np.array(1, self.dtype))
        axis = self.rng.randrange(self.ndim)
        if kind == "join":
            k = self.rng.choice([1, 2, -1])
            return T.concatenate([self.map(a, b)[self.at(axis, None, k)], b[self.at(axis, k, None)]], axis)
        off = self.map(a[self.at(axis, 1, None)], a[self.at(axis, None, -1)])
        return T.concatenate([b[self.at(axis, None, 1)], off], axis)

    def at(self, axis: int, start: Any, stop: Any) -> tuple[slice, ...]:
        """A slice of one axis."""
        return (*(slice(None),) * axis, slice(start, stop))

    def map(self, a: Any, b: Any) -> Any:
        """An elementwise op."""
        if self.dtype == "bool":
            return self.rng.choice([a & b, a | b, a ^ b])
        return self.rng.choice([a - b, a * b, T.maximum(a, b) if self.dtype != "complex128" else a + b])


def array(draw: np.random.Generator, shape: tuple[int, ...], dtype: str, how: int) -> np.ndarray:
    """An array with some strides."""
    shape = shape[::-1] if how == 1 else shape
    wide = tuple(2 * n for n in shape) if how == 2 else shape
    x = np.asarray(draw.integers(-3, 4, wide)).astype(dtype)
    if dtype.startswith("f"):
        x = x / 4 + np.asarray(draw.choice([0, 0, 0, 0, np.inf, np.nan], wide)).astype(dtype)
    return [x, x.T, x[(slice(None, None, -2),) * len(shape)]][how].astype(dtype, copy=False)


@np.errstate(all="ignore")
def compare(seed: int, ndim: int, dtype: str) -> None:
    """Compare a program in C, by the interpreter of loop programs, and in NumPy."""
    program = Program(seed, ndim, dtype)
    ins, outs = [*program.inputs, program.row, program.index], program.outputs
    fast, plain, slow = (
        eqsat.function(ins, outs, mode=mode, on_unused_input="ignore")
        for mode in ("FAST_RUN", AS_WRITTEN, "reference")
    )
    plan = plan_graph(ins, prepare(program.outputs, Settings.of("FAST_COMPILE")), fused=True)
    draw = np.random.default_rng(seed)
    for n in SIZES:
        shape = (n, 3, 2)[:ndim] if seed % 2 else (3, 2, n)[-ndim:]
        values = [array(draw, shape, dtype, (seed + k) % 3) for k in range(2)]
        row = tuple(1 if a == program.long else m for a, m in enumerate(shape))
        values.append(array(draw, row, dtype, 0))
        finite = [np.where(np.isfinite(v), v, np.asarray(1, dtype)) for v in values]
        index = draw.integers(-n, n, n) if n else np.zeros(0, np.int64)
        values, finite = [*values, index], [*finite, index]
        agree(fast(*finite), slow(*finite), f"{seed}, {n}")
        wanted = slow(*values)
        agree(plain(*values), wanted, f"{seed}, {n}, as written")
        if n < 10:
            agree(run(plan, values), wanted, f"{seed}, {n}, interpreted")


def agree(have: Any, wanted: Any, about: str) -> None:
    """Compare lists of arrays."""
    for h, w in zip(have, wanted, strict=True):
        assert h.dtype == w.dtype and h.shape == w.shape, about
        np.testing.assert_allclose(h, w, rtol=1e-5 if h.dtype == "float32" else 1e-12, err_msg=about)


@pytest.mark.c
@pytest.mark.parametrize("seed", range(4))
def test_parts_joins_and_writes(seed: int) -> None:
    compare(seed, 1 + seed % 2, ["float64", "float32", "int64", "bool"][seed % 4])


@pytest.mark.c
@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(4, 150))  # planted faults are seen in the first 40
def test_many_parts_joins_and_writes(seed: int) -> None:
    dtypes = ["float64", "float32", "int64", "bool", "int8", "complex128", "uint8"]
    compare(seed, 1 + seed % 3, dtypes[seed % 7])
