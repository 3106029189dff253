"""rewrite_graph on variables, lists and FunctionGraphs."""

from __future__ import annotations

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import RuleError
from eqsat.graph.fgraph import FunctionGraph

x = T.dvector("x")


def test_variables_and_lists() -> None:
    y = T.log(T.exp(x))
    assert eqsat.rewrite_graph(y) is x and eqsat.rewrite_graph([y, x * 1]) == [x, x]
    assert eqsat.rewrite_graph(y, include=["canonicalize", "specialize"], exclude=["inplace"]) is x
    kept = eqsat.rewrite_graph(y, exclude=["log-exp"])
    assert str(kept.owner.op) == "log"
    with pytest.raises(RuleError, match="nothing"):
        eqsat.rewrite_graph(y, exclude=["nothing"])


def test_a_graph_object_is_changed_or_copied() -> None:
    g = FunctionGraph([x], [T.log(T.exp(x)) + 1])
    h = eqsat.rewrite_graph(g, clone=True)
    assert [str(n.op) for n in g.toposort()][:2] == ["exp", "log"] and len(h.toposort()) == 2
    assert eqsat.rewrite_graph(g) is g and len(g.toposort()) == 2
    g.check_integrity()
