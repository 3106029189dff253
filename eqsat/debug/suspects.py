"""Blame: the e-graph is saturated again with rules left out, to find those that made something wrong in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from eqsat.base.smallest import smallest
from eqsat.egraph.adapter import EGraphFailure
from eqsat.egraph.saturate import saturate
from eqsat.errors import RuleError
from eqsat.pipeline.program import Program
from eqsat.rules.rule import Rule, RuleSet, all_rules


def suspects(fails: Callable[[RuleSet], bool], rules: Sequence[Rule], seconds: float) -> list[Rule]:
    """The rules to look at: those of the user that fail alone or without which nothing fails, else few that fail together.

    ``fails`` says whether something goes wrong with some rules; it does with all of them. ``seconds`` bounds the search.
    """
    end = time.perf_counter() + seconds
    known = {r.name: r for r in all_rules()}
    own = [r for r in rules if known.get(r.name) != r]
    alone = [r for r in own if fails(RuleSet([r]))]
    if alone:
        return alone
    needed = [r for r in own if not fails(RuleSet(rules) - {r.name})]
    if needed:
        return needed
    return smallest(rules, lambda some: fails(RuleSet(some)), lambda: time.perf_counter() > end)[0]


def refuse_mixed_types(program: Program) -> None:
    """Raise for a rule of the user that makes values of two dtypes or ranks equal, which the e-graph has refused.

    Nothing is raised where only rules that come with eqsat are at hand.

    Errors   RuleError that names the rule and where it is declared
    """
    rules, known = program.settings.rules, {r.name: r for r in all_rules()}
    if all(known.get(r.name) == r for r in rules):
        return
    encoded = program.encoded()

    def fails(some: RuleSet) -> bool:
        try:
            saturate(encoded, some, program.budget, *program.pricing)
        except EGraphFailure as error:
            return "Illegal merge" in str(error)
        return False

    found = suspects(fails, list(rules), 10.0)
    names = " and ".join(r.name for r in found)
    raise RuleError(
        f"rule {names} makes values of different dtypes or ranks equal",
        operands=[("rule", f"{r}, declared at {r.made_at}") for r in found],
        needs="both sides of one dtype and one rank, for all that the left side matches",
        hint="eqsat.verify.verify(rule), which shows operands for which they differ",
    )
