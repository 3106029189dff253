"""Rules that keep their promises alone are tried together."""

from __future__ import annotations

import pytest

from eqsat.graph.declare import OPS
from eqsat.graph.ops.elemwise import abs, erf, exp, log, maximum
from eqsat.rules.pattern import reals
from eqsat.rules.rule import RuleSet, default_rules, rule
from eqsat.verify import verify, verify_set

x, y = reals("x y")


@pytest.mark.filterwarnings("ignore::eqsat.errors.EqsatWarning")
def test_two_rules_that_contradict_each_other_only_together_are_named() -> None:
    # each is right where x > 0, and says something of negative x, of which exp(log(x)) is no number
    pair = [
        rule("planted-one", exp(log(x)), abs(x), tier="extends", cite="definition"),
        rule("planted-other", exp(log(x)), maximum(x, 0), tier="extends", cite="definition"),
    ]
    assert all(verify(r, points=40, proof=False, outside=False) for r in pair)
    found = verify_set(RuleSet(pair), graphs=6, seed=1)
    assert not found and {r.name for r in found.wrong[0].rules} == {"planted-one", "planted-other"}
    assert all(verify_set(RuleSet([r]), graphs=6, seed=1) for r in pair)


@pytest.mark.filterwarnings("ignore::eqsat.errors.EqsatWarning")
def test_wrong_rules_are_found_and_told() -> None:
    bad = [rule("planted", erf(x * y), x, cite="definition")]
    found = verify_set(RuleSet(bad), graphs=3)
    assert not found and "planted" in str(found) and "3 graphs" in str(found)


@pytest.mark.filterwarnings("ignore::eqsat.errors.EqsatWarning")
@pytest.mark.sweep
def test_the_default_rules_change_no_plain_output() -> None:
    found = verify_set(default_rules(), graphs=4, seed=2, compiled=True)
    assert found and found.graphs == 4


def test_a_scheme_is_woken_by_the_op_that_it_holds_for() -> None:
    """The rules of an op are looked for where it is in the graph: those for another one would wait for ever."""
    for chosen in default_rules().schemes:
        for d in filter(chosen.scheme.holds, OPS.values()):
            for need in chosen.scheme.needs(d.name):
                assert d.name == need or d.name in need, (chosen.scheme.name, d.name, need)
