"""Objects in notebooks: tables as HTML, and short texts."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.costs import CostModel
from eqsat.rules.rule import all_rules
from eqsat.verify import verify


class Printer:
    """IPython's printer, as far as it is used."""

    def __init__(self) -> None:
        self.said = ""

    def text(self, words: str) -> None:
        self.said += words


def pretty(v: Any) -> str:
    printer = Printer()
    v._repr_pretty_(printer, False)
    return printer.said


def rows(html: str) -> list[list[str]]:
    """The cells of each row of the table."""
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(.*?)</tr>", html)]


def test_an_input_is_shown_with_its_type() -> None:
    x = T.dmatrix("x")
    assert pretty(x) == "x: f64[?, ?]" and pretty(x + 1) == "x + 1" and repr(x) == "x"
    assert pretty(eqsat.shared(np.ones(3, "float32"), "w")) == "w: f32[?]"


def test_a_rule() -> None:
    rule = all_rules()["exp-log"]
    assert repr(rule) == str(rule) and repr([rule]) == f"[{rule}]"
    head, cells = rows(rule._repr_html_())
    assert head == ["rule", "left", "right", "when", "tier", "source"]
    assert cells[:3] == ["exp-log", "exp(log(x))", "x"] and cells[3] == "nonneg(x)"


def test_a_set_of_rules() -> None:
    html = eqsat.rules.default_rules().tiers("exact")._repr_html_()
    assert len(rows(html)) == 21 and re.search(r"the first 20 of [\d,]+: [\d,]+ exact", html)
    few = eqsat.rules.default_rules().where(lambda r: r.name in ("log-exp", "exp-log"))
    assert len(rows(few._repr_html_())) == 3 and "the first" not in few._repr_html_()


def test_a_verification() -> None:
    u = eqsat.metavars("u")
    wrong = verify(eqsat.rule("wrong", T.cos(u), T.sin(u), tier="exact"), points=4)
    assert repr(wrong) == "<Verification of wrong: BROKEN>"
    html = wrong._repr_html_()
    assert rows(html)[1][:3] == ["wrong", "exact", "BROKEN"] and "cos(u) = sin(u)" in html


def test_a_profile_of_rules() -> None:
    x = T.dvector("x")
    found = eqsat.profile_rules(T.log(T.exp(x)))
    assert re.fullmatch(r"<RuleProfile: \d+ rules, \d+ e-nodes, \w+>", repr(found))
    table = rows(found._repr_html_())
    assert table[0] == ["rule", "tier", "matches", "new e-nodes", "ms"] and len(table) == 1 + min(
        30, len(found.rules)
    )


def test_a_profile_of_a_function() -> None:
    x = T.dvector("x")
    f = eqsat.function([x], T.exp(x).sum(), profile=True, mode="numpy")
    f([1.0, 2.0])
    table = rows(f.profile._repr_html_())
    assert table[0] == ["share", "seconds", "kind", "ops"] and len(table) == 2 + len(f.profile.rows)
    assert sum(float(row[1]) for row in table[1:]) == pytest.approx(f.profile.seconds, abs=1e-5)


def test_the_configuration_says_what_was_changed() -> None:
    with eqsat.config.change_flags(floatX="float32"):
        table = rows(eqsat.config._repr_html_())
    assert table[1][:3] == ["floatX", "&#x27;float32&#x27;", "&#x27;float64&#x27;"]
    assert len(table) == 1 + len(eqsat.config.values())


def test_a_cost_model() -> None:
    table = {row[0]: row[1:] for row in rows(CostModel(byte=1e-9)._repr_html_())}
    assert table["byte"] == ["1e-09", str(CostModel().byte)] and table["call"][1] == ""
