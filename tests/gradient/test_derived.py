"""Lop, Jacobians, Hessians, products with them, and gradients of a part of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.gradient as G
import eqsat.tensor as T
from eqsat.errors import ArgumentError, BatchError, DisconnectedInputError, DTypeError, RankError
from eqsat.graph.core import Apply, Op
from eqsat.graph.tensor_type import TensorType
from tests.reference import evaluate

A = np.array([[0.7, -0.4, 1.2], [0.3, 0.9, -1.1]])
B = np.array([0.5, -1.0, 2.0])


def numeric_jacobian(f: Any, x: Any, value: Any, given: Any) -> Any:
    """Central differences of every element of f, with the axes of x last."""
    columns = []
    for index in np.ndindex(value.shape):
        ends = []
        for sign in (1, -1):
            moved = value.copy()
            moved[index] += sign * 1e-6
            ends.append(evaluate([f], {**given, x: moved})[0])
        columns.append((ends[0] - ends[1]) / 2e-6)
    flat = np.stack(columns, -1) if columns else np.zeros((*np.shape(evaluate([f], given)[0]), 0))
    return flat.reshape(flat.shape[:-1] + value.shape)


def test_jacobians_of_every_rank_in_every_mode(seed_mode: str) -> None:
    w, x = T.dmatrix("w"), T.dvector("x")
    given = {w: A, x: B}
    fs = [T.tanh(T.dot(w, x)), T.exp(w * x).sum(), T.softmax(w) * x, x[::-1] ** 2 * w.sum(), T.logsumexp(w, 0),
          w[[1, 0, 1], [0, 2, 0]] * x, T.set_subtensor(T.sqr(w)[0], x), T.concatenate([x, w.flatten()]), w.T.reshape((2, 3))]  # fmt: skip
    found = [T.jacobian(f, [w, x], disconnected_inputs="ignore") for f in fs]
    run = eqsat.function(
        [w, x], [j for pair in found for j in pair], mode=seed_mode, on_unused_input="ignore"
    )
    results = run(A, B)
    for k, f in enumerate(fs):
        for j, (v, value) in zip(results[2 * k : 2 * k + 2], ((w, A), (x, B)), strict=True):
            np.testing.assert_allclose(j, numeric_jacobian(f, v, value, given), rtol=1e-5, atol=1e-7)


def test_jacobians_without_elements() -> None:
    w, x = T.dmatrix("w"), T.dvector("x")
    outs = [T.jacobian(T.tanh(T.dot(w, x)), [w, x])[k] for k in (0, 1)]
    outs += [T.jacobian(w.reshape((-1, 3)) * 2, w), T.jacobian(w.sum(), w), T.hessian((w**2).sum(), w)]
    found = evaluate(outs, {w: np.zeros((0, 3)), x: B})
    assert [v.shape for v in found] == [(0, 0, 3), (0, 3), (0, 3, 0, 3), (0, 3), (0, 3, 0, 3)]


def test_a_jacobian_knows_what_the_types_know() -> None:
    x = TensorType("float32", shape=(3, 1))("x")
    f = T.exp(x).sum(axis=1)
    j = T.jacobian(f, x)
    assert j.type == TensorType("float32", shape=(3, 3, 1))
    assert type(T.jacobian(f, [x])) is list and type(T.jacobian(f, (x,))) is tuple


def test_a_jacobian_is_one_batched_graph_without_loops() -> None:
    from eqsat.graph.walk import toposort

    x = T.dvector("x")
    w = T.dmatrix("w")
    names = [node.op.name for node in toposort([T.jacobian(T.tanh(T.dot(w, x)), x)])]
    assert names.count("tanh") == 1 and names.count("dot") == 2 and len(names) < 40


class Triple(Op):
    """An op of the user, which has no rule for batches."""

    __props__ = ()

    def make_node(self, *inputs: Any) -> Apply:
        return Apply(self, inputs, [inputs[0].type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        output_storage[0][0] = inputs[0] * 3

    def grad(self, inputs: Any, output_gradients: Any) -> Any:
        return [Triple()(output_gradients[0])]


def test_a_jacobian_through_an_op_without_a_rule_needs_a_known_length() -> None:
    known, free = TensorType("float64", shape=(3,))("x"), T.dvector("y")
    found = evaluate([T.jacobian(Triple()(T.sqr(known)), known)], {known: B})[0]
    np.testing.assert_allclose(found, np.diag(6 * B))
    with pytest.raises(BatchError, match="Triple has no rule for a batch of values"):
        T.jacobian(Triple()(free), free)


def test_mistakes_in_jacobians() -> None:
    x, y = T.dvectors("x", "y")
    with pytest.raises(DisconnectedInputError):
        T.jacobian(x, y)
    with pytest.raises(DTypeError, match=r"jacobian: .* is int64, which has no gradient"):
        T.jacobian(x.astype("int64"), x)
    with pytest.raises(ArgumentError, match="jacobian: 3 is not a variable"):
        T.jacobian(3, x)
    assert (
        evaluate([T.jacobian(x * y, x, consider_constant=[y])], {x: B, y: B})[0].tolist()
        == np.diag(B).tolist()
    )


@pytest.mark.seed("J008")
def test_hessians_and_their_products(seed_mode: str) -> None:
    x, p, w, q = T.dvector("x"), T.dvector("p"), T.dmatrix("w"), T.dmatrix("q")
    cost = T.exp(T.dot(w, x) * 0.3).sum() + (x**3).sum() + T.logsumexp(w * x)
    hx, hw = T.hessian(cost, [x, w])
    product = T.hessian_vector_product(cost, x, p)
    both = T.hessian_vector_product(cost, [x, w], [p, q])
    dotted = T.grad(T.dot(T.grad(cost, x), p), x)
    run = eqsat.function(
        [x, p, w, q], [hx, hw, product, *both, dotted, *T.grad(cost, [x, w])], mode=seed_mode
    )
    vector, matrix = np.array([1.0, 0.5, -0.3]), A[::-1] * 0.5
    results = run(B, vector, A, matrix)
    np.testing.assert_allclose(
        results[0], numeric_jacobian(T.grad(cost, x), x, B, {x: B, w: A}), rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(
        results[1], numeric_jacobian(T.grad(cost, w), w, A, {x: B, w: A}), rtol=1e-5, atol=1e-6
    )
    assert results[1].shape == (2, 3, 2, 3)
    np.testing.assert_allclose(results[2], results[0] @ vector, rtol=1e-10)
    np.testing.assert_allclose(results[5], results[2], rtol=1e-10)
    step = 1e-6
    high, low = (run(B + s * vector, vector, A + s * matrix, matrix) for s in (step, -step))
    for k in (0, 1):
        np.testing.assert_allclose(
            results[3 + k], (high[6 + k] - low[6 + k]) / (2 * step), rtol=1e-5, atol=1e-7
        )


def test_a_linear_cost_has_a_hessian_of_zeros() -> None:
    x = T.dvector("x")
    assert evaluate([T.hessian((x * 2).sum(), x)], {x: B})[0].tolist() == np.zeros((3, 3)).tolist()
    with pytest.raises(RankError):
        T.hessian(x, x)
    with pytest.raises(ArgumentError, match="hessian_vector_product: 1 variables and 2 vectors"):
        T.hessian_vector_product(x.sum(), x, [x, x])


def test_lop_is_a_vector_times_the_jacobian() -> None:
    w, x, u, v = T.dmatrix("w"), T.dvector("x"), T.dvector("u"), T.dmatrix("v")
    fs = [T.tanh(T.dot(w, x)), T.exp(w)]
    given = {w: A, x: B, u: np.array([1.0, -2.0]), v: A + 1}
    jw, jx = T.jacobian(fs[0], [w, x])
    dw, dx = T.Lop(fs, [w, x], [u, v])
    found = evaluate([dw, dx, jw, jx], given)
    np.testing.assert_allclose(found[0], np.tensordot(given[u], found[2], 1) + given[v] * np.exp(A))
    np.testing.assert_allclose(found[1], given[u] @ found[3])
    assert (
        T.Lop is G.pullback is G.vector_jacobian_product
        and T.Rop is G.pushforward is G.jacobian_vector_product
    )
    assert evaluate([T.Lop([x, x], x, [x, x])], {x: B})[0].tolist() == (2 * B).tolist()
    with pytest.raises(ArgumentError, match="Lop: 2 outputs and 1 eval points"):
        T.Lop(fs, x, [u])
    with pytest.raises(RankError, match="Lop: the eval point of x has 2 dimensions"):
        T.Lop(x, x, w)
    with pytest.raises(DTypeError, match="Lop: no output has a gradient"):
        T.Lop(x.shape, x, x.shape)
    with pytest.raises(DisconnectedInputError):
        T.Lop(x, w, x)


def test_a_gradient_in_parts_is_the_whole_gradient() -> None:
    x, w1, w2 = T.dvector("x"), T.dmatrix("w1"), T.dvector("w2")
    hidden = T.tanh(T.dot(w1, x))
    out = T.dot(w2, hidden)
    cost1 = (out - 0.3) ** 2
    penalty = (hidden**2).sum()
    top, from_top = T.subgraph_grad([w2], [hidden], cost=cost1)
    both, none, starts, costs = T.subgraph_grad(
        [w1], [], start=dict(zip([hidden], from_top, strict=True)), cost=penalty, details=True
    )
    assert none == []
    wanted = T.grad(cost1 + penalty, [w2, w1])
    given = {x: B, w1: A, w2: np.array([0.4, -0.6])}
    found = evaluate([top[0], both[0], *wanted, starts[0], costs[0]], given)
    np.testing.assert_allclose(found[0], found[2])
    np.testing.assert_allclose(found[1], found[3])
    np.testing.assert_allclose(found[1], found[4] + found[5])
    assert T.subgraph_grad([w2], [hidden], cost=cost1, details=True)[2] is None
    with pytest.raises(ArgumentError, match="subgraph_grad: neither a cost nor start is given"):
        T.subgraph_grad([w1], [hidden])
    with pytest.raises(RankError, match="subgraph_grad: the cost x is not a floating scalar"):
        T.subgraph_grad([w1], [hidden], cost=x)
