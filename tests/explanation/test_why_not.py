"""Why a rule did not match: the sentence names what is missing."""

from __future__ import annotations

from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, RuleError
from eqsat.rules.rule import default_rules

x, y = T.dvectors("x", "y")


@pytest.mark.parametrize(
    ("output", "name", "words"),
    [
        (T.log(T.exp(x)), "log-exp", "log-exp matched "),
        (T.log(x), "log-exp", "its left side does not occur: there is no exp"),
        (T.exp(T.log(x)), "log-exp", "its left side does not occur: there is no exp under log"),
        (T.log(x) + T.exp(x), "exp-log", "its left side does not occur: there is no log under exp"),
        (T.exp(T.log(x)), "exp-log", "its left side occurs 1 time, but nonneg(x) is not known there"),
        (
            T.maximum(x, y),
            "maximum-known",
            "its left side occurs 2 times, but at_least(a, b) is not known there",
        ),
        (T.log(x), "log-add", "is not among the rules of the report: its tier is loose"),
        (
            T.concatenate([x[:3], x[2:]]),
            "join-of-parts",
            "its left side occurs 1 time, but the value is a known number already, or there is no pattern",
        ),
        (x + y, "add-zero", "the ops of its left side occur, but not put together in this way"),
    ],
)
def test_the_reason(output: Any, name: str, words: str) -> None:
    assert words in eqsat.optimize(output).why_not(name)


def test_each_fact_that_is_not_known_is_named() -> None:
    a, b = eqsat.metavars("a b")
    when = eqsat.conditions.finite(a) & eqsat.conditions.nonzero(b)
    mine = eqsat.rule("mine", abs(a) * abs(b), abs(a * b), when=when, cite="definition")
    rules = default_rules() + mine
    found = eqsat.optimize(abs(x) * abs(y), rules=rules)
    for asked in ("mine", mine):
        assert found.why_not(asked).endswith("but finite(a) and nonzero(b) are not known there")


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(RuleError, match="there is no rule named 'log-expp'"):
        eqsat.optimize(T.exp(x)).why_not("log-expp")
    plain = eqsat.optimize(T.exp(x))
    plain.settings = None
    with pytest.raises(ArgumentError, match="why_not: nothing was rewritten"):
        plain.why_not("log-exp")


def test_the_name_of_many_rules_is_refused_as_such() -> None:
    with pytest.raises(RuleError, match=r"part-of-elementwise names \d+ rules, as part-of-"):
        eqsat.optimize(T.exp(x)).why_not("part-of-elementwise")
