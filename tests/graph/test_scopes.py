"""Name scopes: they nest, and go with variables through gradients, copies, files and rewriting."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError
from eqsat.graph.inner_graphs import insides
from eqsat.graph.walk import toposort

x = T.dvector("x")


def scopes(outputs: Any) -> set[str]:
    return {v.scope for n in toposort(outputs) for v in n.outputs}


def test_scopes_nest_and_end() -> None:
    with eqsat.name_scope("a/b") as outer, eqsat.name_scope("c") as inner:
        made = T.exp(x)
    assert (outer, inner, made.scope, T.exp(x).scope) == ("a/b", "a/b/c", "a/b/c", "")


def test_a_scope_ends_where_an_error_leaves_it() -> None:
    with pytest.raises(ZeroDivisionError), eqsat.name_scope("a"):
        raise ZeroDivisionError
    assert T.exp(x).scope == ""


@pytest.mark.parametrize("name", ["", "/", None, 3])
def test_a_scope_has_a_name(name: Any) -> None:
    with pytest.raises(ArgumentError, match="the name of a scope is text"), eqsat.name_scope(name):
        pass


def test_gradients_belong_to_the_scope_of_the_value() -> None:
    with eqsat.name_scope("first"):
        y = T.tanh(x)
    with eqsat.name_scope("second"):
        z = T.sum(T.sin(y))
    with eqsat.name_scope("train"):
        g = T.grad(z, x)
    assert g.scope == "first"
    assert scopes([g]) >= {"first", "second"}
    (tangent,) = [T.Rop(y, x, T.ones_like(x))]
    assert tangent.scope == "first"


def test_scopes_of_loops() -> None:
    with eqsat.name_scope("loop"):
        scan: Any = eqsat.scan
        states, _ = scan(lambda a, s: T.tanh(a + s), sequences=x, outputs_info=np.float64(0.0))
    for outputs in ([states], eqsat.optimize(states).optimized):
        inner = [v for n in toposort(outputs) for graph in insides(n) for v in graph.results]
        assert inner and scopes(inner) == {outputs[0].scope} == {"loop"}


@pytest.mark.parametrize("how", ["pickle", "deepcopy", "clone", "fgraph"])
def test_scopes_go_with_copies(how: str) -> None:
    with eqsat.name_scope("a"):
        y = T.exp(T.sin(x))
    if how == "pickle":
        (made,) = pickle.loads(pickle.dumps([y]))
    elif how == "deepcopy":
        made = copy.deepcopy(y)
    elif how == "clone":
        made = eqsat.clone(y, replace={x: T.cos(x)})
    else:
        made = eqsat.FunctionGraph([x], [y], clone=True).outputs[0]
    assert made is not y and made.scope == "a" and made.owner.inputs[0].scope == "a"


def test_scopes_go_through_rewriting() -> None:
    with eqsat.name_scope("a"):
        y = T.log(1 + T.exp(x))
    with eqsat.name_scope("b"):
        z = T.sin(y) * T.sin(y)
    (made,) = eqsat.optimize(z).optimized
    assert made.scope == "b" and {"a"} < scopes([made]) <= {"a", "b"}
