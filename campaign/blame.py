"""The rules without which a failure goes: half of those left is taken out at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from campaign.check import Failure
from campaign.program import Program
from eqsat.base.configuration import config
from eqsat.base.smallest import smallest
from eqsat.egraph.encode import encode
from eqsat.egraph.saturate import saturate
from eqsat.egraph.scheduler import Budget
from eqsat.pipeline.preparation import prepare
from eqsat.pipeline.program import MOST_MATCHES
from eqsat.rules.rule import Rule, RuleSet, default_rules

SECONDS = 25.0


def suspected(
    program: Program,
    failure: Failure,
    again: Callable[[Program, Any], Failure | None],
    among: RuleSet | None = None,
) -> tuple[str, ...]:
    """Names of few rules with which alone a program fails as it does; none where it fails without rules."""

    def fails(rules: RuleSet) -> bool:
        return failure.alike(again(program, rules))

    if fails(RuleSet([])):
        return ()
    end = time.perf_counter() + SECONDS
    fired = those_that_fire(program, among or default_rules())
    if not fails(RuleSet(fired)):
        fired = list(among or default_rules())
    found, _ = smallest(fired, lambda some: fails(RuleSet(some)), lambda: time.perf_counter() > end)
    return tuple(r.name for r in found)


def those_that_fire(program: Program, rules: RuleSet) -> list[Rule]:
    """The rules that match anything in the e-graph of a program."""
    budget = Budget(config.egraph_nodes, MOST_MATCHES, config.egraph_seconds)
    matched = saturate(encode(prepare(program.graph()[1])), rules, budget).matches()
    return [r for r in rules if r.name in matched]
