"""Fused kernels made by hand, memory that is used again, Python ops in the middle, and large plans."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.cgen import translate
from eqsat.errors import ShapeError
from eqsat.graph.core import Apply, Op
from eqsat.graph.ops.elemwise import add, exp, mul
from eqsat.graph.ops.index import part_op
from eqsat.graph.ops.reduce import max_op, sum_op
from eqsat.graph.ops.shape import dimshuffle_op
from eqsat.graph.plan import Call, Compute, Kernel, Literal, Load, Plan, Result, plan_as_written
from eqsat.graph.walk import toposort


def written(inputs: Sequence[Any], outputs: Sequence[Any]) -> Plan:
    return plan_as_written(inputs, outputs, toposort(outputs))


def test_several_results_over_one_space(compiled: Any) -> None:
    x, y = T.matrix("x"), T.matrix("y")
    kernel = Kernel(
        [
            Load(x),
            Load(y),
            Compute(add, (0, 1), "float64"),
            Literal(2.0, "float64"),
            Compute(mul, (2, 3), "float64"),
        ],
        [],
        (None, None),
    )
    outs = [T.matrix(), T.matrix(), T.tensor(dtype="float64", shape=(1, 1)), T.row(), T.col(), T.row()]
    reduces = [
        None,
        None,
        sum_op.bind(axes=(0, 1)),
        sum_op.bind(axes=(0,)),
        max_op.bind(axes=(1,)),
        max_op.bind(axes=(0,)),
    ]
    kernel.results = [Result(v, r, op) for v, r, op in zip(outs, (2, 4, 4, 2, 4, 0), reduces, strict=True)]
    f = compiled(Plan([x, y], outs, [kernel]))
    for shape in [(3, 4), (1, 1), (300, 7), (2, 5000), (400, 400)]:
        a, b = np.random.default_rng(1).normal(size=(2, *shape))
        s, t = a + b, (a + b) * 2
        want = [
            s,
            t,
            t.sum(keepdims=True),
            s.sum(0, keepdims=True),
            t.max(1, keepdims=True),
            a.max(0, keepdims=True),
        ]
        for g, w in zip(f(a, b), want, strict=True):
            assert g.shape == w.shape and np.allclose(g, w, rtol=1e-12, atol=1e-11)


def test_loads_through_views(compiled: Any) -> None:
    x, v = T.matrix("x"), T.vector("v")
    turned = dimshuffle_op.bind(pattern=(1, 0))
    part = part_op.bind(pattern=(("slice", 1, None, 2), ("slice", None, None, -1)))
    row = dimshuffle_op.bind(pattern=("x", 0))
    loads: list[Any] = [Load(x, (turned, part)), Load(v, (row,)), Compute(add, (0, 1), "float64")]
    out, total = T.matrix(), T.col()
    plan = Plan(
        [x, v],
        [out, total],
        [Kernel(loads, [Result(out, 2), Result(total, 2, sum_op.bind(axes=(1,)))], (None, None))],
    )
    f = compiled(plan)
    a, b = np.random.default_rng(2).normal(size=(5, 8)), np.arange(5.0)
    want = a.T[1::2, ::-1] + b[None]
    got = f(a, b)
    assert np.array_equal(got[0], want) and np.allclose(got[1], want.sum(1, keepdims=True))
    with pytest.raises(ShapeError) as error:
        f(a, np.arange(4.0))
    assert str(error.value).splitlines()[0] == "add: axis 1 has the lengths 5 in x and 4 in v at run time"


def test_the_first_op_that_joins_is_named(compiled: Any) -> None:
    x, y, z = T.vector("x"), T.vector("y"), T.vector("z")
    loads: list[Any] = [Load(x), Load(y), Load(z)]
    steps: list[Any] = [
        Compute(exp, (0,), "float64"),
        Compute(mul, (3, 1), "float64"),
        Compute(add, (4, 2), "float64"),
    ]
    out = T.vector()
    f = compiled(Plan([x, y, z], [out], [Kernel([*loads, *steps], [Result(out, 5)], (None,))]))
    with pytest.raises(ShapeError) as error:
        f(np.zeros(3), np.zeros(3), np.zeros(2))
    lines = str(error.value).splitlines()
    assert lines[0] == "add: axis 0 has the lengths 3 in x and 2 in z at run time"
    assert [line.split()[0] for line in lines[1:3]] == ["x", "z"]


def test_numbers_stand_in_the_text(compiled: Any) -> None:
    x = T.vector("x")
    values = [0.1, -0.0, float("inf"), float("-inf"), float("nan"), 5e-324, 1e308, 3.0]
    outs = [T.vector() for _ in values]
    kernels = [
        Kernel(
            [Load(x), Literal(v, "float64"), Compute(add if v == v else mul, (0, 1), "float64")],
            [Result(o, 2)],
            (None,),
        )
        for v, o in zip(values, outs, strict=True)
    ]
    f = compiled(Plan([x], outs, list(kernels)))
    assert "0.1;" in f.source and "INFINITY" in f.source and "5e-324" in f.source
    for got, v in zip(f(np.array([-0.0, 2.0])), values, strict=True):
        want = np.array([-0.0, 2.0]) + v
        assert np.array_equal(got, want, equal_nan=True) and np.array_equal(
            np.signbit(got[:1]), np.signbit(want[:1])
        )


# ------------------------------------------------------------------------------------------------------- memory


def test_chains_need_few_buffers() -> None:
    x = T.vector("x")
    y = x
    for k in range(50):
        y = T.tanh(y) * float(k) + x
    source = translate(written([x], [y]), True).source
    assert buffers(source) <= 2
    z = x
    for _ in range(20):
        z = T.set_subtensor(z[1:3], 0.0)
    assert buffers(translate(written([x], [z]), True).source) <= 2


def buffers(source: str) -> int:
    line = next(line for line in source.splitlines() if "eq_segment_0" in line)
    return int(line.split("{")[1].split(",")[4])


def test_inputs_and_constants_never_change(compiled: Any) -> None:
    x = T.vector("x")
    k = T.constant(np.arange(20.0))
    i = T.constant(np.array([0, 3, 3]))
    outs = [
        T.set_subtensor(x[1:3], 9.0),
        T.inc_subtensor(x[i], 1.0),
        T.set_subtensor(k[2:], 1.0),
        T.exp(x) + k,
        k * 2,
    ]
    f = compiled([x], outs)
    a = np.arange(20.0)
    first = [o.copy() for o in f(a)]
    for _ in range(3):
        for got, want in zip(f(a), first, strict=True):
            assert np.array_equal(got, want)
    assert np.array_equal(a, np.arange(20.0)) and np.array_equal(k.data, np.arange(20.0))


def test_values_read_later_survive(check: Any) -> None:
    x = T.matrix("x")
    e = T.exp(x)
    a = e + 1
    b = T.set_subtensor(a[0], 0.0)
    outputs = [
        a.sum(),
        b.sum(),
        e.T + b.T,
        a.T.reshape((-1,)).sum(),
        T.inc_subtensor(b[:, 1], 1.0) * e,
        b[::-1] + e[::-1],
    ]
    check([x], outputs, *[[np.random.default_rng(n).normal(size=(n, n + 1))] for n in (1, 2, 5)], ulps=64)


MOVES: list[Any] = [
    lambda a, b, v: a + b,
    lambda a, b, v: T.tanh(a) * b,
    lambda a, b, v: a - a.max(axis=0),
    lambda a, b, v: a * v,
    lambda a, b, v: T.set_subtensor(a[1:], b[1:]),
    lambda a, b, v: T.inc_subtensor(a[:, ::2], 0.5),
    lambda a, b, v: (a.T + v.dimshuffle(0, "x") * 0.5).T,
    lambda a, b, v: a + b.sum(axis=1, keepdims=True) / 50,
    lambda a, b, v: T.concatenate([a[:1], b[1:]]),
]


@pytest.mark.sweep
def test_random_graphs(check: Any) -> None:
    for seed in range(12):
        dice = np.random.default_rng(seed)
        x, v = T.matrix("x"), T.vector("v")
        pool: list[Any] = [x, x * v]
        for _ in range(40):
            a, b = (pool[int(dice.integers(len(pool)))] for _ in "ab")
            pool.append(MOVES[int(dice.integers(len(MOVES)))](a, b, v))
        outputs = [pool[int(k)] for k in dice.integers(2, len(pool), 5)] + [pool[-1]]
        check(
            [x, v],
            outputs,
            *[[dice.normal(size=s), dice.normal(size=s[1])] for s in [(4, 4), (1, 3), (9, 5)]],
            ulps=1e6,
        )


# --------------------------------------------------------------------------------------------------- Python ops


class Twice(Op):
    """Gives the double of a vector, and the vector itself."""

    __props__ = ()

    def make_node(self, *inputs: Any) -> Apply:
        return Apply(self, inputs, [inputs[0].type(), inputs[0].type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = inputs[0] * 2
        output_storage[1][0] = inputs[0]


def test_a_python_op_in_the_middle(compiled: Any) -> None:
    x, y = T.vector("x"), T.vector("y")
    k = T.constant(np.arange(20.0))
    double, same = Twice()(T.exp(x) + y)
    again, constant = Twice()(k)
    outputs = [double + x, same, same, x, double, constant, k, again.sum()]
    f = compiled([x, y], outputs)
    assert f.meta.opaque == 2 and f.meta.segments == 3
    a, b = np.linspace(0, 1, 20), np.ones(20)
    for _ in range(3):
        got = f(a, b)
        e = np.exp(a) + 1
        want = [2 * e + a, e, e, a, 2 * e, k.data, k.data, 2 * k.data.sum()]
        for g, w in zip(got, want, strict=True):
            assert np.allclose(g, w)
        for i, one in enumerate(got):
            assert not any(np.shares_memory(one, other) for other in [*got[:i], a, b, k.data])
            one[...] = 0
    assert f.call_raw(a, b.astype("float32")) is None


# ------------------------------------------------------------------------------------------------------- sizes


@pytest.mark.sweep
def test_repeated_kernels_are_compiled_once(compiled: Any) -> None:
    x, w = T.matrix("x"), T.matrix("w")
    y = x
    for _ in range(1000):
        y = T.tanh(T.dot(y, w)) + x
    plan = written([x, w], [y])
    assert sum(isinstance(s, (Kernel, Call)) for s in plan.steps) == 3000
    source = translate(plan, True).source
    assert source.count("eq_k") - source.count("eq_spread(c, eq_k") <= 8
    start = time.perf_counter()
    f = compiled(plan)
    assert time.perf_counter() - start < 60
    a, b = np.eye(3) / 2, np.eye(3) / 3
    want = a
    for _ in range(1000):
        want = np.tanh(want @ b) + a
    assert np.allclose(f(a, b)[0], want)


@pytest.mark.sweep
def test_long_chains_do_not_recurse() -> None:
    x = T.vector("x")
    y = x
    for _ in range(20_000):
        y = T.exp(y)
    assert len(translate(written([x], [y]), True).source) > 20_000
