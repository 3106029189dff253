"""Kernels of typical graphs: what is fused, what is stored, and that a plan computes what the graph says."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat import Op, Type, function
from eqsat.extract.cost import CostModel
from eqsat.extract.plan import MOST_EXPRESSIONS, make_plan
from eqsat.functions.planning import plan_graph
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.plan import Call, Compute, Kernel, Literal, Load, Plan, Rows
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.walk import toposort

ROOT = Path(__file__).resolve().parents[2]


def plan(inputs: Sequence[Any], *outputs: Any, model: CostModel | None = None) -> Plan:
    """The fused plan of a graph as written."""
    return make_plan(inputs, outputs, model or CostModel())


def shape_of(made: Plan) -> list[str]:
    """Each step that computes, in words: the ops of a kernel and what it reduces with, or the op of a call."""
    words = []
    for step in made.steps:
        if isinstance(step, Kernel):
            ops = [str(e.op).split("{")[0] for e in step.expressions if isinstance(e, Compute)]
            ends = [str(r.reduce).split("{")[0] for r in step.results if r.reduce is not None]
            words.append(" ".join(ops + ends) or "copy")
        elif isinstance(step, Rows):
            words.append("rows " + " / ".join(shape_of(step.plan)))
        elif getattr(step.apply.op, "name", "") != "dimshuffle":
            words.append("call " + str(step.apply.op).split("{")[0])
    return words


def run(made: Plan, values: Sequence[Any]) -> list[Any]:
    """Outputs of a plan, with the NumPy meaning of every op: kernels are read as they stand."""
    env: dict[Any, Any] = dict(zip(made.inputs, values, strict=True))

    def value(v: Any) -> Any:
        return v.data if isinstance(v, Constant) else env[v]

    for step in made.steps:
        if isinstance(step, Call):
            storage: list[list[Any]] = [[None] for _ in step.apply.outputs]
            step.apply.op.perform(step.apply, [value(v) for v in step.apply.inputs], storage)
            env.update((v, box[0]) for v, box in zip(step.apply.outputs, storage, strict=True))
            continue
        cells: list[Any] = []
        for e in step.expressions:
            if isinstance(e, Load):
                cell = value(e.variable)
                for view in e.views:
                    cell = view.compute(cell)
            elif isinstance(e, Literal):
                cell = np.full((1,) * step.ndim, e.value, e.dtype)
            else:
                assert isinstance(e, Compute)
                cell = np.asarray(e.op.compute(*(cells[a] for a in e.args)))
                assert cell.dtype == e.dtype
            cells.append(cell)
        for result in step.results:
            whole = cells[result.root]
            env[result.variable] = whole if result.reduce is None else result.reduce.compute(whole)
    return [value(v) for v in made.outputs]


def check(made: Plan, inputs: Sequence[Any], outputs: Sequence[Any], values: Sequence[Any]) -> None:
    """Refuse a plan that gives anything else than the graph."""
    want = function(list(inputs), list(outputs), mode="reference")(*values)
    for have, expected in zip(run(made, values), want, strict=True):
        np.testing.assert_allclose(np.broadcast_to(have, expected.shape), expected, rtol=1e-12)


X, Y, M = T.dvector("x"), T.dvector("y"), T.dmatrix("m")
VECTOR, OTHER = np.array([0.5, 1.0, 2.0]), np.array([3.0, 1.0, -1.0])
MATRIX = np.arange(9.0).reshape(3, 3) / 7


@pytest.mark.parametrize(
    "output, words",
    [
        (T.exp(T.sin(X) * 2 + 1) / X, ["sin mul add exp truediv"]),
        (T.sum(T.exp(X) * X), ["exp mul sum"]),
        (T.sum(T.sqr(M), axis=0), ["sqr sum"]),
        (T.exp(M).T + 1, ["exp add"]),
        (T.exp(X).dimshuffle(0, "x") + M, ["exp", "add"]),
        ((X * 2).dimshuffle(0, "x") + M, ["mul", "add"]),
        (M - M.max(axis=1, keepdims=True), ["max", "sub"]),
        (T.dot(T.exp(M), M) + 1, ["exp", "call dot", "add"]),
        (T.dot(M.T, M), ["call dot"]),
        (X[1:] * 2, ["call subtensor", "mul"]),
        (T.exp(M).T, ["exp"]),
        (M.T, []),
    ],
    ids=[
        "chain",
        "into-sum",
        "into-axis-sum",
        "through-T",
        "row",
        "small-row",
        "max",
        "around-dot",
        "view",
        "slice",
        "T-of-chain",
        "only-T",
    ],
)
def test_typical_graphs(output: Any, words: list[str]) -> None:
    leaves = [v for v in (X, M) if any(v in node.inputs for node in toposort([output]))]
    made = plan(leaves, output)
    assert shape_of(made) == words
    check(made, leaves, [output], [VECTOR if v is X else MATRIX for v in leaves])


def test_a_cheap_value_is_computed_again_and_a_dear_one_is_stored() -> None:
    cheap, dear = X * 2, T.exp(T.tanh(T.sin(X)))
    again = plan([X], T.sum(cheap), T.prod(cheap))
    assert shape_of(again) == ["mul sum prod"]
    stored = plan([X], T.sum(dear), T.prod(dear))
    assert shape_of(stored) == ["sin tanh exp sum prod"]
    for made, value in ((again, cheap), (stored, dear)):
        check(made, [X], [T.sum(value), T.prod(value)], [VECTOR])


def test_the_cost_model_decides() -> None:
    value = T.exp(X)
    slow_memory, slow_flops = CostModel(byte=1e-6), CostModel(flop=1e-6)
    outputs = T.sum(value), T.prod(M * value, axis=1)
    assert shape_of(plan([X, M], *outputs, model=slow_memory)) == ["exp sum", "exp mul prod"]
    assert shape_of(plan([X, M], *outputs, model=slow_flops)) == ["exp sum", "mul prod"]


def test_an_output_that_others_read_is_written_by_their_kernel() -> None:
    value = T.exp(X)
    made = plan([X], value, value + 1)
    assert shape_of(made) == ["exp add"]
    check(made, [X], [value, value + 1], [VECTOR])


def test_twins_are_computed_once() -> None:
    a, b = T.exp(X + Y), T.exp(X + Y)
    assert a is not b
    made = plan([X, Y], a * 2, T.sum(b), a, b)
    assert sum("exp" in words for words in shape_of(made)) == 1
    check(made, [X, Y], [a * 2, T.sum(b), a, b], [VECTOR, OTHER])


def test_long_chains_are_cut() -> None:
    y = X
    for k in range(300):
        y = y * 1.01 + k
    made = plan([X], y)
    kernels = [step for step in made.steps if isinstance(step, Kernel)]
    assert len(kernels) >= 600 / MOST_EXPRESSIONS
    assert max(sum(isinstance(e, Compute) for e in k.expressions) for k in kernels) <= MOST_EXPRESSIONS
    check(made, [X], [y], [VECTOR])


@pytest.mark.parametrize("levels", [2, 9, 40])
def test_views_of_views_do_not_multiply_work(levels: int) -> None:
    y = M
    for _ in range(levels):
        y = y * 0.5 + y.T
    made = plan([M], y)
    total = sum(len(step.expressions) for step in made.steps if isinstance(step, Kernel))
    assert total <= 6 * levels + 4
    check(made, [M], [y], [MATRIX])


def test_three_axes_turned_again_and_again() -> None:
    t = T.dtensor3("t")
    y = t
    for k in range(12):
        y = y.dimshuffle(1, 2, 0) * 0.5 + (y.dimshuffle(1, 0, 2) if k % 2 else y)
    made = plan([t], y)
    assert all(
        len(step.expressions) <= 4 * MOST_EXPRESSIONS for step in made.steps if isinstance(step, Kernel)
    )
    check(made, [t], [y], [np.arange(27.0).reshape(3, 3, 3)])


def test_inputs_constants_and_repeated_outputs() -> None:
    c = T.constant(np.array([1.0, 2.0, 3.0]))
    y = X + c
    made = plan([X], X, c, y, y, X.dimshuffle("x", 0))
    check(made, [X], [X, c, y, y, X.dimshuffle("x", 0)], [VECTOR])


def test_a_plan_without_fusion_has_a_step_per_op() -> None:
    y = T.sum(T.exp(X) * 2)
    made = plan_graph([X], [y], fused=False)
    assert len(made.steps) == len(toposort([y]))
    check(made, [X], [y], [VECTOR])


# ------------------------------------------------------------------------------------------------------ user ops


class Split(Op):
    """Positive and negative part, written by a user with perform and grad only."""

    __props__ = ()

    def make_node(self, x: Any) -> Apply:
        return Apply(self, [x], [x.type(), x.type()])

    def perform(self, node: Apply, inputs: Any, output_storage: list[list[Any]]) -> None:
        output_storage[0][0], output_storage[1][0] = np.maximum(inputs[0], 0), np.minimum(inputs[0], 0)

    def grad(self, inputs: Any, output_gradients: Any) -> Any:
        (x,), (up, down) = inputs, output_gradients
        return [T.switch(x > 0, up, down)]


class Words(Type):
    """Values that are no tensors: Python strings."""

    def filter(self, value: Any, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        if not isinstance(value, str):
            raise TypeError(f"{value!r} is not text")
        return value

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(Words)


class Count(Op):
    """How often a letter, given by its code, is in a text."""

    __props__ = ()

    def make_node(self, text: Any, code: Any) -> Apply:
        return Apply(self, [text, code], [TensorType("int64", ())()])

    def perform(self, node: Apply, inputs: Any, output_storage: list[list[Any]]) -> None:
        output_storage[0][0] = inputs[0].count(chr(int(inputs[1])))


def test_a_user_op_amid_fused_kernels(mode: str) -> None:
    up, down = Split()(T.exp(X) - 2)
    y = T.sum(T.exp(up) * down * 1.0 + X * Y / Y)
    f = function([X, Y], [y, down, up], mode=mode)
    value, below, above = f(VECTOR, OTHER)
    inner = np.exp(VECTOR) - 2
    np.testing.assert_allclose(above, np.maximum(inner, 0))
    np.testing.assert_allclose(below, np.minimum(inner, 0))
    np.testing.assert_allclose(value, np.sum(np.exp(np.maximum(inner, 0)) * np.minimum(inner, 0) + VECTOR))


def test_a_user_op_differentiates_in_every_mode(mode: str) -> None:
    up, down = Split()(X * 2)
    slope = function([X], T.grad(T.sum(up * 3 + down * 5), X), mode=mode)
    assert slope([1.0, -1.0]).tolist() == [6.0, 10.0]


def test_equal_user_ops_are_run_once() -> None:
    calls: list[int] = []

    class Noted(Split):
        def perform(self, node: Apply, inputs: Any, output_storage: list[list[Any]]) -> None:
            calls.append(1)
            super().perform(node, inputs, output_storage)

    f = function([X], [Noted()(X)[0] + 1, Noted()(X)[1] * 2], mode="numpy")
    f(VECTOR)
    assert len(calls) == 1


def test_a_type_that_is_no_tensor(mode: str) -> None:
    text, code = Variable(Words(), None, None, "text"), T.lscalar("code")
    f = function([text, code], [Count()(text, code) * 2 + code, text], mode=mode)
    twice, same = f("banana", ord("a"))
    assert int(twice) == 6 + ord("a") and same == "banana"


# --------------------------------------------------------------------------------------------- always the same

PROGRAM = """
import warnings; warnings.simplefilter("error")
import numpy as np, eqsat, eqsat.tensor as T
x, w, b = T.dmatrix("x"), eqsat.shared(np.ones((3, 2)), "w"), T.drow("b")
p = T.softmax(T.tanh(T.dot(x, w) + b))
cost = -T.mean(T.log(p)[:, 0]) + T.sum(w ** 2)
f = eqsat.function([x, b], [cost, p.T], updates=[(w, w - T.grad(cost, w))])
report = f.report
print(eqsat.dprint(f, file="str"))
print([line for line in str(report).splitlines() if not line.startswith(("phase", "time"))])
print(report.cost_after, report.bound, sorted(report.rules.items()))
print(f.c_source)
"""


def in_new_process(program: str, **environment: str) -> str:
    """What a program prints in a process of its own."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    done = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.sweep
@pytest.mark.c
def test_two_processes_give_the_same_graph_report_and_c() -> None:
    flags = os.environ["EQSAT_FLAGS"] + ",cache=no,egraph_seconds=60,extract_seconds=5"
    first = in_new_process(PROGRAM, PYTHONHASHSEED="1", EQSAT_FLAGS=flags)
    assert first == in_new_process(PROGRAM, PYTHONHASHSEED="2", EQSAT_FLAGS=flags)
    assert "omp" in first or "for" in first


def ops_of(made: Any) -> tuple[str, ...]:
    """The ops of each kernel in order of their names, as one text for each."""
    return tuple(sorted(" ".join(sorted(words.split())) for words in shape_of(made)))


def test_the_order_of_outputs_does_not_change_the_cost() -> None:
    outputs = [T.log(1 + T.exp(X * Y)), T.sum(X * Y / Y), T.exp(X + Y) * T.exp(Y + X)]
    costs = {
        eqsat.optimize([outputs[k] for k in order]).cost_after
        for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2), (0, 2, 1))
    }
    assert max(costs) - min(costs) <= 1e-12 * max(costs)
    words = {ops_of(plan(order, *outputs)) for order in ((X, Y), (Y, X))}
    words.add(ops_of(plan((X, Y), *outputs[::-1])))
    assert len(words) == 1


def test_outputs_that_were_written_several_times_are_computed_once() -> None:
    x, y = T.dmatrices("x", "y")
    outs = [T.tanh(v * 1.1 + 0.1) for v in (x, y, y)]
    made = make_plan([x, y], outs, CostModel())
    assert made.outputs[1] is made.outputs[2]
    results = [r.variable for step in made.steps if isinstance(step, Kernel) for r in step.results]
    assert results == made.outputs[:2]


def test_a_softmax_takes_the_sum_of_its_logsumexp() -> None:
    """Powers that are added for shares and for a logarithm are added once."""
    x = T.dmatrix("x")
    plan = plan_graph([x], [T.softmax(x, 1), T.logsumexp(x, 1)], fused=True)
    members = [m for s in plan.steps for m in (s.members if isinstance(s, Rows) else [s])]
    folds = [r.reduce for m in members if isinstance(m, Kernel) for r in m.results if r.reduce is not None]
    assert sorted(f.declaration.name for f in folds) == ["largest", "sum"]
