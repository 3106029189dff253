"""Rules that keep their promises alone are tried together."""

from __future__ import annotations

import pytest

from eqsat.graph.ops.elemwise import erf, exp, sin
from eqsat.rules.pattern import reals
from eqsat.rules.rule import RuleSet, default_rules, rule
from eqsat.verify import verify, verify_set

x, y = reals("x y")


@pytest.mark.filterwarnings("ignore::eqsat.errors.EqsatWarning")
def test_two_rules_that_contradict_each_other_only_together_are_named() -> None:
    # each is right where its left side is a number, and both have none where something is divided by y - y
    pair = [
        rule("planted-one", sin(x / (y - y)), exp(y), tier="extends", cite="definition"),
        rule("planted-other", sin(x / (y - y)), exp(x), tier="extends", cite="definition"),
    ]
    assert all(verify(r, points=12, proof=False, outside=False, egraph=False) for r in pair)
    found = verify_set(RuleSet(pair), graphs=12, seed=1)
    named = {r.name for b in (*found.wrong, *found.refused) for r in b.rules}
    assert {"planted-one", "planted-other"} <= named


@pytest.mark.filterwarnings("ignore::eqsat.errors.EqsatWarning")
def test_wrong_rules_are_found_and_told() -> None:
    bad = [rule("planted", erf(x * y), x, cite="definition")]
    found = verify_set(RuleSet(bad), graphs=6)
    assert not found and "planted" in str(found) and "6 graphs" in str(found)


@pytest.mark.filterwarnings("ignore::eqsat.errors.EqsatWarning")
def test_the_default_rules_change_no_plain_output() -> None:
    found = verify_set(default_rules(), graphs=8, seed=2, compiled=True)
    assert found and found.graphs == 8
