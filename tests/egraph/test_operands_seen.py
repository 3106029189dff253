"""Rules are loaded where each of their terms fits some e-node: by what stands beside what, and which number it is."""

from __future__ import annotations

from typing import Any

import eqsat
import eqsat.tensor as T
from eqsat.egraph.encode import encode
from eqsat.egraph.operands_seen import OperandsSeen, pairs_of
from eqsat.egraph.rule_selection import RuleSelection
from eqsat.egraph.saturate import rulebook_for
from eqsat.rules.equality import EVERY, NUMBER, REPEATED, equal_to
from eqsat.rules.rule import default_rules

x, y, z = T.vectors("xyz")


def loaded(output: Any) -> set[str]:
    """The names of the rules that are loaded for a graph at first."""
    encoded = encode([output])
    return {r.name for r in RuleSelection(default_rules()).add(encoded.ops | encoded.pairs)}


def test_a_rule_on_two_products_is_loaded_where_both_stand_beside_each_other() -> None:
    assert "factor-sub" in loaded(x * y - z * y)
    assert "factor-sub" not in loaded(T.exp(x * y - z) + (z - x * y))


def test_operands_that_may_change_places_are_seen_in_both() -> None:
    assert ("add", (frozenset({"mul"}), frozenset())) in encode([z + x * y]).pairs


def test_a_rule_on_a_number_is_loaded_where_it_is_that_number() -> None:
    square, cube = loaded(x**2), loaded(x**3)
    asked = {r.name for r in default_rules().rules if any(equal_to(3.0) in wanted for _, wanted in r.terms)}
    assert square - cube and not asked & square


def test_a_repeated_number_is_no_written_one() -> None:
    named = {name for name in loaded(T.zeros_like(x) + y) if "by-number" in name}
    assert named and not any("by-number" in name for name in loaded(x + 1))
    assert ("add", REPEATED) in encode([T.zeros_like(x) + y]).pairs


def test_what_is_taken_to_exist_fits_every_term() -> None:
    seen = OperandsSeen([("sub", (frozenset({"mul"}), frozenset()))])
    assert seen.has("sub", ("mul", None)) and not seen.has("sub", ("mul", NUMBER))
    assert seen.add(pairs_of({"sub"})) == {"sub"} and seen.has("sub", ("mul", NUMBER))
    assert ("sub", EVERY) in pairs_of({"sub"})
    assert seen.has("mul", ("exp", "exp")), "nothing is said of it"


def test_a_graph_is_loaded_in_one_iteration_however_deep_it_is() -> None:
    output = x
    for _ in range(100):
        output = T.sin(output)
    encoded = encode([output])
    with rulebook_for(encoded.ops, default_rules()).template.session() as session:
        session.load(encoded.tables)
        assert session.saturate("load").iterations <= 3


def test_rules_of_repeated_numbers_leave_written_numbers_alone() -> None:
    repeated = eqsat.optimize(T.zeros_like(x) + y).rules
    assert any("by-number" in name for name in repeated)
    assert not any("by-number" in name for name in eqsat.optimize(x + x * 2).rules)
