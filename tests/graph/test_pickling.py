"""Graphs survive pickling, however deep."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.graph.pickling import dumps, loads
from eqsat.graph.walk import free_inputs, toposort


def test_a_graph_comes_back_with_names_values_and_sharing() -> None:
    x, w = T.dvector("x"), eqsat.shared(np.arange(3.0), "w")
    y = T.exp(x * w + np.array([1.0, 2.0, 3.0]))
    again, twice = loads(dumps([y, y + y]))
    assert twice.owner.inputs == [again, again]
    assert eqsat.dprint(again, file="str") == eqsat.dprint(y, file="str")
    f = eqsat.function(free_inputs([again]), again, mode="reference")
    np.testing.assert_array_equal(f([1.0, 1.0, 1.0]), np.exp(np.arange(3) + [1.0, 2.0, 3.0]))


@pytest.mark.sweep
def test_a_chain_of_50000_nodes_is_pickled_without_recursion() -> None:
    y = T.dvector("x")
    for _ in range(50_000):
        y = T.tanh(y)
    (again,) = loads(dumps([y]))
    assert len(toposort([again])) == 50_000


def test_what_is_pickled_together_stays_together() -> None:
    x, w = T.dvector("x"), eqsat.shared(np.arange(3.0), "w")
    z = x * w
    z.tag.role = "middle"
    y = T.exp(z) + z
    for order in ([x, z, y, w], [y, z, x, w], [z, w, y, x]):
        again = dict(zip(order, pickle.loads(pickle.dumps(order)), strict=True))
        assert again[y].owner.inputs[1] is again[z] and again[z].owner.inputs == [again[x], again[w]]
        assert again[z].tag.role == "middle" and again[w].get_value().tolist() == [0, 1, 2]


def test_applications_and_clones_of_shared_variables_are_pickled() -> None:
    w = eqsat.shared(np.arange(3.0), "w")
    v, y = w.clone("v"), T.exp(w)
    node, y2, w2, v2 = pickle.loads(pickle.dumps([y.owner, y, w, v]))
    assert y2.owner is node and node.inputs == [w2]
    w2.set_value([7.0])
    assert v2.get_value().tolist() == [7.0] and w.get_value().tolist() == [0, 1, 2]
    alone = pickle.loads(pickle.dumps(y.owner))
    assert alone.op == T.exp and alone.outputs[0].owner is alone


def chain(length: int) -> tuple[Any, Any]:
    """An input and the end of a chain of applications."""
    x = y = T.dvector("x")
    for _ in range(length):
        y = T.tanh(y)
    return x, y


@pytest.mark.sweep
def test_a_variable_pickles_without_recursion_and_so_does_its_deep_copy() -> None:
    x, y = chain(50_000)
    for x2, y2 in (pickle.loads(pickle.dumps((x, y))), copy.deepcopy((x, y))):
        nodes = toposort([y2])
        assert len(nodes) == 50_000 and nodes[0].inputs == [x2] and y2 is not y


def test_the_pickler_written_in_python_does_not_recurse_either() -> None:
    _, y = chain(5_000)
    assert len(toposort([pickle.loads(pickle._dumps(y))])) == 5_000  # type: ignore[attr-defined]


def test_a_pickle_that_fails_leaves_the_next_one_alone() -> None:
    _, y = chain(3_000)
    y.owner.tag.lock = threading.Lock()
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(y)
    del y.owner.tag.lock
    assert len(toposort([pickle.loads(pickle.dumps(y))])) == 3_000


def test_copies_of_variables() -> None:
    x, w = T.dvector("x"), eqsat.shared(np.arange(3.0), "w")
    y = x * w
    assert copy.copy(x).type == x.type and copy.copy(x) is not x
    twin = copy.copy(y)
    assert twin is not y and twin.owner.inputs == y.owner.inputs and twin.owner is not y.owner
    c = T.constant([1.0])
    assert copy.copy(c) is c and copy.deepcopy(c).data.tolist() == [1.0]
    shallow, deep = copy.copy(w), copy.deepcopy(w)
    w.set_value([5.0])
    assert shallow.get_value().tolist() == [5.0] and deep.get_value().tolist() == [0, 1, 2]


def test_a_graph_is_read_by_another_process(tmp_path: Path) -> None:
    x, w = T.dvector("x"), eqsat.shared(np.arange(3.0), "w")
    path = tmp_path / "graph.pickle"
    path.write_bytes(pickle.dumps((x, T.exp(x * w)[1:])))
    code = (
        "import pickle, sys; x, y = pickle.load(open(sys.argv[1], 'rb'));"
        "print(repr(y.eval({x: [1.0, 1.0, 1.0]}, mode='reference').tolist()))"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == repr(np.exp(np.arange(3.0))[1:].tolist())
