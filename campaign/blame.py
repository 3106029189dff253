"""The rules without which a failure goes: half of those left is taken out at a time."""

from __future__ import annotations

import time

from campaign.check import Failure, check
from campaign.program import Program
from eqsat.debug.suspects import fewest
from eqsat.rules.rule import RuleSet, default_rules

SECONDS = 25.0


def suspected(program: Program, failure: Failure, seconds: float = SECONDS) -> tuple[str, ...]:
    """Names of few rules with which alone a program fails as it does; none where it fails without rules."""

    def fails(rules: RuleSet) -> bool:
        found = check(program, [failure.mode], rules=rules)
        return failure.alike(found)

    if fails(RuleSet([])):
        return ()
    end = time.perf_counter() + seconds
    return tuple(r.name for r in fewest(fails, list(default_rules()), end))
