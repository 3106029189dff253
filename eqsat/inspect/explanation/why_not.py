"""Reasons why a rule did not fire in a report: it was not asked for, its left side does not occur, or a condition is not known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from typing import Any

from eqsat.base.values import dataclass
from eqsat.egraph.adapter import Session
from eqsat.egraph.compile_rule import RuleText
from eqsat.egraph.probe import PROBE, probes
from eqsat.egraph.saturate import Growth, names_of, pairs_of
from eqsat.pipeline.program import Program
from eqsat.rules.condition import Condition
from eqsat.rules.rule import Need, Rule, all_rules

ROUNDS = 8  # of the analyses, so that what the rule asks Python for is answered


def why_not(report: Any, name: Any) -> str:
    """A sentence on a rule by its name, or on a rule; see ``Report.why_not``.

    Errors   ArgumentError for a graph that was compiled as written; RuleError for a name that no rule has
    """
    program = Program.of(report, "why_not")
    rules = program.settings.rules
    known = rules if name in [r.name for r in rules] else all_rules()
    rule = name if isinstance(name, Rule) else known[name]
    times = report.rules.get(rule.name, 0)
    if times:
        return f"{rule.name} matched {_times(times)}"
    if rule.name not in {r.name for r in [*rules, *rules.standing]}:
        return f"{rule.name} is not among the rules of the report: its tier is {rule.tier}{_tags(rule)}"
    if rule.multiset:
        return (
            f"{rule.name} does not match by itself: it lets long sums and products be compared as multisets"
        )
    probe = _Probe(rule)
    program.saturated(program.encoded(), probe.look)
    return f"{rule.name} did not match: {probe.reason()}"


def _times(count: int) -> str:
    return f"{count:,} time{'s' * (count != 1)}"


def _tags(rule: Rule) -> str:
    return f", its tags are {', '.join(sorted(rule.tags))}" if rule.tags else ""


@dataclass
class _Probe:
    """Counts the matches of parts of a rule in an e-graph that is saturated."""

    rule: Rule
    missing: frozenset[Need] = frozenset()
    # of the left side, of all but the condition, and of each fact of it
    counts: list[int] = field(default_factory=list)

    @property
    def facts(self) -> tuple[Any, ...]:
        return () if self.rule.when is None else self.rule.when.facts

    def look(self, session: Session, growth: Growth, answer: Callable[[Session], bool]) -> None:
        """Count in a session."""
        self.missing = self.rule.needs - growth.existing(session.freeze(growth.tables()))
        if self.missing:
            return
        ops = names_of(self.rule.needs) | self.rule.makes
        growth.reach(ops | pairs_of(ops))
        texts, of = {"probe 0": RuleText(self.rule)}, {"probe 0": 0}
        texts["probe 0"].match_root(self.rule.left)
        asked: list[list[Any]] = [[None], *(Condition((fact,)).choices() for fact in self.facts)]
        for k, choices in enumerate(asked, 1):
            for when in choices:  # of which one must be known
                name = f"probe {len(texts)}"
                texts[name] = RuleText(replace(self.rule, when=when, name=name))
                texts[name].text()
                of[name] = k
        growth.supply(probes(texts))
        for _ in range(ROUNDS):
            session.run("facts", 16)
            if not answer(session):
                break
        matches = session.run(PROBE).matches
        self.counts = [0] * (len(asked) + 1)
        for name, k in of.items():
            self.counts[k] += matches.get(name, 0)

    def reason(self) -> str:
        """The reason that the counts give."""
        if self.missing:
            return f"its left side does not occur: there is no {' and no '.join(_needed(self.missing))}"
        whole, free, *each = self.counts
        if not whole:
            return "the ops of its left side occur, but not put together in this way, or only in what another rule has replaced"
        occurs = f"its left side occurs {_times(whole)}"
        if not free and self.rule.calls:
            return f"{occurs}, but the value is a known number already, or there is no pattern for what it makes of these"
        if not free:
            return (
                f"{occurs}, but the value is a known number already, a dtype is another, or both sides are not "
                "known to have length 1 along the same axes"
            )
        unknown = [str(Condition((fact,))) for fact, count in zip(self.facts, each, strict=True) if not count]
        if unknown:
            return f"{occurs}, but {' and '.join(unknown)} {'is' if len(unknown) == 1 else 'are'} not known there"
        if self.facts:
            return f"{occurs}, but in no place is all of its condition known: {self.rule.when}"
        return f"{occurs}, but a limit ended the search before it ran, or both sides were one already"


def _needed(missing: frozenset[Need]) -> list[str]:
    ops = sorted(n for n in missing if isinstance(n, str))
    return ops or sorted(f"{n[1]} under {n[0]}" for n in missing if not isinstance(n, str))
