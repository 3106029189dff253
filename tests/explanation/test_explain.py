"""``report.explain``: the whole text of small explanations, the rules that are needed, and values at every step."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.smallest import smallest
from eqsat.errors import ArgumentError
from eqsat.extract.cost import CostModel
from eqsat.graph.walk import ancestors
from eqsat.inspect.explanation import explanation
from eqsat.inspect.explanation.values import Points
from eqsat.inspect.report import Report
from eqsat.rules.pattern import Term, reals, subterms
from eqsat.rules.rule import rule

x, y = T.dvectors("x", "y")
X, Y, W = T.dmatrices("X", "Y", "W")


class Flat(CostModel):
    """A microsecond for each op."""

    def op_seconds(self, op: Any, operands: Any, out: Any, itemsize: int) -> float:
        return 1e-6


def steady(text: Any) -> str:
    text = re.sub(r"\d+ that matched", "N that matched", str(text))
    text = re.sub(r"values agree within \de-\d\d|the same values", "CHECKED", text)
    text = re.sub(r"\n +->", "\n       ->", text)
    return re.sub(r"test_explain\.py:\d+", "LINE", text)


def test_the_text_of_an_explanation() -> None:
    report = eqsat.optimize(T.log(1 + T.exp(x * y / y)), model=Flat())
    assert steady(report.explain()) == """\
3 steps by 3 rules of N that matched; none can be left out

as written: 5.00 µs
    log((1.0 + exp(((x * y) / y))))
1  log-one-plus: 4.00 µs
    log(add(1, x)) = log1p(x) [stabilises]
    LINE: log((1.0 + exp(((x * y) / y))))
       -> log1p(exp(((x * y) / y)))
    CHECKED
2  log1p-exp: 3.00 µs
    log1p(exp(x)) = softplus(x) [stabilises]
    LINE: log1p(exp(((x * y) / y)))
       -> softplus(((x * y) / y))
    CHECKED
3  mul-div-cancel: 1.00 µs
    truediv(mul(x, y), y) = x [extends]
    LINE: ((x * y) / y)
       -> x
    CHECKED"""  # fmt: skip


def test_long_parts_that_do_not_change_are_letters() -> None:
    p = T.nnet.softmax(T.dot(X, Y) + y)
    why = eqsat.optimize(T.log(T.exp(p)) * 2.0).explain()
    place = next(s.places[0] for s in why.steps if s.name == "log-exp")
    assert place.texts == ("log(exp(p))", "p")
    assert place.where == (("p", "softmax((dot(X, Y) + y), (1))"),)


def test_a_graph_as_written_needs_no_rule() -> None:
    why = eqsat.optimize(x + y).explain()
    assert (why.steps, why.rules, why.smallest, why.limits) == ([], [], True, [])
    assert str(why).startswith("the graph is as written: no rule is needed")


def test_the_steps_lead_from_the_graph_as_written_to_the_chosen_one() -> None:
    report = eqsat.optimize(T.dot(T.dot(T.dot(X, Y), W), x) + T.log(T.exp(x)))
    why = report.explain()
    assert eqsat.compare(why.steps[-1].outputs, report.optimized).same
    assert why.steps[-1].cost == pytest.approx(report.cost_after)
    assert why.cost == pytest.approx(report.cost_before, rel=1e-2)
    assert {s.name for s in why.steps} == {"dot-right", "log-exp"} == {r.name for r in why.rules}
    assert why.checked


def test_without_any_of_the_rules_the_graph_is_another() -> None:
    y = T.log(1 + T.exp(x)) * T.exp(x) * T.exp(x) / 1.0
    report = eqsat.optimize(y)
    names = [r.name for r in report.explain().rules]
    assert names
    for name in names:
        kept = [r for r in report.settings.rules if r.name in names and r.name != name]
        assert not eqsat.compare(eqsat.optimize(y, rules=kept), report).same, name
    kept = [r for r in report.settings.rules if r.name in names]
    assert eqsat.compare(eqsat.optimize(y, rules=kept), report).same


def test_rules_that_ask_what_values_are_made_of_are_steps_too() -> None:
    share = T.sigmoid(x)
    found = eqsat.optimize(T.log(share / (1 - share))).explain()
    steps = [step.rule for step in found.steps if step.rule is not None]
    assert {"log-of-over-known", "log-sigmoid", "softplus-less-its-mirror"} <= {rule.name for rule in steps}
    assert found.limits == [] and found.smallest and found.checked


@pytest.mark.sweep
def test_a_graph_holds_what_the_rule_after_it_matches() -> None:
    share = T.sigmoid(x)
    found = eqsat.optimize(T.log(share / (1 - share))).explain()
    before = [found.original, *(step.outputs for step in found.steps[:-1])]
    for outputs, step in zip(before, found.steps, strict=True):
        ops = {v.owner.op.name for v in ancestors(outputs) if v.owner is not None}
        assert step.rule is None or {t.op for t in subterms(step.rule.left) if isinstance(t, Term)} <= ops


def test_loops_are_explained_in_the_words_of_the_user() -> None:
    scan: Any = eqsat.scan
    states, _ = scan(lambda row, s: T.tanh(T.dot(row, W) + s * T.exp(row)), sequences=X, outputs_info=x)
    why = eqsat.optimize(states).explain()
    texts = [p.texts for s in why.steps for p in s.places]
    assert ("exp(X[t])", "exp(X)[t]") in texts
    assert ("dot(X[:, None, :][t], W)", "rows_dot(X[:, None, :], W)[t]") in texts
    assert why.checked and why.smallest


def test_a_wrong_rule_is_seen_in_the_values() -> None:
    u = reals("u")
    wrong = rule(
        "sin-is-cos",
        eqsat.graph.ops.elemwise.sin(u),
        eqsat.graph.ops.elemwise.cos(u) * 1.0,
        cite="definition",
        grows=False,
    )
    zero = rule("cos-is-zero", eqsat.graph.ops.elemwise.cos(u), u, cite="definition")
    why = eqsat.optimize(T.sin(x), rules=[wrong, zero]).explain()
    assert why.steps and not why.checked
    assert [s.name for s in why.steps] == ["sin-is-cos", "cos-is-zero"]
    assert all(isinstance(s.difference, float) and s.difference > 0.1 for s in why.steps)
    assert "VALUES DIFFER by" in str(why)


def test_the_picture_of_the_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    why = eqsat.optimize(T.log(T.exp(x)) + 0.0).explain()
    svg = why.draw()
    ElementTree.fromstring(svg)
    assert [t for t in ("as written", "add-zero", "log-exp") if f">{t}<" in svg] == [
        "as written",
        "add-zero",
        "log-exp",
    ]
    monkeypatch.setattr(explanation, "LARGEST", 5)
    with pytest.raises(ArgumentError, match="nodes in 3 graphs are too many"):
        why.draw()


def test_time_that_is_up_is_said() -> None:
    why = eqsat.optimize(T.log(1 + T.exp(x * y / y))).explain(seconds=0.0)
    assert not why.smallest and len(why.limits) == 1 and not (why.steps or why.checked)
    assert why.limits[0] in str(why)
    assert "none can be left out" not in str(why)


def test_a_graph_that_was_not_rewritten_is_refused() -> None:
    with pytest.raises(ArgumentError, match="nothing was rewritten"):
        Report([x], [x], 0.0, 0.0, fallback="there is no egglog").explain()


@pytest.mark.parametrize("needed", [set(), {0}, {3, 11}, {18, 19}, {0, 7, 13, 19}, set(range(20))])
def test_the_fewest_items(needed: set[int]) -> None:
    tried = []

    def passes(kept: list[int]) -> bool:
        tried.append(kept)
        return needed <= set(kept)

    assert smallest(range(20), passes) == (sorted(needed), True)
    assert len(tried) < 90


def test_the_fewest_items_until_time_is_up() -> None:
    ticks = iter([False, False, True])
    kept, least = smallest(range(8), lambda kept: 5 in kept, lambda: next(ticks))
    assert 5 in kept and not least and len(kept) < 8


def test_values_are_drawn_until_the_graph_can_be_computed() -> None:
    assert Points([T.linalg.cholesky(X)]).values is not None
    assert Points([T.log(-T.abs(x))]).values is None
    index = T.lvector("index")
    assert Points([x[index]]).values is not None
    known = T.TensorType("float64", shape=(5, None))("known")
    assert Points([T.dot(known, X)]).values is not None
    never = Points([T.dot(X, X) + T.constant(np.zeros((7, 6)))])
    assert "axis" in str(never.difference([X], [X]))


def test_differences_count_where_the_first_graph_is_finite() -> None:
    points = Points([T.log(x)])
    assert points.difference([T.log(x)], [T.log(T.abs(x))]) == 0.0
    assert points.difference([x], [x + 1.0]) == pytest.approx(1.0, abs=0.6)
    assert points.difference([T.abs(x)], [T.log(x)]) == float("inf")


def test_models_are_checked_at_the_lengths_of_their_parameters() -> None:
    first, second = eqsat.shared(np.ones((5, 4)), "first"), eqsat.shared(np.ones((4, 2)), "second")
    cost = ((T.log(1 + T.exp(X @ first)) @ second - Y) ** 2).mean()
    why = eqsat.optimize(cost).explain()
    assert why.steps and why.checked
    labels = T.lvector("labels")
    chosen = T.nnet.softmax(X @ first @ second)[T.arange(labels.shape[0]), labels]
    why = eqsat.optimize(-T.log(chosen).mean()).explain()
    assert why.steps and why.checked


def test_a_chosen_graph_with_nan_is_reached() -> None:
    """NaN differs from itself; numbers of two e-graphs are compared as they are written."""
    why = eqsat.optimize(T.exp(T.log(x))).explain()
    assert [step.name for step in why.steps] == ["exp-log-anywhere"] and why.checked
