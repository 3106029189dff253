"""ALGEBRA as read out: phases, folded numbers, templates that are used again."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.configuration import FLAGS
from eqsat.egraph import rule_selection
from eqsat.egraph import saturate as module
from eqsat.egraph.adapter import Session, Template
from eqsat.egraph.driver import usual_stages
from eqsat.egraph.encode import encode
from eqsat.egraph.folding import folded, number_value
from eqsat.egraph.reading import NUM, Saturated
from eqsat.egraph.rule_selection import RuleSelection
from eqsat.egraph.saturate import involved, new_rulebook, pairs_of, rulebook_for, saturate
from eqsat.egraph.scheduler import Budget
from eqsat.errors import EqsatWarning
from eqsat.graph.declare import OPS
from eqsat.graph.dtypes import CODE
from eqsat.graph.ops.elemwise import exp
from eqsat.graph.ops.trigonometry import arcsin
from eqsat.graph.seen import is_transparent
from eqsat.rules.condition import Condition
from eqsat.rules.pattern import reals
from eqsat.rules.rule import RuleSet, default_rules, rule

F64, I8 = CODE["float64"], CODE["int8"]
X = T.dvector("x")


def saturated(*outputs: Any, rules: RuleSet | None = None, budget: Budget | None = None) -> Saturated:
    return saturate(
        encode(outputs), default_rules() if rules is None else rules, budget or Budget(50_000, 20_000, 20.0)
    )


def test_equal_values_share_a_class() -> None:
    module._BOOKS.clear()  # of the rules of other tests
    a, b = T.exp(X + 1), T.exp(1 + X)
    encoded = encode([a, b])
    found = saturate(encoded, default_rules(), Budget(50_000, 20_000, 20.0))
    assert found.class_of[encoded.roots[0]] == found.class_of[encoded.roots[1]]
    assert all(p.stopped == "saturated" for p in found.phases)
    assert {p.name for p in found.phases} == {"settle"}, "no rule that divides or grows could match"
    grown = saturated(T.sum(X * 3 + X * 4) ** 2)
    assert grown.phases[0].name == "settle" and grown.phases[-1].name == "grow"


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
        ("log", [(0.0, 0, F64, 0)], None),  # no number to reckon with
        ("gt", [(2.0, 0, F64, 0), (1.0, 0, F64, 0)], (1.0, 0, CODE["bool"], 0)),
    ],
)
def test_numbers_are_folded_with_their_numpy_meaning(
    name: str, operands: Any, value: tuple[Any, ...] | None
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


@pytest.fixture
def no_books(monkeypatch: pytest.MonkeyPatch) -> None:
    """No rulebook has been made yet."""
    monkeypatch.setattr(module, "_BOOKS", {})


def test_a_rulebook_holds_what_can_fire_and_is_used_again(no_books: None) -> None:
    rules = default_rules()
    assert "log-exp" not in {r.name for r in rulebook_for({"exp", "log"}, rules).chosen}
    module._BOOKS.clear()
    book = rulebook_for({"exp", "log", ("log", "exp")}, rules)
    assert "log-exp" in {r.name for r in book.chosen}
    assert all(r.needs <= {"exp", "log", ("log", "exp")} for r in book.chosen)
    assert involved(book.chosen) <= set(book.declared), "what rules make is declared too"
    assert rulebook_for({"exp"}, rules) is book
    assert rulebook_for({"exp"}, rules - {"log-exp"}) is not book


@pytest.mark.sweep
def test_rules_are_added_when_their_ops_come_to_exist(
    no_books: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """log(1 + exp(x)) holds no softplus; the rules on softplus are there once one has been made."""
    y = 1 / (1 + T.exp(-T.log(1 + T.exp(X))))
    staged = saturated(y)
    [book] = module._BOOKS[(default_rules().identity, False)]
    assert staged.rules > len(book.chosen) and "softplus" not in book.ops
    module._BOOKS.clear()
    names = {n for n, d in OPS.items() if is_transparent(d)}
    everything = new_rulebook(names | pairs_of(names), default_rules())
    monkeypatch.setattr(module, "rulebook_for", lambda *_: everything)
    full = saturated(y)
    assert not module._BOOKS and full.rules == len(everything.chosen)
    assert {(e.op, e.params) for e in full.enodes} == {(e.op, e.params) for e in staged.enodes}


def test_a_limit_of_rows_below_the_default_means_itself_and_a_larger_one_scales() -> None:
    full = FLAGS["egraph_nodes"].default
    small, usual, large = (usual_stages(100, rows)[2].rows - 100 for rows in (1000, full, 2 * full))
    assert small == 1000 < usual < full and large == 2 * usual
    assert usual_stages(full, full)[2].rows == 2 * full, (
        "a large graph may hold what the flag says beside itself"
    )


def test_divisors_are_looked_for_in_what_stands_beside_them_only() -> None:
    """Each sum of a filter holds terms that are divided by all values before; all pairs of them met the limit of rows at once."""
    mean, spread, total, seen = T.dscalar(), T.dscalar(), 0.0, X
    for t in range(12):
        s = spread + 1
        k, e = spread / s, seen[t] - mean
        total -= 0.5 * (T.log(2 * np.pi * s) + e * e / s)
        mean, spread = 0.9 * (mean + k * e), 0.81 * (1 - k) * spread + 0.1
    found = saturated(total, *T.grad(total, [X]))
    assert all(p.stopped == "saturated" for p in found.phases)
    assert found.phases[-1].rows < 5 * found.phases[0].history[0].rows


def test_a_stage_may_add_to_what_it_begins_with_and_less_on_trial() -> None:
    full = FLAGS["egraph_nodes"].default
    for stage in usual_stages(10_000, full):
        start, more = stage.limit(10_000), stage.limit(20_000)
        assert 20_000 < start < more < full and stage.limit(10_000, on_trial=True) < start
    assert usual_stages(10_000, 2 * full)[2].limit(10_000) == 2 * usual_stages(10_000, full)[2].limit(10_000)
    assert usual_stages(100, 1000)[2].limit(50) == 1100, "what the flag says is the limit where it is less"


def test_what_a_session_had_to_add_is_there_in_the_next(
    no_books: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    added: list[str] = []
    add = Session.add
    monkeypatch.setattr(Session, "add", lambda self, lines: added.extend(lines) or add(self, lines))
    y = T.log(1 + T.exp(X))
    first = saturated(y)
    for new in (True, False, False):  # what was added once may never be asked for again
        added.clear()
        assert saturated(y).enodes == first.enodes and bool(added) == new
    added.clear()
    saturated(T.sin(T.exp(X)))
    assert not added, "what a graph is made of is there before its session begins"
    assert len(module._BOOKS[(default_rules().identity, False)]) == 1


def test_a_small_graph_has_a_rulebook_of_its_own_beside_a_large_one(no_books: None) -> None:
    """To copy all rules would take longer than to compile the few that it needs."""
    names = {n for n, d in OPS.items() if is_transparent(d)}
    everything = new_rulebook(names | pairs_of(names), default_rules())
    module._BOOKS[(default_rules().identity, False)] = [everything]
    small = rulebook_for({"sin"}, default_rules())
    assert small is not everything and rulebook_for({"cos"}, default_rules()).ops == {"sin", "cos"}
    assert rulebook_for(everything.ops, default_rules()) is everything


def test_threads_that_add_the_same_do_not_add_it_twice(no_books: None) -> None:
    book = rulebook_for({"exp"}, default_rules())
    selection = book.selection.copy()
    new = selection.add({"sin", "log", ("log", "exp")})
    assert default_rules()["log-exp"] in new
    added = module.Added(selection, book.stock, new, set(), ["(ruleset one)"])
    for _ in range(3):
        module.learn(book, added)
    [larger] = module._BOOKS[(default_rules().identity, False)]
    assert larger.template.lines == (*book.template.lines, "(ruleset one)") and "sin" in larger.ops


def test_an_op_that_is_declared_anew_makes_a_new_rulebook(
    no_books: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = rulebook_for({"exp"}, default_rules())
    monkeypatch.setitem(OPS, "exp", dataclasses.replace(OPS["exp"], doc="another"))
    assert not book.usable() and rulebook_for({"exp"}, default_rules()) is not book


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


def test_what_time_did_not_suffice_to_type_is_not_read_out(monkeypatch: Any) -> None:
    read, untyped = module.read, []

    def hasty(*arguments: Any) -> Saturated:
        """The e-graph without the types of what rules have made."""
        found = read(*arguments)
        loaded = set(found.class_of)
        untyped[:] = sorted(found.dtype.keys() - loaded)
        return dataclasses.replace(found, dtype={c: d for c, d in found.dtype.items() if c in loaded})

    monkeypatch.setattr(module, "read", hasty)
    y = T.log(T.exp(X) * 2 + T.sin(X))
    assert all(e.cls not in untyped for e in saturated(y, budget=Budget(50_000, 20_000, 1e-6)).enodes)
    with eqsat.config.change_flags(egraph_seconds=1e-6):
        np.testing.assert_allclose(
            eqsat.function([X], y, mode="numpy")([0.5]), np.log(np.exp(0.5) * 2 + np.sin(0.5))
        )


@pytest.mark.sweep
def test_rules_that_pair_terms_are_left_out_of_large_graphs(monkeypatch: Any) -> None:
    """egglog looks at every pair of terms that share a constant: for 25,000 of them it would not come to an end."""
    pairing = {r.name for r in default_rules() if module.pairs_terms(r)}
    assert {"factor-constant", "dot-common-left"} <= pairing
    assert not pairing & {"softmax", "log-exp", "mul-constants"}
    y: Any = X
    for k in range(40):
        y = y + X * 0.5 if k % 2 else y * 0.999
    assert saturated(y).left_out == 0
    monkeypatch.setattr(module, "LARGE", 50)
    large, encoded = saturated(y), encode([y])
    able = {r.name for r in RuleSelection(default_rules()).add(encoded.ops | encoded.pairs)}
    assert "factor-constant" in able and "dot-common-left" not in able
    assert large.left_out == len(pairing & able) and not pairing & set(large.matches())
    report = eqsat.optimize(y)
    assert any(f"{large.left_out} rules that pair terms are left out" in text for text in report.budgets)


@pytest.mark.parametrize("late", [False, True], ids=["in the rulebook", "added in a session"])
def test_a_rule_that_egglog_refuses_is_named_and_left_out_and_the_others_go_on(
    no_books: None, monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    monkeypatch.setattr(rule_selection, "REFUSED", set())
    x = reals("x")
    good = rule("number-for-float", arcsin(exp(x)), x)
    rules = default_rules() + dataclasses.replace(good, when=Condition((("not_below", (x, -1)),)))
    u = T.clip(X, 0, 1)
    y = T.arcsin(T.exp(T.log(T.exp(u))) if late else T.exp(u))
    plain = T.log(T.exp(X) + 0)
    with pytest.warns(EqsatWarning) as caught:
        report = eqsat.optimize(y, rules)
    [said] = [str(w.message) for w in caught]
    assert said.startswith("rule number-for-float (") and "test_saturate.py:" in said
    assert "is left out, egglog refuses it: " in said and "f64" in said
    assert report.fallback is None and "number-for-float" not in report.rules
    for _ in range(2):
        found = eqsat.optimize(plain, rules)
        assert found.optimized[0] is X and found.fallback is None
    assert eqsat.optimize(y, rules).fallback is None, "the rule is no longer given to any e-graph"
    same = eqsat.optimize(T.arcsin(T.exp(u)), default_rules() + good)
    assert "number-for-float" in same.rules, "one that is mended under the same name is used"


def test_what_all_rules_need_is_the_fault_of_no_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    from eqsat.egraph import refused

    found = default_rules()["log-exp"]
    broken = new_rulebook({"exp"}, RuleSet([]))
    monkeypatch.setattr(
        refused, "new_rulebook", lambda *_: dataclasses.replace(broken, template=Template(["("], []))
    )
    assert refused.refused_among([found]) == {}
