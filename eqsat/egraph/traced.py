"""Saturation with a ruleset for each rule: one iteration of one rule at a time, with a look at the e-graph after each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, fields
from typing import Any

from eqsat.egraph.adapter import Session
from eqsat.egraph.encode import Encoded
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
    """Runs some rules in turn; ``pricing`` is for products as ``saturate`` takes it, and ``moments`` gives the e-graph after each that changed anything."""

    def __init__(
        self,
        encoded: Encoded,
        rules: Sequence[Rule],
        budget: Budget,
        pricing: tuple[Any, float],
        off: Set[str] = frozenset(),
    ) -> None:
        self.encoded, self.budget, self.pricing = encoded, budget, pricing
        self.rules = [alone(r) for r in rules]
        self.off = off  # rules of rules/standing.py that do not run
        self.stopped = ""

    def moments(self, each: bool = True) -> Iterator[Moment]:
        """The e-graph at the start, and after each rule; after each round of all rules where not ``each``."""
        empty = rulebook_for(self.encoded.ops, RuleSet([], self.off), bool(self.encoded.loops))
        with empty.template.session() as session:
            growth = self._grown(empty, session)
            run = _Run(self, session, growth)
            run.learn()
            yield run.moment(None, 0)
            if run.tidy() and each:
                yield run.moment(None, 0)
            yield from self._rounds(run, each)

    def _grown(self, empty: Rulebook, session: Session) -> Growth:
        """The rules that can fire, in the session."""
        session.add([f"(ruleset {r.ruleset})" for r in self.rules])
        book = Rulebook(
            RuleSet(self.rules, self.off),
            empty.ops,
            [],
            empty.declared,
            empty.lines,
            empty.template,
            empty.loops,
        )
        growth = Growth(book, session)
        growth.present = set()
        growth.reach(self.encoded.ops.union(*(r.needs for r in self.rules)))
        return growth

    def _rounds(self, run: _Run, each: bool) -> Iterator[Moment]:
        for number in range(1, self.budget.iterations + 1):
            changed = False
            for rule in self.rules:
                if rule.name not in run.growth.chosen or not run.step(rule):
                    continue
                changed = True
                if each:
                    run.tidy()
                    yield run.moment(rule.name, number)
                if run.spent():
                    break
            if changed and not each:
                run.tidy()
                yield run.moment(None, number)
            if not changed or self.stopped:
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
        run_phase(self.session, "facts", ["facts"], [], self.traced.budget)

    def phase(self, rulesets: Sequence[str], iterations: int) -> bool:
        """Run rulesets; True where anything changed."""
        b = self.traced.budget
        limit = Budget(b.nodes, b.matches, b.seconds, iterations)
        before = self.session.size()
        done = run_phase(self.session, "one", ["facts"], rulesets, limit, answer=self.answer)
        if done.stopped in ("nodes", "seconds"):
            self.traced.stopped = done.stopped
        return done.stopped != "saturated" or done.iterations > 1 or done.rows != before

    def step(self, rule: Rule) -> bool:
        """One iteration of one rule."""
        return self.phase([rule.ruleset], 1)

    def tidy(self) -> bool:
        """Operands in any order, numbers folded, new ops known: until nothing changes."""
        changed = False
        for _ in range(MOST_ROUNDS):
            changed |= self.phase(["shrink"], 30)
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
