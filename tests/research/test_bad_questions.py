"""Questions of a rule researcher that cannot be answered are refused in words that say why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.cli import main
from eqsat.errors import ArgumentError, RuleError
from eqsat.research.said import facts_of_elements
from eqsat.rules import default_rules
from eqsat.rules.fact import FACTS
from eqsat.verify import verify

u = eqsat.metavars("u")
x = T.dvector("x")


def test_a_rule_of_a_user_is_declared_where_it_is_written() -> None:
    made = eqsat.rule("where", T.log(T.exp(u)), u)
    assert made.made_at.startswith(f"{__file__}:")
    assert len(made + default_rules()) == len(default_rules() + made) == len(default_rules()) + 1


def test_a_predicate_says_one_thing_of_an_array() -> None:
    small = eqsat.conditions.predicate("below_one_each", lambda a: abs(a) < 1)
    try:
        one = eqsat.rule("same", T.exp(T.log(T.exp(u))), T.exp(u), when=small(u), tier="stabilises")
        with pytest.raises(RuleError, match=r"predicate: below_one_each gives an array of shape"):
            verify(one)
    finally:
        del FACTS["below_one_each"]
        facts_of_elements.cache_clear()


def test_what_is_no_question_is_refused() -> None:
    for left in ([x, x], 1.0, "x"):
        with pytest.raises(ArgumentError, match=r"equal: .* is not a variable"):
            eqsat.equal(left, x)
    with pytest.raises(ArgumentError, match="ablate: 3 is no graph"):
        eqsat.ablate(3)
    with pytest.raises(ArgumentError, match="discover: numbers="):
        eqsat.discover("exp", size=3, numbers=["a"])
    with pytest.raises(ArgumentError, match="operations=0"):
        eqsat.discover("exp", size=3, operations=0)
    with pytest.raises(ArgumentError, match="there is no cell") as error:
        eqsat.compare({"a": x + x}, {"e": {}, "d": {}})["a", "f"]
    assert "('a', 'e')" in str(error.value)


def test_whole_numbers_beyond_their_dtype_are_refused() -> None:
    (line,) = eqsat.import_rules("(& ?a 99999999999999999999) ==> ?a", dtype="int")
    assert line.refused == "int64 does not hold 99999999999999999999"


def test_text_without_rules_is_not_taken_for_a_file() -> None:
    for text in ("", " ", '{"eqs":['):
        with pytest.raises(ArgumentError, match="import_rules") as error:
            eqsat.import_rules(text)
        assert "cannot be read" not in str(error.value)
    with pytest.raises(ArgumentError, match=r"line 1 is no rule: '\(rewrite \(Add a b\) \(Add b a\)\)'"):
        eqsat.import_rules("(rewrite (Add a b) (Add b a))")
    with pytest.raises(ArgumentError, match="the program defines no term"):
        eqsat.from_egglog("")


def test_the_commands_refuse_numbers_and_files(tmp_path: Path, capsys: Any) -> None:
    with pytest.raises(SystemExit):
        main(["rules", "show", "log-exp", "--points", "-3"])
    assert "-3 is a number below 0" in capsys.readouterr().err
    command = ["rules", "discover", "--ops", "exp,log", "--size", "3", "--from", "none"]
    assert main([*command, "--output", str(tmp_path / "none" / "found.py")]) == 2
    said = capsys.readouterr()
    assert "found-log-exp" in said.out and "cannot be written" in said.err
