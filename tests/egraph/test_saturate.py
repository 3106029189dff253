"""ALGEBRA as read out: phases, folded numbers, templates that are used again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.egraph import saturate as module
from eqsat.egraph.encode import encode
from eqsat.egraph.saturate import NUM, Saturated, folded, number_value, saturate, template_for
from eqsat.egraph.scheduler import Budget
from eqsat.graph.dtypes import CODE
from eqsat.rules.rule import RuleSet, default_rules

F64, I8 = CODE["float64"], CODE["int8"]
X = T.dvector("x")


def saturated(*outputs: Any, rules: RuleSet | None = None, budget: Budget | None = None) -> Saturated:
    return saturate(
        encode(outputs), default_rules() if rules is None else rules, budget or Budget(50_000, 20_000, 20.0)
    )


def test_equal_values_share_a_class() -> None:
    a, b = T.exp(X + 1), T.exp(1 + X)
    encoded = encode([a, b])
    found = saturate(encoded, default_rules(), Budget(50_000, 20_000, 20.0))
    assert found.class_of[encoded.roots[0]] == found.class_of[encoded.roots[1]]
    assert all(p.stopped == "saturated" for p in found.phases)
    assert found.phases[0].name == "shrink" and found.phases[-1].name == "grow"


def test_without_rules_nothing_but_loading_happens() -> None:
    y = T.log(T.exp(X))
    found = saturated(y, rules=RuleSet(()))
    assert found.rules == 0 and {e.op for e in found.enodes} == {"Leaf", "exp", "log"}
    assert found.matches() == {}


def test_every_class_has_a_type() -> None:
    found = saturated(T.sum(T.softmax(T.dmatrix("m")), axis=0) + X)
    for e in found.enodes:
        assert e.cls in found.dtype and e.cls in found.ndim
        assert all(isinstance(c, int) for c in e.children)


def test_matches_leave_out_what_never_matched() -> None:
    matches = saturated(T.log(T.exp(X))).matches()
    assert matches["log-exp"] >= 1 and list(matches) == sorted(matches) and 0 not in matches.values()


@pytest.mark.parametrize(
    "name, operands, value",
    [
        ("add", [(1.0, 0, F64, 0), (2.0, 0, F64, 0)], (3.0, 0, F64, 0)),
        ("mul", [(0.0, 1, F64, 1), (2.0, 0, F64, 1)], (-0.0, 1, F64, 1)),
        ("mul", [(100.0, 0, I8, 0), (2.0, 0, I8, 0)], (-56.0, 0, I8, 0)),
        ("log", [(0.0, 0, F64, 0)], (float("-inf"), 0, F64, 0)),
        ("gt", [(2.0, 0, F64, 0), (1.0, 0, F64, 0)], (1.0, 0, CODE["bool"], 0)),
    ],
)
def test_numbers_are_folded_with_their_numpy_meaning(
    name: str, operands: Any, value: tuple[Any, ...]
) -> None:
    assert folded(name, operands, ()) == value


def test_rows_of_numbers_become_arrays() -> None:
    zero = number_value((0.0, 1, F64, 2))
    assert zero.shape == (1, 1) and np.signbit(zero).all()
    assert number_value((3.0, 0, I8, 0)).dtype == "int8"


def test_folding_reaches_through_rules() -> None:
    y = (T.constant(2.0) + 3.0) * X * 4.0
    found = saturated(y)
    assert any(e.op == NUM and e.params[0] == 20.0 for e in found.enodes)
    assert eqsat.optimize(y).nodes_after <= 2


def test_a_template_is_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TEMPLATES", {})
    rules = default_rules()
    first, ops, count = template_for({"exp", "log"}, rules)
    assert {"exp", "log"} <= ops and count > 0
    assert template_for({"exp"}, rules)[0] is first
    other, more, _ = template_for({"dot"}, rules)
    assert other is not first and {"dot", "exp", "log"} <= more
    assert template_for({"exp", "dot"}, rules)[0] is other
    assert template_for({"exp"}, rules - {"log-exp"})[0] is not first


def test_the_rows_of_one_graph_do_not_reach_the_next() -> None:
    y = T.exp(X) + 1
    first = saturated(y)
    saturated(T.log(T.exp(X) * 3) + T.sin(X))
    again = saturated(y)
    assert first.enodes == again.enodes and first.class_of == again.class_of


def test_budgets_stop_a_phase() -> None:
    y = X
    for k in range(20):
        y = T.log(T.exp(y) * 2 + k)
    found = saturated(y, budget=Budget(50_000, 20_000, 1e-6))
    assert {p.stopped for p in found.phases} == {"seconds"}
