"""Fusion as equality: in memory and inside a kernel are one class, for every value."""

from __future__ import annotations

from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.egraph.fusion import Fused, Scalar, fuse, is_literal, kind_of
from eqsat.graph.core import Apply, Op
from eqsat.graph.walk import toposort

X, M = T.dvector("x"), T.dmatrix("m")


def fused(*outputs: Any) -> Fused:
    return fuse(toposort(outputs), outputs)


def scalar(f: Fused, variable: Any) -> Scalar:
    """The computation of the numbers of a variable inside a kernel."""
    return f.scalars[f.stores[f.array_of[variable]]]


def test_how_ops_take_part() -> None:
    class Mine(Op):
        def make_node(self, x: Any) -> Apply:
            return Apply(self, [x], [x.type()])

    kinds = [T.exp(X), M.T, T.dot(M, M), Mine()(X), X[1:], X.reshape((1, -1)), T.switch(X > 0, X, X)]
    assert [kind_of(v.owner) for v in kinds] == ["map", "view", "call", "call", "view", "call", "map"]
    assert kind_of(T.sum(M, axis=0, keepdims=True).owner) == "reduce"
    literals = [T.constant(2.0), T.constant([[2.0]]), T.constant([1.0, 2.0]), X]
    assert [is_literal(v) for v in literals] == [True, True, False, False]


def test_a_value_is_loaded_or_computed() -> None:
    y = T.exp(X)
    z = T.sin(y)
    f = fused(z)
    inner = scalar(f, z)
    assert (inner.kind, str(inner.op)) == ("map", "sin")
    (s,) = inner.children
    assert f.arrays_at[s] == [f.array_of[y]] and f.stores[f.array_of[y]] == s
    assert f.load_of[f.array_of[y]] == s and str(f.scalars[s].op) == "exp"
    assert f.array_of[X] not in f.stores, "an input is only loaded"


def test_views_and_reductions() -> None:
    y = T.sum(T.exp(M).T, axis=0, keepdims=True)
    f = fused(y)
    op, s = f.reduces[f.array_of[y]]
    assert str(op).startswith("sum") and f.scalars[s].kind == "see"
    assert str(f.scalars[f.scalars[s].children[0]].op) == "exp"


def test_twins_are_one_class() -> None:
    a, b = T.exp(X), T.exp(X)
    f = fused(a + 1, b * 2)
    assert f.array_of[a] == f.array_of[b] and f.variable_of[f.array_of[a]] is a


def test_equal_literals_are_one_number() -> None:
    y, z = X + 2.5, X * 2.5
    f = fused(y, z)
    numbers = [s for s in f.scalars.values() if s.kind == "number"]
    assert len(numbers) == 1 and np.frombuffer(numbers[0].op[0], numbers[0].op[1])[0] == 2.5


def test_results_of_calls_are_memory() -> None:
    y = T.dot(M, M)
    f = fused(y + 1)
    assert f.array_of[y] not in f.stores


def test_the_e_graph_is_linear_in_the_graph() -> None:
    y = X
    for _ in range(2000):
        y = T.sin(y) + y
    f = fused(y)
    assert len(f.scalars) <= 4000 and len(f.array_of) == 4001
