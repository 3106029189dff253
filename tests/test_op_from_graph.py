"""OpFromGraph: in every mode, inline or not, with derivatives, shared variables and pickles."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from reference import evaluate, numeric_gradient

import eqsat
import eqsat.tensor as T
from eqsat import OpFromGraph
from eqsat.errors import ArgumentError, DTypeError, MissingInputError
from eqsat.graph.walk import toposort

x, y = T.dvectors("x", "y")
w = eqsat.shared(np.array([2.0, 3.0]), "w")
DATA = [np.array([0.5, -1.5]), np.array([2.0, 0.25])]


def names(f: Any) -> set[str]:
    """Names of the ops that run."""
    return {str(node.op) for node in toposort(f.outputs_optimised)}


@pytest.mark.parametrize("inline", [False, True])
def test_values_and_gradients_are_those_of_the_graph(inline: bool, mode: str) -> None:
    op = OpFromGraph([x, y], [T.sin(x * y) * w, (x + w).sum()], inline=inline, name="mine")
    a, b = T.dvectors("a", "b")
    first, total = op(a, T.exp(b))
    cost = (first * total).sum()
    grads = T.grad(cost, [a, b, w])
    f = eqsat.function([a, b], [first, total, *grads, T.grad(grads[0].sum(), b)], mode=mode)
    e = T.exp(b)
    plain = [T.sin(a * e) * w, (a + w).sum()]
    cost = (plain[0] * plain[1]).sum()
    grads = T.grad(cost, [a, b, w])
    want = evaluate([*plain, *grads, T.grad(grads[0].sum(), b)], {a: DATA[0], b: DATA[1]})
    for got, value in zip(f(*DATA), want, strict=True):
        np.testing.assert_allclose(got, value)
    if mode in ("numpy", "FAST_RUN"):
        assert ("mine" in names(f)) is not inline


def test_the_gradient_against_differences() -> None:
    op = OpFromGraph([x, y], [T.tanh(x) * y, x])
    cost = op(x, y)[0].sum()
    given = {x: DATA[0], y: DATA[1]}
    for v in (x, y):
        got = evaluate([T.grad(cost, v)], given)[0]
        np.testing.assert_allclose(got, numeric_gradient(cost, v, given), rtol=1e-4)


def test_the_forward_derivative_is_that_of_the_graph() -> None:
    op, v, e = OpFromGraph([x, y], [T.sin(x) * y, x * y * y]), T.dvector("v"), T.exp(y)
    moved = [*T.Rop(op(x, e), y, v), *T.Rop([T.sin(x) * e, x * e * e], y, v)]
    got = eqsat.function([x, y, v], moved, mode="reference")(*DATA, np.array([1.0, 2.0]))
    for k in (0, 1):
        np.testing.assert_allclose(got[k], got[k + 2])


def test_connections_and_lengths() -> None:
    op = OpFromGraph([x, y], [T.exp(x), x * y])
    assert op.connection_pattern(op.make_node(x, y)) == [[True, True], [False, True]]
    first, _ = op(x, y)
    with pytest.raises(eqsat.errors.DisconnectedInputError):
        T.grad(first.sum(), y)
    f = eqsat.function([x, y], op(x, y)[1].shape[0])
    assert f(*DATA) == 2 and "OpFromGraph" not in names(f), "a length does not need the values"


def test_overrides() -> None:
    def threes(inputs: Any, gradients: Any) -> Any:
        return [3 * g for g in gradients]

    op = OpFromGraph([x], [x * x], grad_overrides=threes)
    assert evaluate([T.grad(op(x).sum(), x)], {x: DATA[0]})[0].tolist() == [3, 3]
    op = OpFromGraph([x, y], [x * y], lop_overrides=[lambda i, o, g: g[0] * o[0], "default"])
    gx, gy = evaluate(T.grad(op(x, y).sum(), [x, y]), {x: DATA[0], y: DATA[1]})
    np.testing.assert_allclose(gx, DATA[0] * DATA[1])
    np.testing.assert_allclose(gy, DATA[0])
    op = OpFromGraph([x], [x * x], rop_overrides=lambda i, e: [e[0] * 5])
    assert evaluate(op.R_op([x], [y]), {x: DATA[0], y: DATA[1]})[0].tolist() == (DATA[1] * 5).tolist()
    with pytest.raises(ArgumentError, match="lop_overrides and grad_overrides are both given"):
        OpFromGraph([x], [x], lop_overrides=threes, grad_overrides=threes)


def test_equal_graphs_are_equal_ops() -> None:
    make = lambda k: OpFromGraph([x], [T.exp(x) * k])
    assert make(2.0) == make(2.0) and hash(make(2.0)) == hash(make(2.0)) and make(2.0) != make(3.0)
    f = eqsat.function([x], [make(2.0)(x), make(2.0)(x) + 1], mode="numpy")
    assert sum(str(n.op) == "OpFromGraph" for n in toposort(f.outputs_optimised)) == 1


def test_operands_are_converted_or_refused() -> None:
    op = OpFromGraph([x], [x + 1], name="plus")
    assert op([1, 2]).eval().tolist() == [2, 3]
    with pytest.raises(DTypeError, match=r"plus: operand 0 is f32\[\?\], not f64\[\?\]"):
        op(T.fvector())
    with pytest.raises(ArgumentError, match="plus takes 1 operands, got 2"):
        op(x, y)


def test_givens_reach_the_shared_variables_inside() -> None:
    op = OpFromGraph([x], [x * w])
    v = eqsat.shared(np.array([10.0, 20.0]))
    assert eqsat.function([x], op(x), givens={w: v})([1.0, 1.0]).tolist() == [10, 20]
    assert eqsat.function([x], op(x), updates=[(w, w * 1)])([1.0, 1.0]).tolist() == [2, 3]


def test_an_op_is_pickled_with_its_graph() -> None:
    op = OpFromGraph([x], [T.exp(x) * w], name="mine")
    x2, v = pickle.loads(pickle.dumps([x, op(x)]))
    np.testing.assert_allclose(v.eval({x2: DATA[0]}), np.exp(DATA[0]) * w.get_value())
    assert str(v.owner.op) == "mine" and pickle.loads(pickle.dumps(op)).inline is False


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (
            lambda: OpFromGraph([x], [x + y]),
            MissingInputError,
            "OpFromGraph: the graph needs y, which is not",
        ),
        (lambda: OpFromGraph([1], [x]), ArgumentError, "OpFromGraph: 1 is not a variable"),
        (lambda: OpFromGraph([x, x], [x]), ArgumentError, "OpFromGraph: an input is listed twice"),
        (
            lambda: OpFromGraph([T.constant(1.0)], [x]),
            ArgumentError,
            "OpFromGraph: the constant 1.0 cannot be",
        ),
    ],
)
def test_mistakes(make: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as raised:
        make()
    assert str(raised.value).startswith(text)
