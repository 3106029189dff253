"""Where the time of saturation goes: matches, seconds and new e-nodes of each rule on a graph.

Each rule runs by itself, one iteration at a time, as egglog does not say how long one of many rules took.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from eqsat.base.configuration import config
from eqsat.base.names import meant
from eqsat.base.text_tables import table
from eqsat.egraph.adapter import Session
from eqsat.egraph.encode import Encoded, encode
from eqsat.egraph.place import session_of
from eqsat.egraph.saturate import Folder, Growth, load, rulebook_for
from eqsat.egraph.scheduler import Budget, run_phase
from eqsat.egraph.traced import alone
from eqsat.errors import ArgumentError
from eqsat.extract.chains import product_price
from eqsat.extract.stored import current_model
from eqsat.pipeline.preparation import as_outputs, prepare
from eqsat.pipeline.program import MOST_MATCHES
from eqsat.rules.rule import Rule, RuleSet, select_rules
from eqsat.scan.opened import open_scans

ROUNDS = 60


@dataclass
class RuleTime:
    """What one rule did: ``enodes`` that it added, before equal ones became one.

    Units    ``seconds`` of the clock, of matching and of adding what was found
    """

    name: str
    tier: str
    matches: int = 0
    seconds: float = 0.0
    enodes: int = 0


@dataclass
class RuleProfile:
    """Rules by time, the slowest first; see ``profile_rules``. ``analyses`` is the time of what is known of classes.

    Units    seconds of the clock
    """

    rules: list[RuleTime]
    analyses: float = 0.0
    enodes: int = 0
    rounds: int = 0
    stopped: str = "saturated"

    def __iter__(self) -> Iterator[RuleTime]:
        return iter(self.rules)

    def __getitem__(self, name: str) -> RuleTime:
        for r in self.rules:
            if r.name == name:
                return r
        near = meant(name, [r.name for r in self.rules])
        raise ArgumentError(f"no rule named {name!r} could match this graph", hint=near or "print(profile)")

    def table(self, top: int | None = None) -> str:
        """The slowest rules as a table, and the sums of all."""
        rows = [
            (r.name, r.tier, str(r.matches), str(r.enodes), f"{1e3 * r.seconds:.2f}")
            for r in self.rules[:top]
        ]
        lines = (
            [table(("rule", "tier", "matches", "new e-nodes", "ms"), rows, right=(2, 3, 4))] if rows else []
        )
        if len(rows) < len(self.rules):
            rest = 1e3 * sum(r.seconds for r in self.rules[top:])
            lines.append(f"... and {len(self.rules) - len(rows)} more rules with {rest:.2f} ms")
        inside = 1e3 * sum(r.seconds for r in self.rules)
        lines.append(
            f"{len(self.rules)} rules took {inside:.1f} ms, the analyses {1e3 * self.analyses:.1f} ms; "
            f"{self.enodes} e-nodes after {self.rounds} rounds, {self.stopped}"
        )
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.table()


def profile_rules(outputs: Any, rules: Any = None, seconds: float | None = None) -> RuleProfile:
    """Matches, seconds and new e-nodes of each rule that runs on a graph, the slowest first.

    ``outputs``, ``rules`` and ``seconds`` are those of ``optimize``. Rules that never match are listed too: looking for
    them takes time. Every rule runs by itself in turn, so that a rule may find here what it would find a round later.

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> found = eqsat.profile_rules(T.log(T.exp(x)))
    >>> found["log-exp"].matches, found["log-exp"].tier
    (2, 'stabilises')
    """
    chosen = select_rules(rules)
    given = as_outputs("profile_rules", outputs)
    opened = open_scans(prepare(given), ())
    encoded = encode(opened.outputs, opened.table, any(r.shares for r in chosen))
    model, limit = current_model(), config.egraph_seconds if seconds is None else seconds
    budget = Budget(config.egraph_nodes, MOST_MATCHES, limit)
    pricing = (product_price(model), model.lengths((None,))[0])
    single = RuleSet(map(alone, chosen), chosen.off)
    empty = rulebook_for(encoded.ops, RuleSet([], chosen.off), bool(encoded.loops))
    with session_of(empty.template) as session:
        session.add([f"(ruleset {r.ruleset})" for r in single])
        growth = Growth(replace(empty, rules=single, ops=frozenset(), chosen=[]), session)
        growth.reach(encoded.ops | encoded.pairs)
        answer = load(session, growth, encoded, *pricing)
        return Turns(session, growth, encoded, budget, answer).run(single)


@dataclass
class Turns:
    """A session in which rules run in turn and are timed."""

    session: Session
    growth: Growth
    encoded: Encoded
    budget: Budget
    answer: Callable[[Session], bool]
    found: RuleProfile = field(default_factory=lambda: RuleProfile([]))

    def run(self, rules: RuleSet) -> RuleProfile:
        """Rounds of the rules that can fire, until nothing changes or a limit is met."""
        times: dict[str, RuleTime] = {}
        folder = Folder(self.encoded, self.growth.declared)
        self.settle()
        end, limit = time.perf_counter() + self.budget.seconds, self.budget.nodes + self.count()
        while self.found.rounds < ROUNDS:
            self.found.rounds += 1
            changed = False
            for rule in [r for r in rules if r.name in self.growth.chosen]:
                changed |= self.turn(rule, times.setdefault(rule.name, RuleTime(rule.name, rule.tier)))
                if time.perf_counter() > end or self.found.enodes > limit:
                    return self.done(times, "stopped at its limit")
            frozen = self.session.freeze([*self.growth.tables(), "node"])
            if not any([changed, folder.fold(self.session, frozen), self.growth.look(frozen, every=False)]):
                return self.done(times, "saturated")
            self.settle()
        return self.done(times, "stopped at its limit of rounds")

    def turn(self, rule: Rule, times: RuleTime) -> bool:
        """One iteration of one rule; True where it changed anything."""
        before, start = self.found.enodes, time.perf_counter()
        done = self.session.run(rule.ruleset)
        times.seconds += time.perf_counter() - start
        times.matches += done.matches.get(rule.name, 0)
        if done.updated:
            times.enodes += max(0, self.count() - before)
            self.settle()
        return done.updated

    def settle(self) -> None:
        """Bring the analyses, and operands in any order, up to date."""
        start = time.perf_counter()
        limit = Budget(self.budget.nodes * 2, self.budget.matches, self.budget.seconds, 30)
        run_phase(self.session, "facts", ["facts"], ["shrink"], limit, answer=self.answer)
        self.found.analyses += time.perf_counter() - start
        self.count()

    def count(self) -> int:
        """The number of e-nodes now."""
        sizes = self.session.sizes()
        self.found.enodes = sum(sizes.get(name, 0) for name in self.growth.tables())
        return self.found.enodes

    def done(self, times: dict[str, RuleTime], stopped: str) -> RuleProfile:
        """The profile, in order of time."""
        self.found.rules = sorted(times.values(), key=lambda t: (-t.seconds, t.name))
        self.found.stopped = stopped
        return self.found
