"""Gradients: what is asked for, how it is returned, and that the forward pass is not computed again."""

from __future__ import annotations

import random
import time
import warnings
from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.errors import (
    ArgumentError,
    DisconnectedInputError,
    DTypeError,
    EqsatWarning,
    GradientError,
    RankError,
)
from eqsat.gradient import grad, is_constant
from eqsat.graph.core import Apply, Op
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.walk import ancestors, toposort
from tests.gradient.merged import distinct
from tests.reference import evaluate, numeric_gradient


def names(outputs: list[Any]) -> list[str]:
    """Names of all ops that the outputs need."""
    return [str(node.op).partition("{")[0] for node in toposort(outputs)]


# ----------------------------------------------------------------------------------------------- what is asked


def test_one_variable_gives_one_gradient_a_list_a_list_and_a_tuple_a_tuple() -> None:
    x, y = T.dscalars("x", "y")
    cost = x * x * y
    assert evaluate([T.grad(cost, x)], {x: 3.0, y: 2.0}) == [12]
    for container in (list, tuple):
        found = T.grad(cost, container([x, y]))
        assert type(found) is container
        assert evaluate(found, {x: 3.0, y: 2.0}) == [12, 9]
    assert T.grad(cost, []) == []


def test_a_variable_used_twice_gets_the_sum() -> None:
    x = T.dvector("x")
    assert evaluate([T.grad((x * x + x).sum(), x)], {x: [1.0, 2.0]})[0].tolist() == [3, 5]
    assert evaluate(T.grad((x * x).sum(), [x, x]), {x: [1.0]})[1].tolist() == [2]


def test_the_gradient_of_the_cost_itself_is_one() -> None:
    x = T.dscalar("x")
    y = x * 3
    assert evaluate([T.grad(y, y)], {}) == [1]
    assert evaluate(T.grad(y, [x, y]), {x: 1.0}) == [3, 1]


def test_an_intermediate_variable_has_a_gradient() -> None:
    x = T.dvector("x")
    middle = x * 2
    assert evaluate([T.grad((middle**2).sum(), middle)], {x: [1.0, 2.0]})[0].tolist() == [4, 8]


def test_g_cost_scales_the_result() -> None:
    x, g = T.dscalars("x", "g")
    assert evaluate([T.grad(x * x, x, g_cost=g)], {x: 3.0, g: 10.0}) == [60]


def test_a_float32_cost_has_float32_gradients() -> None:
    x, w = T.fvector("x"), T.dvector("w")
    dx, dw = T.grad((x * w).sum(), [x, w])
    assert (dx.dtype, dw.dtype) == ("float32", "float64")
    assert T.grad(x.mean(), x).dtype == "float32"


def test_every_variable_that_grad_makes_names_the_line_of_the_call() -> None:
    x = T.dscalar("x")
    dx, here = T.grad(T.tanh(x), x), T.dscalar()
    assert {v.made_at for v in ancestors([dx], stop=[x])} >= {here.made_at}
    assert {v.made_at for node in toposort([dx], stop=[dx.owner.inputs[0]]) for v in node.outputs} == {
        here.made_at
    }
    assert here.made_at.startswith("test_reverse.py:")


# ----------------------------------------------------------------------------------- constants and known gradients


def test_no_gradient_flows_through_what_is_considered_constant() -> None:
    x = T.dscalar("x")
    middle = x * x
    cost = middle * x
    assert evaluate([T.grad(cost, x, consider_constant=[middle])], {x: 3.0}) == [9]
    with pytest.raises(DisconnectedInputError):
        T.grad(cost, x, consider_constant=[cost])
    assert evaluate([T.grad(cost, x, consider_constant=[x])], {x: 3.0}) == [27]


def test_known_gradients_beside_a_cost_and_of_it() -> None:
    x = T.dvector("x")
    y = x * 3
    data = {x: np.array([1.0, 2.0])}
    assert evaluate([T.grad(None, x, known_grads={y: np.array([1.0, 10.0])})], data)[0].tolist() == [3, 30]
    both = T.grad((x * x).sum(), x, known_grads={y: np.array([1.0, 10.0])})
    assert evaluate([both], data)[0].tolist() == [5, 34]
    total = (x * x).sum()
    assert evaluate([T.grad(total, x, known_grads={total: 2.0})], data)[0].tolist() == [4, 8]
    assert evaluate([T.grad(None, y, known_grads={y: T.ones_like(y)})], data)[0].tolist() == [1, 1]


def test_a_known_gradient_is_the_whole_one() -> None:
    x = T.dscalar("x")
    y = x * 2
    z = y * 5
    assert evaluate([T.grad(None, x, known_grads={y: 1.0, z: 1.0})], {x: 1.0}) == [2]
    assert evaluate([T.grad(z**2, [x, y], known_grads={y: 3.0})[0]], {x: 1.0}) == [6]
    assert evaluate([T.Lop([y, z], x, [1.0, 1.0])], {x: 1.0}) == [12]


# --------------------------------------------------------------------------------------------- disconnected inputs


def test_a_variable_without_influence_is_an_error_unless_asked_otherwise() -> None:
    x, y = T.dvector("x"), T.dvector("y")
    cost = x.sum()
    with pytest.raises(DisconnectedInputError) as error:
        T.grad(cost, y)
    assert str(error.value) == (
        f"grad: the cost does not depend on y\n  cost  f64[]   made at {cost.made_at}\n"
        f"  y     f64[?]   made at {y.made_at}\n"
        "  try   T.grad(..., disconnected_inputs='ignore')"
    )
    with pytest.warns(EqsatWarning, match="does not depend on y") as caught:
        T.grad(cost, y, disconnected_inputs="warn")
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        zero = T.grad(cost, y, disconnected_inputs="ignore")
        assert T.grad(cost, [x, y], disconnected_inputs="ignore", return_disconnected="None")[1] is None
    assert evaluate([zero], {y: [1.0, 2.0]})[0].tolist() == [0, 0]


def test_choices_are_checked() -> None:
    x = T.dscalar("x")
    with pytest.raises(ArgumentError) as error:
        T.grad(x, x, disconnected_inputs="no")
    assert (
        str(error.value)
        == "grad: disconnected_inputs does not take 'no'\n  needs  one of raise, warn, ignore"
    )
    with pytest.raises(ArgumentError) as error:
        T.grad(x, x, return_disconnected="no")
    assert (
        str(error.value)
        == "grad: return_disconnected does not take 'no'\n  needs  one of zero, None, Disconnected\n  try    None"
    )


# ------------------------------------------------------------------------------------------------- integers


def test_integers_have_zero_gradients_in_float64() -> None:
    x, i = T.dvector("x"), T.lvector("i")
    dx, di = T.grad((x * i).sum(), [x, i])
    found = evaluate([dx, di], {x: [1.0, 2.0], i: np.array([3, 4])})
    assert found[0].tolist() == [3, 4] and found[1].tolist() == [0, 0] and found[1].dtype == "float64"


def test_no_gradient_flows_through_integers() -> None:
    x = T.dvector("x")
    cost = (x * T.floor(x).astype("int64")).sum()
    assert evaluate([T.grad(cost, x)], {x: [1.5, 2.5]})[0].tolist() == [1, 2]
    rounded = x.astype("int64").astype("float64").sum()
    assert evaluate([T.grad(rounded, x)], {x: [1.5]})[0].tolist() == [0]


def test_an_argmax_or_a_comparison_is_constant() -> None:
    x = T.dvector("x")
    cost = T.switch(x > 1, x * x, 0).sum() + x.argmax() + (x > 2).sum()
    assert evaluate([T.grad(cost, x)], {x: [0.5, 3.0]})[0].tolist() == [0, 6]


# --------------------------------------------------------------------------------------------------- mistakes


class Opaque(Op):
    """Doubles its operand and cannot be differentiated."""

    __props__ = ()

    def make_node(self, *inputs: Any) -> Apply:
        return Apply(self, inputs, [inputs[0].type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = inputs[0] * 2


class Double(Opaque):
    """Doubles its operand, and says what that means for gradients."""

    def grad(self, inputs: Any, output_gradients: Any) -> Any:
        return [output_gradients[0] * 2]


class Two(Op):
    """Two outputs, of which a cost may use one."""

    __props__ = ()

    def make_node(self, *inputs: Any) -> Apply:
        return Apply(self, inputs, [inputs[0].type(), inputs[0].type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0], output_storage[1][0] = inputs[0] * 2, inputs[0] * 3

    def grad(self, inputs: Any, output_gradients: Any) -> Any:
        return [output_gradients[0] * 2 + output_gradients[1] * 3]


def test_ops_of_the_user_are_differentiated_by_their_own_method() -> None:
    x = T.dvector("x")
    assert evaluate([T.grad((Double()(x) ** 2).sum(), x)], {x: [1.0, 2.0]})[0].tolist() == [8, 16]
    first, second = Two()(x)
    assert evaluate([T.grad(second.sum(), x)], {x: [1.0]})[0].tolist() == [3]
    assert evaluate([T.grad((first * second).sum(), x)], {x: [1.0]})[0].tolist() == [12]


def test_an_op_without_a_gradient_is_named() -> None:
    x = T.dvector("x")
    with pytest.raises(GradientError) as error:
        T.grad(Opaque()(x).sum(), x)
    assert str(error.value) == (
        f"grad: Opaque has no gradient\n  x    f64[?]   made at {x.made_at}\n"
        "  try  give the op a grad method, or list its output in consider_constant"
    )
    y = Opaque()(x)
    assert evaluate([T.grad((x * y).sum(), x, consider_constant=[y])], {x: [3.0]})[0].tolist() == [6]


def test_a_declared_op_without_a_gradient_is_named() -> None:
    from eqsat.graph.declare import elemwise, forget_op

    @elemwise(c="{x}", signature="f->f")
    def stubborn(x: Any) -> Any:
        """The operand, without a gradient."""
        return x

    v = T.dscalar("v")
    try:
        with pytest.raises(GradientError, match="grad: stubborn has no gradient\n  v "):
            T.grad(stubborn(v), v)
        with pytest.raises(NotImplementedError, match=r"differentiated by eqsat\.gradient"):
            stubborn.grad([v], [v])
    finally:
        forget_op("stubborn")


def test_wrong_costs_are_refused_with_a_way_out() -> None:
    x, i = T.dvector("x"), T.lscalar("i")
    cases: list[tuple[Any, type[Exception], str]] = [
        (lambda: grad(x, x), RankError,
         f"grad: the cost x has 1 dimensions, not 0\n  cost  f64[?]   made at {x.made_at}\n"
         "  try   T.grad(cost.sum(), wrt)"),
        (lambda: grad(i, i), DTypeError,
         f"grad: the cost i is int64, which has no gradient\n  cost   i64[]   made at {i.made_at}\n"
         "  needs  a floating dtype"),
        (lambda: grad(3.0, x), ArgumentError, "grad: the cost 3.0 is not a variable"),
        (lambda: grad(None, x), ArgumentError, "grad: neither a cost nor known_grads is given"),
        (lambda: grad(x.sum(), "x"), ArgumentError,
         "grad: 'x' is not a variable\n  needs  a variable or a list of them"),
    ]  # fmt: skip
    for build, kind, text in cases:
        with pytest.raises(kind) as error:
            build()
        assert str(error.value) == text
    with pytest.raises(RankError, match="grad: the known gradient of x has 2 dimensions"):
        grad(None, x, known_grads={x: [[1.0]]})
    assert grad(None, x, known_grads={x: 2.0}).eval({x: [1.0, 5.0]}).tolist() == [2.0, 2.0]


# -------------------------------------------------------------------------------------- sharing and size


@pytest.mark.parametrize("name", ["exp", "sigmoid", "tanh", "sqrt", "reciprocal", "expm1", "softmax"])
def test_the_gradient_uses_the_node_of_the_forward_pass(name: str) -> None:
    x = T.dvector("x")
    y = getattr(T, name)(x)
    cost = (y * T.arange(3)).sum()
    assert names([cost, T.grad(cost, x)]).count(name) == 1


@pytest.mark.parametrize(
    "build", [T.logsumexp, lambda x: x.max(), lambda x: x.prod(), lambda x: (x / x.sum()).sum()]
)
def test_reductions_of_the_forward_pass_are_not_repeated(build: Any) -> None:
    x = T.dvector("x")
    cost = build(x)
    before = names([cost])
    together = names([cost, T.grad(cost, x)])
    for name in ("logsumexp", "max", "truediv"):
        if name in before and name != "truediv":
            assert together.count(name) == before.count(name)
    assert len(distinct([cost, T.grad(cost, x)])) < len(distinct([cost])) + 20


@pytest.mark.sweep
def test_a_chain_of_50_000_nodes_is_differentiated_in_seconds() -> None:
    x = T.dscalar("x")
    start = time.process_time()
    y = x
    for _ in range(50_000):
        y = T.tanh(y)
    dx = T.grad(y, x)
    assert time.process_time() - start < 25
    value = np.float64(0.7)
    slope = np.float64(1.0)
    for _ in range(50_000):
        value = np.tanh(value)
        slope *= 1 - value * value
    np.testing.assert_allclose(evaluate([dx], {x: 0.7})[0], slope, rtol=1e-9)


def test_gradient_is_linear_in_the_size_of_a_shared_graph() -> None:
    x = T.dscalar("x")
    y = x
    for _ in range(60):
        y = y * y + y  # 2 ** 60 paths
    assert len(toposort([T.grad(y, x)])) < 600


# --------------------------------------------------------------------------------------- random expressions


UNARY: list[Any] = [
    T.exp, T.tanh, T.sigmoid, T.softplus, T.sin, T.erf, T.sqr, abs, lambda x: T.log(1.5 + x * x), T.softmax,
    lambda x: T.sqrt(x * x + 0.3), lambda x: x.T, lambda x: x[::-1], lambda x: x - x.mean(axis=0),
    lambda x: x.sum(axis=1, keepdims=True) + x, lambda x: T.logsumexp(x, 1, keepdims=True) * x,
    lambda x: T.concatenate([x[1:], x[:1]], 0), lambda x: x.reshape((-1,)).reshape(x.shape, ndim=2),
    lambda x: T.set_subtensor(x[0], 0.5), lambda x: x[[1, 0]] if x.type.shape[0] is None else x,
    lambda x: x.var(axis=1).dimshuffle(0, "x") + x, lambda x: T.clip(x, -3.3, 3.3),
]  # fmt: skip
BINARY: list[Any] = [
    lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, lambda x, y: x / (1.5 + y * y),
    lambda x, y: T.maximum(x, y), lambda x, y: T.dot(x, y), lambda x, y: T.switch(x > y, x, y * 0.5),
    lambda x, y: x * y.sum(), lambda x, y: T.sigmoid(x) ** T.sigmoid(y),
]  # fmt: skip


@pytest.mark.parametrize("seed", range(50))
def test_random_expressions_have_the_gradient_of_differences(seed: int) -> None:
    rng = random.Random(seed)
    x, y = T.dmatrices("x", "y")
    pool: list[Any] = [x, y]
    for _ in range(6):
        if rng.random() < 0.55:
            pool.append(rng.choice(UNARY)(pool[-1]))
        else:
            pool.append(rng.choice(BINARY)(pool[-1], rng.choice(pool)))
        if rng.random() < 0.5:
            pool[-1] = T.tanh(pool[-1])
    cost = (T.tanh(pool[-1]) * np.array([[1.0, 2.0], [-1.5, 0.5]])).sum() + T.tanh(pool[2]).sum()
    data = np.random.default_rng(seed)
    given = {x: data.normal(size=(2, 2)), y: data.normal(size=(2, 2))}
    dx, dy = T.grad(cost, [x, y], disconnected_inputs="ignore")
    for v, g in zip((x, y), evaluate([dx, dy], given), strict=True):
        np.testing.assert_allclose(g, numeric_gradient(cost, v, given), rtol=1e-5, atol=2e-7)


def test_known_lengths_come_back_in_the_type_of_the_gradient() -> None:
    x = TensorType("float64", shape=(3, 1))("x")
    n = T.lscalar("n")
    assert T.grad(T.alloc(x, n, 4).sum(), x).type == x.type
    assert T.grad((x + T.dmatrix()).sum(), x).type == x.type


def test_is_constant_tells_values_in_the_graph() -> None:
    assert is_constant(T.constant(1.0)) and not is_constant(T.dscalar())
