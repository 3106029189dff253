"""minimise: the rules that are enough, what implies the others, the order in which they are asked for, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.cli import main
from eqsat.errors import RuleError
from eqsat.research.minimal import in_order
from eqsat.rules.rule import Rule, RuleSet, all_rules
from eqsat.rules.schemes.scheme import Check


def _one_of(rule: Rule, name: Any) -> bool:
    return rule.name == name


x = eqsat.metavars("x")
ONE = eqsat.rule("one", T.neg(T.neg(x)), x)
TWO = eqsat.rule("two", T.exp(T.neg(T.neg(x))), T.exp(x))
THREE = eqsat.rule("three", T.sin(T.neg(T.neg(T.neg(x)))), -T.sin(x))
FOUR = eqsat.rule("four", T.sin(-x), -T.sin(x))
TEXT = """import eqsat, eqsat.tensor as T
x = eqsat.metavars("x")
RULES = [
    eqsat.rule("one", -(-x), x),
    eqsat.rule("two", T.exp(-(-x)), T.exp(x)),
    eqsat.rule("three", T.sin(-(-(-x))), -T.sin(x)),
    eqsat.rule("four", T.sin(-x), -T.sin(x)),
]
"""


def test_short_rules_stay_and_imply_the_long_ones() -> None:
    found = eqsat.minimise([TWO, ONE, THREE, FOUR])
    assert [r.name for r in found.kept] == ["four", "one"]
    assert {name: set(by) for name, by in found.implied_by.items()} == {
        "two": {"one"},
        "three": {"one", "four"},
    }
    assert "2 of 4 rules are enough; 2 follow from them" in str(found) and "two" in found._repr_html_()


def test_every_rule_that_is_dropped_follows_from_those_that_are_kept() -> None:
    found = eqsat.minimise([ONE, TWO, THREE, FOUR])
    assert found.dropped and all(eqsat.derive(j.rule, from_=found.kept) for j in found.dropped)
    assert not any(eqsat.derive(r, from_=found.kept) for r in found.kept)


def test_a_proof_that_meets_in_the_middle_is_no_step_of_another() -> None:
    two = [eqsat.rule(name, f(f(x)), T.tan(x)) for name, f in (("sines", T.sin), ("cosines", T.cos))]
    same = eqsat.rule("same", T.sin(T.sin(x)), T.cos(T.cos(x)))  # follows from both, which are one in tan(x)
    far = T.log(T.log(T.log(x)))
    long = [eqsat.rule(name, T.exp(f(f(x))), far) for name, f in (("a", T.sin), ("b", T.cos))]
    found = eqsat.minimise([*two, same, *long])
    assert found.implied_by.keys() == {"same"}
    assert {r.name for r in found.kept} == {"a", "b", "sines", "cosines"}, (
        "a follows only with the rule that is dropped"
    )


def test_two_rules_that_imply_each_other_are_not_both_dropped() -> None:
    copy = eqsat.rule("copy", T.neg(T.neg(x)), x)
    found = eqsat.minimise([ONE, copy])
    assert [r.name for r in found.kept] == ["one"] and found.implied_by == {"copy": ["one"]}


def test_the_order_does_not_depend_on_that_of_the_set() -> None:
    names = [r.name for r in in_order(RuleSet([ONE, TWO, THREE, FOUR]))]
    assert (
        names
        == [r.name for r in in_order(RuleSet([FOUR, THREE, ONE, TWO]))]
        == ["three", "four", "two", "one"]
    )
    narrow = eqsat.rule("narrow", T.neg(T.neg(x)), x, when=x > 0)
    assert [r.name for r in eqsat.minimise([ONE, narrow]).kept] == ["one"]


def test_rules_that_hold_besides_are_not_asked_for() -> None:
    found = eqsat.minimise([TWO, FOUR], from_=[ONE])
    assert found.implied_by == {"two": ["one"]} and [j.rule.name for j in found.judged] == ["four", "two"]
    assert eqsat.minimise([TWO, FOUR]).implied_by == {}


def test_schemes_stay_schemes_without_the_rules_that_are_dropped() -> None:
    scheme = next(s for s in all_rules().schemes if s.named("cos-of-fill"))
    found = eqsat.minimise(RuleSet([scheme.where(Check(_one_of, "cos-of-fill"))]), from_="fill-same-shape")
    assert found.kept.schemes and not found.kept.rules
    assert found.kept.find("cos-of-fill") is None and "cos-of-fill" in found.implied_by


def test_rows_are_plain_values() -> None:
    rows = eqsat.minimise([ONE, TWO]).rows()
    assert [(r["rule"], r["kept"], r["implied_by"]) for r in rows] == [
        ("two", False, ["one"]),
        ("one", True, []),
    ]
    assert json.loads(json.dumps(rows)) == rows and all(r["enodes"] > 0 for r in rows)


def test_rules_that_cannot_be_tried_are_kept() -> None:
    found = eqsat.minimise("maximum-known")
    assert len(found.kept) == 1 and "1 of 1 rules are enough, of which 1 were not tried; 0" in str(found)
    with pytest.raises(RuleError, match="there is no rule named 'lgo-exp'"):
        eqsat.minimise("lgo-exp")


def test_the_command_says_what_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, names = tmp_path / "mine.py", tmp_path / "names.txt"
    file.write_text(TEXT)
    assert main(["rules", "minimise", str(file), "--steps", "--output", str(names)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:2] == ["rule", "is"] and lines[-1].startswith(
        "2 of 4 rules are enough; 2 follow"
    )
    assert names.read_text() == "four\none\n"
    assert any(line.startswith("    ") for line in lines) and any("dropped  one" in line for line in lines)
    assert main(["rules", "minimise", str(file), "--json"]) == 0
    kept = [json.loads(line)["kept"] for line in capsys.readouterr().out.splitlines()]
    assert kept == [True, True, False, False]  # those that stay in any case come first
    assert main(["rules", "minimise", str(file), "--output", str(tmp_path / "no" / "names")]) == 2
    assert "cannot be written" in capsys.readouterr().err
