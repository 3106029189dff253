"""Rules that run one by one, each in a ruleset of its own, so that it can be told what each of them did."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any

from eqsat.base.values import dataclass
from eqsat.egraph.adapter import RunStep
from eqsat.egraph.driver import Driver, Stage
from eqsat.egraph.encode import Encoded
from eqsat.egraph.place import session_of
from eqsat.egraph.reading import Saturated, read
from eqsat.egraph.rule_selection import RuleSelection
from eqsat.egraph.saturate import Growth, names_of, pairs_of, rulebook_for
from eqsat.egraph.scheduler import Budget
from eqsat.rules.rule import Need, Rule, RuleSet

ALL = "together"  # the ruleset of all rules
MOST_FOLDED = 10  # times that constants are folded after one rule


class Alone(Rule):
    """A rule in a ruleset of its own."""

    @property
    def ruleset(self) -> str:
        return "only_" + "".join(c if c.isalnum() else "_" for c in self.name)


def alone(rule: Rule) -> Alone:
    """The rule, to be run by itself."""
    return Alone(**{f.name: getattr(rule, f.name) for f in fields(Rule) if f.init})


@contextmanager
def each_alone(
    encoded: Encoded, rules: RuleSet, pricing: tuple[Any, float], needs: Set[Need] = frozenset()
) -> Iterator[Driver]:
    """A graph in a session in which each rule has a ruleset of its own; ``needs`` are taken to exist from the start."""
    single = RuleSet(map(alone, rules), rules.off)
    names = [r.ruleset for r in single]
    empty = rulebook_for(encoded.ops, RuleSet([], rules.off), bool(encoded.loops))
    with session_of(empty.template) as session:
        session.add(
            [*(f"(ruleset {n})" for n in names), f"(unstable-combined-ruleset {ALL} {' '.join(names)})"]
        )
        growth = Growth(replace(empty, selection=RuleSelection(empty.rules)), session)
        growth.reach(encoded.ops | encoded.pairs | needs | pairs_of(names_of(needs)))
        growth.widen(single)  # of no op it has been told what is made of it
        yield Driver(session, growth, encoded, *pricing)


@dataclass(frozen=True)
class Moment:
    """The e-graph after one rule: its name, None at the start and where only operands changed places or numbers folded."""

    rule: str | None
    saturated: Saturated


class Traced:
    """Runs some rules in turn, or in rounds of all, and shows the e-graph after each of them; ``pricing`` is for products as
    ``saturate`` takes it."""

    def __init__(
        self,
        encoded: Encoded,
        rules: Sequence[Rule],
        budget: Budget,
        pricing: tuple[Any, float],
        off: Set[str] = frozenset(),
    ) -> None:
        self.encoded, self.budget, self.pricing = encoded, budget, pricing
        self.rules = RuleSet(rules, off)

    def run(self, found: Callable[[Moment], bool], each: bool = True) -> bool:
        """Show the e-graph at the start, and after each rule, or round of all where not ``each``, that changed anything,
        until ``found`` says that it is enough: then True."""
        needs = frozenset().union(*(r.needs for r in self.rules))
        with each_alone(self.encoded, self.rules, self.pricing, needs) as driver:
            run = _Run(self, driver, found)
            run.all(each)
            return run.enough


class _Run:
    """Rules that run in one session, and who sees what they do."""

    def __init__(self, traced: Traced, driver: Driver, found: Callable[[Moment], bool]) -> None:
        self.traced, self.driver, self.found = traced, driver, found
        self.names = {alone(r).ruleset: r.name for r in traced.rules}
        self.enough = False
        self.end = time.monotonic() + traced.budget.seconds

    @property
    def left(self) -> Budget:
        """The limits, with the seconds that are left."""
        return replace(self.traced.budget, seconds=max(1e-3, self.end - time.monotonic()))

    def all(self, each: bool) -> None:
        """The start, and all rules."""
        self.driver.learn(self.left)
        if self.show(None) or (self.tidy() and each and self.show(None)):
            return
        stage = Stage("traced", list(self.names) if each else [ALL], self.traced.budget.nodes)
        if self.names:
            self.driver.run([stage], self.left, self.watch, time.monotonic)

    def watch(self, ruleset: str, done: RunStep, seconds: float) -> bool:
        """Show what a rule did, where it did anything."""
        if not done.updated:
            return False
        self.tidy()
        return self.show(self.names.get(ruleset))

    def show(self, rule: str | None) -> bool:
        saturated = read(self.driver.session, self.driver.encoded, self.driver.growth.declared)
        self.enough = self.found(Moment(rule, saturated))
        return self.enough

    def tidy(self) -> bool:
        """Operands in any order and numbers folded, until nothing changes."""
        changed = False
        for _ in range(MOST_FOLDED):
            size = self.driver.session.size()
            stopped = self.driver.shrink(self.left, time.monotonic).stopped
            folded = stopped == "saturated" and self.driver.fold()
            changed |= folded or self.driver.session.size() != size
            if not folded:
                break
        return changed
