"""derive: rules that follow from others, those that do not, conditions that are given, and rules that cannot be tried."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.progress import Terminal
from eqsat.cli import main
from eqsat.errors import ArgumentError, RuleError
from eqsat.research.derivation import Untried, instances
from eqsat.research.question import Question
from eqsat.rules.rule import Rule, RuleSet, all_rules

x, y = eqsat.metavars("x y")
LOOP = all_rules()["loop-row-of-stack"]


def equal_at(rule: Rule, known: RuleSet, one: Any) -> bool:
    """True where the sides are equal at one point."""
    sides, given = one
    question = Question.between(*sides, known, None, 5.0, **given.settings)
    return question.answered(question.encoded())[1]


def test_a_rule_follows_by_the_steps_that_are_shown() -> None:
    found = eqsat.derive("minus-one-minus-neg-exp")
    assert found and [s.name for s in found.explain().steps] == ["sub-neg", "exp-minus-one"]
    assert "sub(-1, neg(exp(x))) = expm1(x)" in str(found) and found.explain().checked


def test_a_rule_is_left_out_of_those_that_it_may_follow_from() -> None:
    found = eqsat.derive("log-exp", from_="log-exp")
    assert not found and found.verdict == "not shown" and "does not follow" in str(found)
    with pytest.raises(ArgumentError, match="explain: log-exp does not follow: not shown"):
        found.explain()
    assert not eqsat.derive("regroup-add", from_="exact")


def test_the_condition_of_a_rule_is_given() -> None:
    known = [all_rules()["exp-log"]]
    three = T.exp(T.log(T.exp(T.log(x))))
    assert eqsat.derive(eqsat.rule("twice", three, x, when=x >= 0), from_=known)
    assert eqsat.derive(eqsat.rule("twice", three, x, when=x > 0), from_=known)
    assert not eqsat.derive(eqsat.rule("twice", three, x), from_=known)
    cancels = eqsat.rule("back", (y / x) * x, y, when=eqsat.conditions.nonzero(x))
    assert eqsat.derive(cancels, from_="div-mul-cancel")


def test_known_numbers_are_numbers() -> None:
    c = eqsat.metaconstants("c")
    follows = eqsat.rule("mine", c * (x + 0), x * c)
    assert eqsat.derive(follows, from_="add-zero") and not eqsat.derive(follows, from_="sub-zero")


def test_reductions_products_and_loops_are_tried() -> None:
    m, axes = eqsat.metavars("m", ndim=2), eqsat.metaaxes("s")
    assert eqsat.derive(eqsat.rule("r", T.sum(x + 0, axis=axes), T.sum(x, axis=axes)), from_="add-zero")
    assert eqsat.derive(eqsat.rule("p", T.dot(m, m.T + 0), T.dot(m, m.T)), from_="add-zero")
    assert not eqsat.derive(LOOP, from_=[LOOP]) and eqsat.derive(replace(LOOP, name="other"), from_=[LOOP])


def test_what_cannot_be_tried_says_why() -> None:
    found = eqsat.derive("maximum-known")
    assert not found and str(found).endswith("not tried: at_least cannot be said of variables")
    assert eqsat.derive("bits_float-fill-left").verdict == "equal"  # floats beside whole numbers are tried
    with pytest.raises(RuleError, match="there is no rule named 'lgo-exp'"):
        eqsat.derive("lgo-exp")


def test_the_command_shows_steps_of_one_rule_and_a_table_of_several(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rules", "derive", "exp-add"]) == 0
    assert "1 step by 1 rule of" in capsys.readouterr().out
    file = tmp_path / "mine.py"
    file.write_text(
        "import eqsat, eqsat.tensor as T\n"
        "x = eqsat.metavars('x')\n"
        "RULES = [eqsat.rule('one', -(-x), x), eqsat.rule('two', T.exp(-(-x)), T.exp(x)), eqsat.rule('three', T.sin(-x), -T.sin(x))]\n"
    )
    assert main(["rules", "derive", str(file), "--from", "neg-neg"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[1:4]] == [["one", "equal"], ["three", "not"], ["two", "equal"]]
    assert lines[-1] == "2 of 3 follow from 1 rules"
    assert main(["rules", "derive", "three", "--from", str(file)]) == 2
    assert main(["rules", "derive", str(file), "--from", str(file), "--size", "2000", "--json"]) == 1
    assert '"verdict": "equal"' in capsys.readouterr().out


def test_a_rule_that_follows_at_small_points_alone_does_not_follow() -> None:
    m, axes = eqsat.metavars("m", ndim=2), eqsat.metaaxes("s")
    one = eqsat.rule("ones", T.sum(m, axis=axes), T.max(m, axis=axes))
    known = RuleSet([]) + "sum-over-ones,max-over-ones"
    verdicts = [equal_at(one, known, sides) for sides in instances(one)]
    assert any(verdicts) and not all(verdicts) and not eqsat.derive(one, from_=known)


def test_rows_come_one_by_one_and_leave_no_progress_behind(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Screen(Terminal):
        cleared = 0

        def clear(self) -> None:
            Screen.cleared += 1

    monkeypatch.setattr("eqsat.base.progress.find_screen", lambda: Screen(None))
    assert main(["rules", "derive", "neg-neg", "exp-add"]) == 1
    assert Screen.cleared >= 2 and len(capsys.readouterr().out.splitlines()) == 4


@pytest.mark.sweep
def test_every_rule_has_sides_or_a_reason_why_not() -> None:
    rules, tried = list(all_rules())[::80], 0
    for rule in rules:
        try:
            (left, right), _ = next(instances(rule))
        except Untried as error:
            assert str(error) and "\n" not in str(error)
            continue
        assert left.type.dtype and right.type.dtype
        tried += 1
    assert tried > 0.8 * len(rules)
