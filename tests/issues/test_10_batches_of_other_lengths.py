"""Batches of an op of the user, and of every kind of op: lengths agree, are 1 by type, or are an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import BatchError, ShapeError
from eqsat.graph import vectorize_graph
from eqsat.graph.core import Apply, Op

x, y = T.dvectors("x", "y")


class Both(Op):
    """Sum and product, without a rule for batches."""

    __props__ = ()

    def make_node(self, a: Any, b: Any) -> Apply:
        return Apply(self, [a, b], [a.type(), b.type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        assert inputs[0].ndim == inputs[1].ndim == 1
        output_storage[0][0], output_storage[1][0] = inputs[0] + inputs[1], inputs[0] * inputs[1]


GRAPHS: dict[str, Callable[[], list[Any]]] = {
    "user": lambda: Both()(x, y),
    "user_of_own": lambda: [Both()(T.exp(x), y[::-1])[1].sum()],
    "elementwise": lambda: [x * y + 1],
    "product": lambda: [T.dot(x, y), T.outer(x, y)],
    "join": lambda: [T.concatenate([x, y]), T.stack([x, y])],
    "write": lambda: [T.set_subtensor(x[1:], y[0])],
    "softmax": lambda: [T.softmax(x) * y.sum()],
    "scan": lambda: [eqsat.scan(lambda r, w: r * w.sum(), x, non_sequences=[y])[0]],
    "apart": lambda: [T.exp(x), y.sum()],
}


def batched(name: str, first: Any, second: Any) -> tuple[Any, Any, list[Any]]:
    many = [T.tensor("float64", (*n, 3)) for n in (first, second)]
    return many[0], many[1], vectorize_graph(GRAPHS[name](), {x: many[0], y: many[1]})


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize(("one", "two"), [(2, 2), (1, 3), (3, 1), (1, 1)])
def test_a_length_of_1_by_type_broadcasts(name: str, one: int, two: int) -> None:
    a, b, outputs = batched(name, (one,), (two,))
    rng = np.random.default_rng(0)
    values = rng.normal(size=(one, 3)), rng.normal(size=(two, 3))
    found = eqsat.function([a, b], outputs, mode="reference")(*values)
    single = eqsat.function([x, y], GRAPHS[name](), mode="reference")
    for k in range(max(one, two)):
        wanted = single(values[0][k % one], values[1][k % two])
        for many, own in zip(found, wanted, strict=True):
            np.testing.assert_allclose(many[k], own)
    assert all(len(v) == max(one, two) for v in found)


@pytest.mark.parametrize("name", GRAPHS)
def test_lengths_that_differ_are_refused_where_they_are_known(name: str) -> None:
    with pytest.raises(ShapeError, match="batch: the batches have the lengths 2 and 3"):
        batched(name, (2,), (3,))
    a, b, outputs = batched(name, (None,), (3,))
    f = eqsat.function([a, b], outputs, mode="reference")
    assert len(f(np.ones((3, 3)), np.ones((3, 3)))[0]) == 3
    for wrong in (2, 1, 4, 0):
        with pytest.raises(ShapeError, match=f"axis 0 has length {wrong}, not 3"):
            f(np.ones((wrong, 3)), np.ones((3, 3)))


@pytest.mark.parametrize("name", sorted(set(GRAPHS) - {"user", "user_of_own", "apart"}))
def test_lengths_that_are_not_known_are_compared_when_the_graph_runs(name: str) -> None:
    a, b, outputs = batched(name, (None,), (None,))
    f = eqsat.function([a, b], outputs, mode="reference")
    with pytest.raises(ShapeError):
        f(np.ones((2, 3)), np.ones((3, 3)))


def test_a_batch_of_unknown_length_of_an_op_of_the_user_is_refused() -> None:
    with pytest.raises(BatchError, match="Both has no rule"):
        batched("user", (None,), (1,))


def test_batches_of_batches() -> None:
    a, b = T.tensor("float64", (4, 2, 3)), T.tensor("float64", (2, 3))
    (out, _) = vectorize_graph(Both()(x, y), {x: a, y: b})
    values = np.arange(24.0).reshape(4, 2, 3), np.ones((2, 3))
    np.testing.assert_array_equal(out.eval(dict(zip((a, b), values, strict=True))), values[0] + 1)
    b = T.tensor("float64", (4, 1, 3))
    (out, _) = vectorize_graph(Both()(x, y), {x: a, y: b})
    np.testing.assert_array_equal(out.eval({a: values[0], b: np.ones((4, 1, 3))}), values[0] + 1)
