"""Saturation with a ruleset for each rule: one iteration of one rule at a time, with a look at the e-graph after each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, fields, replace
from typing import Any

from eqsat.egraph.adapter import Session
from eqsat.egraph.encode import Encoded
from eqsat.egraph.place import session_of
from eqsat.egraph.saturate import (
    MOST_ROUNDS,
    Folder,
    Growth,
    Rulebook,
    Saturated,
    load,
    read,
    rulebook_for,
)
from eqsat.egraph.scheduler import Budget, run_phase
from eqsat.rules.rule import Rule, RuleSet

ALL = "together"  # the ruleset of all rules


@dataclass(frozen=True)
class Moment:
    """The e-graph after one rule: its name, None at the start and where only operands changed places or numbers folded."""

    rule: str | None
    saturated: Saturated
    round: int


class Alone(Rule):
    """A rule in a ruleset of its own."""

    @property
    def ruleset(self) -> str:
        return "only_" + "".join(c if c.isalnum() else "_" for c in self.name)


def alone(rule: Rule) -> Alone:
    """The rule, to be run by itself."""
    return Alone(**{f.name: getattr(rule, f.name) for f in fields(Rule) if f.init})


class Traced:
    """Runs some rules in turn, or in rounds of all; ``pricing`` is for products as ``saturate`` takes it, and ``moments``
    gives the e-graph after each rule, or round, that changed anything.
    """

    def __init__(
        self,
        encoded: Encoded,
        rules: Sequence[Rule],
        budget: Budget,
        pricing: tuple[Any, float],
        off: Set[str] = frozenset(),
        left: Callable[[], float] | None = None,
    ) -> None:
        self.encoded, self.budget, self.pricing = encoded, budget, pricing
        self.rules = [alone(r) for r in rules]
        self.off = off  # rules of rules/standing.py that do not run
        self.left = left or (lambda: budget.seconds)  # seconds that it may still take
        self.stopped = ""

    def moments(self, each: bool = True) -> Iterator[Moment]:
        """The e-graph at the start, and after each rule; after each round of all rules where not ``each``."""
        empty = rulebook_for(self.encoded.ops, RuleSet([], self.off), bool(self.encoded.loops))
        with session_of(empty.template) as session:
            growth = self._grown(empty, session)
            run = _Run(self, session, growth)
            run.learn()
            yield run.moment(None, 0)
            if run.tidy() and each:
                yield run.moment(None, 0)
            yield from self._one_by_one(run) if each else self._together(run)

    def _grown(self, empty: Rulebook, session: Session) -> Growth:
        """The rules that can fire, in the session."""
        names = [r.ruleset for r in self.rules]
        session.add(
            [*(f"(ruleset {n})" for n in names), f"(unstable-combined-ruleset {ALL} {' '.join(names)})"]
        )
        book = replace(empty, rules=RuleSet(self.rules, self.off), chosen=[])
        growth = Growth(book, session)
        growth.present = set()
        growth.reach(self.encoded.ops.union(*(r.needs for r in self.rules)))
        return growth

    def _one_by_one(self, run: _Run) -> Iterator[Moment]:
        for number in range(1, self.budget.iterations + 1):
            changed = False
            for rule in self.rules:
                if run.spent():
                    return
                if rule.name in run.growth.chosen and run.phase([rule.ruleset], 1):
                    changed = True
                    run.tidy()
                    yield run.moment(rule.name, number)
            if not changed:
                return
        self.stopped = "iterations"

    def _together(self, run: _Run) -> Iterator[Moment]:
        for number in range(1, self.budget.iterations + 1):
            if not run.phase([ALL], 1):
                return
            run.tidy()
            yield run.moment(None, number)
            if run.spent():
                return
        self.stopped = "iterations"


class _Run:
    """A session in which rules run one by one."""

    def __init__(self, traced: Traced, session: Session, growth: Growth) -> None:
        self.traced, self.session, self.growth = traced, session, growth
        self.answer = load(session, growth, traced.encoded, *traced.pricing)
        self.folder = Folder(traced.encoded, growth.declared)

    def learn(self) -> None:
        """What is known of the graph as written."""
        self.phase([], 1)

    def phase(self, rulesets: Sequence[str], iterations: int) -> bool:
        """Run rulesets; True where anything changed."""
        b, left = self.traced.budget, min(self.traced.budget.seconds, self.traced.left())
        if left <= 0:
            self.traced.stopped = "seconds"
            return False
        limit = Budget(b.nodes, b.matches, left, iterations)
        before = self.session.size()
        done = run_phase(self.session, "one", ["facts"], rulesets, limit, time.monotonic, self.answer)
        if done.stopped in ("nodes", "seconds"):
            self.traced.stopped = done.stopped
        return done.stopped != "saturated" or done.iterations > 1 or done.rows != before

    def tidy(self) -> bool:
        """Operands in any order, numbers folded, new ops known: until nothing changes."""
        changed = False
        for _ in range(MOST_ROUNDS):
            changed |= self.phase(["shrink"], 30)
            if self.spent():
                break
            frozen = self.session.freeze([*self.growth.tables(), "node"])
            folded = self.folder.fold(self.session, frozen)
            if self.spent() or not folded:
                break
            changed = True
        return changed

    def spent(self) -> bool:
        return bool(self.traced.stopped)

    def moment(self, rule: str | None, number: int) -> Moment:
        saturated: Any = read(self.session, self.traced.encoded, self.growth.declared)
        return Moment(rule, saturated, number)
