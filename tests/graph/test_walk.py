"""Walks over graphs meet everything once, in order, and do not recurse."""

from __future__ import annotations

from typing import Any

import eqsat
import eqsat.tensor as T
from eqsat.graph.walk import ancestors, clone_with, free_inputs, graph_inputs, rebuild, toposort
from tests.reference import evaluate


def test_toposort_puts_inputs_before_users_and_each_node_once() -> None:
    x = T.dscalar("x")
    a = T.exp(x)
    b = a * a + a
    order = toposort([b, a])
    assert [n.op.name for n in order] == ["exp", "mul", "add"]
    assert toposort([x]) == [] and toposort([b], stop=[b]) == []
    assert [n.op.name for n in toposort([b], stop=[a])] == ["mul", "add"]


def test_toposort_of_a_node_reached_at_two_depths() -> None:
    x = T.dscalar("x")
    a = T.exp(x)
    out = T.sin(T.cos(a)) + a
    order = toposort([out])
    assert len(order) == len(set(order)) == 4
    for node in order:
        for v in node.inputs:
            assert v.owner is None or order.index(v.owner) < order.index(node)


def test_ancestors_are_met_once_and_stop_where_told() -> None:
    x, y = T.dscalars("x", "y")
    a = x * y
    out = a + a
    assert list(ancestors([out])) == [out, a, x, y]
    assert list(ancestors([out], stop=[a])) == [out, a]


def test_inputs_constants_and_shared_variables_are_told_apart() -> None:
    x, w = T.dscalar("x"), eqsat.shared(1.0, "w")
    out = x * w + 2.0
    found = graph_inputs([out])
    assert found[0] is x and found[1] is w and len(found) == 3
    assert free_inputs([out]) == [x]
    middle = out.owner.inputs[0]
    assert graph_inputs([out], stop=[middle])[0] is middle


def test_clone_with_replaces_and_shares_what_does_not_change() -> None:
    x, y, z = T.dscalars("x", "y", "z")
    kept = T.exp(y)
    out = T.sin(x) * kept
    new: Any = clone_with([out], {x: z})[0]
    assert new.owner.inputs[1] is kept and new is not out and clone_with([out], {}) == [out]
    assert evaluate([new], {y: 0.0, z: 0.0}) == [0] and clone_with([x], {x: z}) == [z]


def test_rebuild_keeps_names_and_lines() -> None:
    x, y = T.dscalars("x", "y")
    out = x + x
    out.name, out.made_at = "total", "train.py:3"
    new: Any = rebuild(out.owner, [x, y])[0]
    assert (new.name, new.made_at, new.owner.inputs) == ("total", "train.py:3", [x, y])


def test_long_chains_are_walked() -> None:
    x = T.dscalar("x")
    y = x
    for _ in range(20_000):
        y = -y
    assert len(toposort([y])) == 20_000 and sum(1 for _ in ancestors([y])) == 20_001
    (copy,) = clone_with([y], {x: T.dscalar()})
    assert free_inputs([copy]) != [x]
