"""Reductions in C: all subsets of axes, all dtypes, empty axes, NaN, accuracy, and the same bits for any number of threads."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.cgen.runtime import abi
from eqsat.errors import ShapeError
from eqsat.graph.declare import Reduction, forget_op, structural
from eqsat.graph.dtypes import ALL, COMPLEX, FLOATS
from eqsat.graph.ops.reduce import AXES, all_op, any_op, max_op, min_op, prod_op, reduce_cost, sum_op
from eqsat.graph.ops.shape import dimshuffle
from eqsat.graph.tensor_type import TensorType

NUMERIC = [sum_op, prod_op, max_op, min_op]


def subsets(ndim: int) -> list[tuple[int, ...]]:
    return [axes for k in range(1, ndim + 1) for axes in itertools.combinations(range(ndim), k)]


def numbers(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    dice = np.random.default_rng(len(shape))
    if dtype in FLOATS:
        return (1 + dice.normal(size=shape) / 8).astype(dtype)
    if dtype in COMPLEX:
        return (1 + (dice.normal(size=shape) + 1j * dice.normal(size=shape)) / 8).astype(dtype)
    return dice.integers(0, 2 if dtype == "bool" else 5, shape).astype(dtype)


@pytest.mark.parametrize("ndim", [1, 2, 3, 4])
@pytest.mark.parametrize("op", NUMERIC, ids=lambda op: op.name)
@pytest.mark.sampled(5)
def test_every_subset_of_axes(op: Any, ndim: int, check: Any) -> None:
    x = TensorType("float64", shape=(None,) * ndim)("x")
    outputs = [op(x, axes=axes) for axes in subsets(ndim)]
    shapes = [(3, 4, 5, 6)[:ndim], (1, 1, 1, 1)[:ndim], (7, 1, 40, 3)[:ndim]]
    check([x], outputs, *[[numbers("float64", shape)] for shape in shapes], ulps=64)


EUCLID = "eq_gcd__int64_t({a}, {b})"  # of graph/ops/common_divisors.py, for a processor and a device


@pytest.fixture
def gcd_over() -> Iterator[Any]:
    @structural(
        "reduce",
        signature="x->x[axes:=1]",
        dtypes="i->i",
        parameters={"axes": AXES},
        reduction=Reduction(EUCLID, identity=lambda dtype: 0),
        cost=reduce_cost,
    )
    def gcd_over(x: Any, *, axes: tuple[int, ...]) -> Any:
        """The greatest common divisor over axes."""
        return np.gcd.reduce(x, axis=axes, keepdims=True)

    yield gcd_over
    forget_op("gcd_over")


@pytest.mark.parametrize("dtype", ["int64", "int32"])
@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_a_reduction_for_which_openmp_has_no_operator(
    gcd_over: Any, ndim: int, dtype: str, check: Any
) -> None:
    x = TensorType(dtype, shape=(None,) * ndim)("x")
    outputs = [
        v
        for axes in subsets(ndim)
        for v in (gcd_over(x, axes=axes), sum_op(gcd_over(x * 2, axes=axes), axes=axes))
    ]
    dice = np.random.default_rng(ndim)
    shapes = [
        tuple(dice.choice([0, 1, 2, 5, 40, 700] if ndim < 3 else [0, 1, 3, 40], ndim)) for _ in range(5)
    ]
    shapes += [(1,) * ndim, (0,) * ndim, (130, 90, 3)[:ndim]]
    check([x], outputs, *[[(dice.integers(-30, 30, shape) * 6).astype(dtype)] for shape in shapes])


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.sampled(4)
def test_every_dtype(dtype: str, check: Any) -> None:
    x = TensorType(dtype, shape=(None, None))("x")
    ops = (
        [max_op, min_op, all_op, any_op] if dtype == "bool" else NUMERIC[:2] if dtype in COMPLEX else NUMERIC
    )
    outputs = [op(x, axes=axes) for op in ops for axes in subsets(2)]
    check([x], outputs, *[[numbers(dtype, s)] for s in [(3, 700), (700, 3), (50, 60)]], ulps=300)


def test_known_lengths(check: Any) -> None:
    for shape in [(3, 4, 5), (1, 40, 1), (2, 3, 100)]:
        x = TensorType("float32", shape=shape)("x")
        check([x], [sum_op(x, axes=axes) for axes in subsets(3)], [numbers("float32", shape)], ulps=16)


def test_transposed_operands(check: Any) -> None:
    x = TensorType("float64", shape=(None, None, None))("x")
    views = [dimshuffle(x, *order) for order in itertools.permutations(range(3))]
    outputs = [sum_op(v, axes=axes) for v in views for axes in subsets(3)]
    check([x], outputs, [numbers("float64", (5, 6, 7))], ulps=64)


def test_nothing_to_sum(check: Any) -> None:
    x = TensorType("float64", shape=(None, None))("x")
    outputs = [op(x, axes=axes) for op in (sum_op, prod_op) for axes in subsets(2)]
    check([x], outputs, *[[np.zeros(shape)] for shape in [(0, 3), (3, 0), (0, 0)]])


def test_no_largest_of_nothing(compiled: Any) -> None:
    x = TensorType("float64", shape=(None, None))("x")
    for op in (max_op, min_op):
        f = compiled([x], [op(x, axes=(1,))])
        assert f(np.zeros((0, 3)))[0].shape == (0, 1)
        with pytest.raises(ShapeError) as error:
            f(np.zeros((3, 0)))
        assert str(error.value).splitlines()[0] == f"{op.name}: an axis of length 0 has no {op.name}"
        assert str(error.value).splitlines()[1].startswith("  x    f64[?, ?]   made at test_reductions.py:")


@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_spreads(dtype: str, check: Any) -> None:
    x = TensorType(dtype, shape=(None, None))("x")
    outputs = [op(x, axes=axes) for op in NUMERIC for axes in subsets(2)]
    for shape in [(40, 50), (3, 2000), (2000, 3)]:
        for place in [(0, 0), (shape[0] - 1, shape[1] - 1), (shape[0] // 2, 1)]:
            values = numbers(dtype, shape) * 0 + 1
            values[place] = np.nan
            check([x], outputs, [values], ulps=8)
    infinite = np.full((30, 30), -np.inf, dtype)
    check([x], outputs, [infinite])


def test_sums_are_accurate(compiled: Any) -> None:
    for dtype, rtol in (("float32", 1e-6), ("float64", 2e-15)):
        x = TensorType(dtype, shape=(None,))("x")
        f = compiled([x], [sum_op(x, axes=(0,))])
        values = np.full(10_000_000, 0.1, dtype)
        exact = float(values[0]) * len(values)
        assert abs(float(f(values)[0][0]) - exact) <= rtol * exact
    m = TensorType("float64", shape=(None, None))("m")
    f = compiled([m], [sum_op(m, axes=(0,)), sum_op(m, axes=(1,))])
    values = np.random.default_rng(0).normal(size=(3000, 300))
    for got, axis in zip(f(values), (0, 1), strict=True):
        exact = np.sum(values.astype(np.longdouble), axis=axis, keepdims=True)
        pairwise = np.max(np.abs(np.sum(np.sort(values, axis=axis), axis=axis, keepdims=True) - exact))
        assert np.max(np.abs(got - exact)) <= max(8 * pairwise, 1e-12)


PROGRAM = """
import sys, numpy as np, hashlib
sys.path[:0] = {path!r}
from eqsat.graph.plan import plan_as_written
from eqsat.graph.walk import toposort
from eqsat.cgen import Tools, compile_plan, find_compiler
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.ops.elemwise import exp, tanh
from eqsat.graph.ops.reduce import sum_op, max_op
x = TensorType("float32", shape=(None, None))("x")
outs = [sum_op(exp(x), axes=(0, 1)), sum_op(x, axes=(0,)), sum_op(x, axes=(1,)), max_op(x, axes=(0, 1)), tanh(x)]
f = compile_plan(plan_as_written([x], outs, toposort(outs)), Tools(find_compiler(), {folder!r}, True))
text = ""
for shape in [(1000, 999), (3, 400001), (400001, 3), (70, 20000)]:
    values = np.random.default_rng(1).normal(size=shape).astype("float32")
    text += hashlib.sha256(b"".join(a.tobytes() for a in f(values))).hexdigest()
print(text)
"""


def test_threads_do_not_change_a_bit(compiled: Any, folder: str) -> None:
    import os

    program = PROGRAM.format(path=sys.path, folder=folder)
    results = set()
    for threads in ("1", "2", "5"):
        environment = {**os.environ, "OMP_NUM_THREADS": threads}
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, env=environment
        )
        assert done.returncode == 0, done.stderr
        results.add(done.stdout)
    assert len(results) == 1


def test_threads_on_small_arrays(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(abi, "SPREAD", abi.SPREAD.replace(str(abi.WORK), "2"))
    x = TensorType("float64", shape=(None, None))("x")
    outputs = [op(x, axes=axes) for op in (sum_op, max_op) for axes in subsets(2)] + [
        x + x,
        x * dimshuffle(x, 1, 0),
    ]
    check([x], outputs, *[[numbers("float64", (n, n))] for n in (1, 3, 100)], ulps=64)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8", "bool"])
def test_places_of_extremes(check: Any, dtype: str) -> None:
    """Short and long rows, columns, ties, NaN and infinities, with the first place of each."""
    x = T.tensor(dtype, (None, None))
    outputs = [op(x, axis) for op in (T.argmax, T.argmin) for axis in (0, 1, None)]
    outputs += [*T.max_and_argmax(x, 1), *T.max_and_argmax(x[:, ::-1], 0)] if dtype != "bool" else []
    calls = []
    for n, m in ((3, 1), (7, 5), (5, 31), (4, 32), (3, 133)):
        a = np.random.default_rng(m).integers(0, 5, (n, m)).astype(dtype)
        calls.append([a])
        if a.dtype.kind == "f":
            b, c = a.copy(), np.full_like(a, -np.inf)
            b[-1, m // 2 :], b[0] = np.nan, np.inf
            calls += [[b], [c], [-c], [np.full_like(a, np.nan)]]
    check([x], outputs, *calls)
