"""From a program that fails to a finding: made small, with the rules to blame, once per kind of failure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from campaign.blame import suspected
from campaign.check import Failure, check
from campaign.program import Program
from campaign.shrink import shrink
from campaign.trial import Finding
from eqsat.graph.walk import toposort
from eqsat.rules.rule import RuleSet

MOST = 5  # failures of one mode and kind that are made small in a process; more are only counted
MANY = 12  # rules that are named
SEEN: Counter[tuple[str, str]] = Counter()


def finding(
    program: Program,
    failure: Failure,
    seconds: float = 30.0,
    again: Callable[..., Failure | None] | None = None,
    rules: RuleSet | None = None,
) -> Finding | None:
    """The finding of a failure; None once there were many like it. ``again(program, mode, rules)`` tries once more.

    ``rules`` are those with which it failed, None for the default.
    """
    SEEN[failure.mode, failure.kind] += 1
    if SEEN[failure.mode, failure.kind] > MOST:
        return None

    def retry(other: Program, some: Any = None) -> Failure | None:
        chosen = rules if some is None else some
        if again is not None:
            return again(other, failure.mode, chosen)
        return check(other, [failure.mode], rules=chosen)

    small = (
        program
        if failure.mode == "reference"
        else shrink(program, lambda p: failure.alike(retry(p)), seconds)
    )
    last = retry(small) or failure
    blamed = suspected(small, failure, retry, rules) if failure.mode in ("numpy", "FAST_RUN") else ()
    what = f"{failure.mode}: {last.text}"
    return Finding(key_of(small, failure, blamed), what, small.text(failure.mode), blamed[:MANY])


def key_of(program: Program, failure: Failure, rules: tuple[str, ...]) -> str:
    """Mode, kind and rules, or where no rules are to blame the ops of the program."""
    ops = sorted({str(n.op).partition("{")[0] for n in toposort(program.graph()[1])})
    named = sorted(rules) if 0 < len(rules) <= MANY else ops
    return " ".join([failure.mode, failure.kind, *named])
