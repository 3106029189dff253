"""FunctionGraph: who uses what, and changes in place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, DTypeError, MissingInputError
from eqsat.graph.fgraph import FunctionGraph
from eqsat.graph.walk import toposort

x, y = T.dvectors("x", "y")


def graph() -> FunctionGraph:
    """exp(x) * y + exp(x)."""
    e = T.exp(x)
    return FunctionGraph([x, y], [e * y + e])


def names(g: FunctionGraph) -> list[str]:
    """Names of the ops in order."""
    return [str(node.op) for node in g.toposort()]


def test_a_copy_leaves_the_graph_as_it_is() -> None:
    z = T.exp(x) + y
    g = FunctionGraph([x, y], [z])
    assert g.inputs[0] is not x and g.inputs[0].name == "x" and z.owner not in g.apply_nodes
    h = FunctionGraph([x, y], [z], clone=False)
    assert h.inputs == [x, y] and z.owner in h and z in h and len(list(h)) == 2
    w = eqsat.shared(1.0, "w")
    assert w in FunctionGraph(outputs=[x * w]).variables, "shared variables are not copied"


def test_users_are_known() -> None:
    g = graph()
    e = g.toposort()[0].outputs[0]
    assert names(g) == ["exp", "mul", "add"] and len(g.apply_nodes) == 3 and len(g.variables) == 5
    assert [(n.op.name, k) for n, k in g.get_clients(e)] == [("mul", 0), ("add", 1)]
    assert g.get_clients(g.outputs[0]) == [("output", 0)] and g.clients[e] == g.get_clients(e)
    g.check_integrity()
    assert repr(g) == "FunctionGraph(exp(x) * y + exp(x))"


def test_replacing() -> None:
    g = graph()
    a, b = g.inputs
    e = g.toposort()[0].outputs[0]
    g.replace(e, T.tanh(a))
    assert names(g) == ["tanh", "mul", "add"]
    g.replace(g.toposort()[0].outputs[0], g.toposort()[0].outputs[0] * 2)
    assert [n.split("{")[0] for n in names(g)] == ["tanh", "dimshuffle", "mul", "mul", "add"], (
        "the new graph may use the old variable"
    )
    g.replace_all([(b, a), (g.outputs[0], a)])
    assert names(g) == [] and g.outputs == [a]
    g.check_integrity()


def test_changing_one_place() -> None:
    g = graph()
    a, b = g.inputs
    times = g.toposort()[1]
    g.change_input(times, 0, b)
    assert times.inputs == [b, b] and names(g) == ["mul", "exp", "add"]
    g.change_input("output", 0, times.outputs[0])
    assert g.outputs == times.outputs and names(g) == ["mul"]
    with pytest.raises(ArgumentError, match="is not in the graph"):
        g.change_input(T.exp(a).owner, 0, b)


def test_features_hear_of_changes() -> None:
    class Log:
        """Notes what it is told."""

        def __init__(self) -> None:
            self.told: list[Any] = []

        def on_attach(self, fgraph: Any) -> None:
            self.told.append("attached")

        def on_change_input(self, fgraph: Any, node: Any, i: int, old: Any, new: Any, reason: Any) -> None:
            self.told.append((str(node.op), i, str(new), reason))

    log = Log()
    g = FunctionGraph([x, y], [T.exp(x) + y], features=[log])
    g.replace(g.inputs[1], g.inputs[0], reason="test")
    assert log.told == ["attached", ("add", 1, "x", "test")]


def test_mistakes() -> None:
    g = graph()
    a, b = g.inputs
    with pytest.raises(
        MissingInputError, match="FunctionGraph: the graph needs y, which is not among the inputs"
    ):
        FunctionGraph([x], [x + y])
    with pytest.raises(ArgumentError, match="FunctionGraph: x is not in the graph"):
        g.replace(x, a)
    with pytest.raises(DTypeError, match="cannot be replaced by s, which is of another type"):
        g.replace(a, T.fvector("s"))
    with pytest.raises(MissingInputError, match="needs x, which is not among the inputs"):
        g.replace(b, x)
    g.replace(b, x, import_missing=True)
    assert g.inputs == [a, b, x]
    plus = g.outputs[0].owner
    with pytest.raises(ArgumentError, match="depends on"):
        g.change_input(plus.inputs[0].owner, 0, T.exp(g.outputs[0]))
    plus.inputs[0] = b
    with pytest.raises(ArgumentError, match="change it by change_input"):
        g.check_integrity()


def test_clones_of_a_graph_object() -> None:
    g = graph()
    h, pairs = g.clone_get_equiv()
    assert names(h) == names(g) and pairs[g.outputs[0]] is h.outputs[0] and pairs[g.inputs[0]] is h.inputs[0]
    assert not h.apply_nodes & g.apply_nodes and names(g.clone()) == names(g)


def test_the_graph_of_a_function() -> None:
    w = eqsat.shared(np.ones(2), "w")
    f = eqsat.function([x], T.log(T.exp(x)) * w, updates=[(w, w + x)], mode="numpy")
    g = f.maker.fgraph
    assert g.inputs == [x, w] and sorted(names(g)) == ["add", "mul"] and len(g.outputs) == 2
    assert g.toposort() == toposort(f.outputs_optimised) and f.maker.mode is f.mode and f.maker.function is f


def test_a_long_chain() -> None:
    v = x
    for _ in range(20_000):
        v = T.tanh(v)
    g = FunctionGraph([x], [v])
    assert len(g.toposort()) == 20_000
    g.check_integrity()
