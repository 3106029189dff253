"""Every rule keeps the promise of its tier, has a source, needs its condition, and does what it says in the e-graph."""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import replace
from operator import ge, gt, le, lt
from pathlib import Path
from typing import Any

import pytest

import eqsat
import eqsat.rules as room
import eqsat.tensor as T
from eqsat import verify
from eqsat.egraph.compile_rule import guards_shape
from eqsat.errors import RuleError
from eqsat.graph.ops.elemwise import add, exp, fill, log, log1p, mul, neg, sqr, sqrt
from eqsat.graph.ops.reduce import sum_op
from eqsat.graph.ops.rounding import cbrt
from eqsat.graph.ops.softmax import softmax_op
from eqsat.rules.condition import Condition
from eqsat.rules.facts import finite, invariant
from eqsat.rules.pattern import asks_numbers, parameters, reals
from eqsat.rules.rule import PARTIAL, Rule, RuleSet, all_rules, default_rules, rule, select_rules
from eqsat.rules.schemes.scheme import Chosen
from eqsat.verify.result import BROKEN, KEPT, UNUSED

x, y, z, c = reals("x y z c")
s, t = parameters("s t")
RULES = [r for r in all_rules() if "scan" not in r.tags]  # test_loop_rules.py has the others
POINTS = 14  # for each rule; the command takes more


@pytest.mark.sweep
@pytest.mark.parametrize("one", [r for r in RULES if not r.scheme], ids=lambda r: r.name)
def test_keeps_its_promise_needs_its_condition_and_fires(one: Rule) -> None:
    found = verify.verify(one, POINTS, proof=False)
    assert found.verdict == KEPT, str(found)
    assert found.joined or one.when is not None or one.multiset or one.others or asks_numbers(one.right)


@pytest.mark.sweep
@pytest.mark.parametrize("chosen", all_rules().schemes, ids=lambda c: c.scheme.name)
def test_a_scheme_keeps_its_promise_for_every_op(chosen: Chosen) -> None:
    for r in chosen.every():
        found = verify.find_failures(r, guarded=True, count=8)
        if any(f.untried for f in found):  # few points fit its condition
            found = verify.find_failures(r, guarded=True, count=40)
        assert not found, str(found[0])


def test_every_rule_has_a_source() -> None:
    text = Path(__file__, "../../../docs/sources.bib").resolve().read_text()
    known = {"definition", *re.findall(r"@\w+\{(\w+),", text)}
    assert {r.cite for r in RULES} <= known
    assert known <= {r.cite for r in RULES} | {"definition"}, "a source that no rule cites"


def test_there_are_rules_of_every_tier() -> None:
    count = Counter(r.tier for r in RULES)
    assert set(count) == {"exact", "extends", "rounds", "stabilises", "loose"}
    assert len(RULES) > 100
    assert not [r for r in default_rules() if r.tier == "loose"]


# ------------------------------------------------------------------------------------- what the sweep catches

WRONG = [
    rule("wrong-sign", neg(x - y), x - y, tier="exact", cite="definition"),
    rule("wrong-tier", (x + y) + z, x + (y + z), tier="rounds", cite="definition"),
    rule("missing-condition", exp(log(x)), x, tier="extends", when=None, cite="definition"),
    rule("sign-unknown", log(x * y), log(x) + log(y), tier="rounds", cite="definition"),
    rule(
        "wrong-axis",
        sum_op(sum_op(x, axes=s), axes=t),
        sum_op(x, axes=s),
        tier="rounds",
        tags=["backward"],
        cite="definition",
    ),
    rule(
        "varying-factor",
        sum_op(x * c, axes=s),
        sum_op(x, axes=s) * c,
        tier="rounds",
        tags=["backward"],
        cite="definition",
    ),
    rule("unstable", log1p(x), log(1 + x), tier="rounds", cite="definition"),
    rule("overflows", sqrt(x) * sqrt(y), sqrt(x * y), tier="rounds", cite="definition"),
    rule("lost-zero", x * 0, x - x, tier="exact", cite="definition"),
    rule("wrong-function", softmax_op(x, axes=s), exp(x), tier="stabilises", cite="definition"),
    rule("wrong-number", add(x, x), mul(3, x), tier="loose", cite="definition"),
]
CAUGHT = [r for r in WRONG if r.name != "missing-condition"]


@pytest.mark.parametrize("one", CAUGHT, ids=lambda r: r.name)
def test_sweep_catches_a_wrong_rule(one: Rule) -> None:
    assert verify.find_failures(one, guarded=False)


def test_a_partial_rule_is_wrong_where_both_sides_have_values_and_untried_where_they_never_do() -> None:
    right = (x - y) / (sqr(cbrt(x)) + cbrt(x) * cbrt(y) + sqr(cbrt(y)))
    loose = {"tier": "loose", "cite": "definition"}
    tags = {"tags": [PARTIAL]}
    assert verify.find_failures(rule("total", cbrt(x) - cbrt(y), right, **loose), guarded=False)
    assert not verify.find_failures(rule("partial", cbrt(x) - cbrt(y), right, **loose, **tags), guarded=False)
    wrong = rule("turned", cbrt(x) - cbrt(y), neg(right), **loose, **tags)
    assert "on the right" in str(verify.find_failures(wrong, guarded=False)[0])
    never = rule("never", cbrt(x), cbrt(x) * sqrt(-1 - sqr(x)), **loose, **tags)
    assert verify.find_failures(never, guarded=False)[0].untried


def test_sweep_knows_which_rules_ask_for_one_shape() -> None:
    asking = {r.name for r in RULES if r.name in ("pow-of-sqr", "mul-one", "log-exp") and guards_shape(r)}
    assert asking == {"pow-of-sqr", "mul-one"}


def test_sweep_catches_a_condition_without_need() -> None:
    assert not verify.breaks_outside(
        rule("idle", neg(neg(x)), x, tier="exact", when=x > 0, cite="definition")
    )


def test_failure_says_where_and_why() -> None:
    text = str(verify.find_failures(WRONG[0], guarded=False)[0])
    assert text.startswith("wrong-sign: neg(sub(x, y)) = sub(x, y) [exact]\n  at    x=[")
    assert "left" in text and "right" in text


# ------------------------------------------------------------------------------------------ through the e-graph


def test_a_rule_added_by_a_user_takes_part() -> None:
    mine = rule("sqrt-of-product-of-exps", sqrt(exp(x) * exp(x)), exp(x), tier="rounds", cite="definition")
    found = verify.verify(mine, POINTS)
    assert found and found.joined
    u = T.dvector("u")
    report = eqsat.optimize(T.sqrt(T.exp(u) * T.exp(u)), rules=default_rules() + [mine])
    assert "sqrt-of-product-of-exps" in report.rules


def test_a_rule_that_the_e_graph_does_not_find_is_said_to_be_so() -> None:
    good = all_rules()["log-exp"]
    assert verify.joins(good) and verify.joins(all_rules()["exp-log"]) is None
    assert verify.Verification(good, joined=False).verdict == UNUSED


def test_a_rule_that_no_e_graph_can_hold_is_broken() -> None:
    made = rule("held-by-none", log(exp(x)), x, tier="stabilises")
    found = verify.verify(replace(made, when=Condition((("not_below", (x, -1)),))), POINTS, outside=False)
    assert found.verdict == BROKEN and "no e-graph can hold the rule: " in str(found)
    assert verify.verify(made, POINTS).verdict == KEPT


# -------------------------------------------------------------------------------------------------- the language


def test_right_side_may_not_name_what_the_left_does_not_bind() -> None:
    with pytest.raises(RuleError, match="does not bind y"):
        rule("unbound", exp(x), x + y, cite="definition")


def test_unknown_tier_is_refused() -> None:
    with pytest.raises(RuleError, match="unknown tier"):
        rule("tier", exp(x), x, tier="fast", cite="definition")


def test_left_side_must_apply_an_op() -> None:
    with pytest.raises(RuleError, match="not an op"):
        rule("meta", x, exp(x), cite="definition")


def test_two_rules_of_one_name_are_refused() -> None:
    a = rule("same", exp(x), x, cite="definition")
    b = rule("same", log(x), x, cite="definition")
    with pytest.raises(RuleError, match="two rules"):
        RuleSet([a, b])


def test_condition_compares_with_zero_only() -> None:
    with pytest.raises(RuleError, match="compares a metavariable with 0") as caught:
        rule("bound", exp(x), x, when=x > 1, cite="definition")
    assert caught.value.hint == "exceeds(x, 1.0)"
    hints = [error_of(x, test, -1).hint for test in (ge, gt, le, lt)]
    assert hints == [f"{fact}(x, -1.0)" for fact in ("not_below", "exceeds", "not_above", "falls_below")]
    assert error_of(x, ge, y).hint is None


def error_of(left: Any, test: Any, right: Any) -> RuleError:
    """The error of a comparison."""
    with pytest.raises(RuleError) as caught:
        test(left, right)
    return caught.value


def test_the_place_of_a_rule_that_cannot_be_declared_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "planted_rules.py").write_text(
        "from eqsat.rules.pattern import reals\nx = reals('x')\nRULES = [x >= 2]\n"
    )
    monkeypatch.setattr(room, "__path__", [str(tmp_path)])
    monkeypatch.setattr(room, "__name__", "planted")
    monkeypatch.setitem(sys.modules, "planted", room)
    all_rules.cache_clear()
    try:
        with pytest.raises(RuleError) as caught:
            all_rules()
    finally:
        all_rules.cache_clear()
    assert f"at     {tmp_path / 'planted_rules.py'}:3" in str(caught.value)


def test_a_number_on_the_right_that_is_to_be_a_filling_says_so() -> None:
    found = verify.verify(rule("number", x - x, 0, when=finite(x), tier="extends"), POINTS)
    assert str(found).endswith("; try fill(x, 0)")
    assert verify.verify(rule("filled", x - x, fill(x, 0), when=finite(x), tier="extends"), POINTS)


def test_selection_by_tier_tag_and_name() -> None:
    assert {r.tier for r in select_rules("loose")} == {"loose"}
    assert "distribute" in [r.name for r in select_rules("expand")]
    assert [r.name for r in select_rules("log-exp")] == ["log-exp"]
    assert "exp-mul" not in [r.name for r in select_rules("-exp-mul")]
    assert "factor" in [r.name for r in select_rules("default,factor")]
    with pytest.raises(RuleError, match="no rule named"):
        select_rules("no-such-rule")


def test_a_rule_reads_as_it_is_written() -> None:
    text = str(all_rules()["sum-of-mul-in-x"])
    assert (
        text
        == "sum-of-mul-in-x: sum{axes}(mul(x, y)) = mul(sum{axes}(x), y) when invariant(y, axes) [rounds]"
    )
    assert str(invariant(c, (0, 1))) == "invariant(c, (0, 1))"


@pytest.mark.parametrize(
    "name", ["log-exp", "sub-self", "exp-mul", "neg-neg", "factor", "log-pow", "mul-div-cancel"]
)
def test_sympy_agrees(name: str) -> None:
    pytest.importorskip("sympy")
    assert verify.proved(all_rules()[name]) is not False
