"""Graphs survive pickling, however deep."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError
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


def test_a_chain_of_50000_nodes_is_pickled_without_recursion() -> None:
    y = T.dvector("x")
    for _ in range(50_000):
        y = T.tanh(y)
    (again,) = loads(dumps([y]))
    assert len(toposort([again])) == 50_000


def test_pickling_a_variable_alone_names_the_way() -> None:
    with pytest.raises(ArgumentError, match=r"eqsat\.graph\.pickling\.dumps"):
        pickle.dumps(T.dvector("x"))
