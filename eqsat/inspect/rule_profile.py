"""The time of saturation by rule: matches, seconds and new e-nodes of each rule on a graph.

Each rule runs by itself, one iteration at a time, as egglog does not say how long one of many rules took.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from eqsat.base.names import meant
from eqsat.base.notebook_tables import notebook_table
from eqsat.base.progress import shows_progress
from eqsat.base.text_tables import table
from eqsat.base.values import dataclass
from eqsat.egraph.adapter import RunStep
from eqsat.egraph.driver import Driver, Stage
from eqsat.egraph.scheduler import Budget
from eqsat.egraph.traced import alone, each_alone
from eqsat.errors import ArgumentError
from eqsat.pipeline.modes import MODES
from eqsat.pipeline.preparation import as_outputs, prepare
from eqsat.pipeline.program import Program
from eqsat.pipeline.settings import Settings
from eqsat.rules.rule import RuleSet

HEAD = ("rule", "tier", "matches", "new e-nodes", "ms")
SHOWN = 30  # rules in a notebook


@dataclass
class RuleTime:
    """The work of one rule: ``enodes`` that it added, before equal ones became one.

    Units    ``seconds`` of the clock, of matching and of adding what was found
    """

    name: str
    tier: str
    matches: int = 0
    seconds: float = 0.0
    enodes: int = 0

    @property
    def row(self) -> tuple[str, ...]:
        """The cells of the rule in a table, under ``HEAD``."""
        return self.name, self.tier, str(self.matches), str(self.enodes), f"{1e3 * self.seconds:.2f}"


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
        rows = [r.row for r in self.rules[:top]]
        lines = [table(HEAD, rows, right=(2, 3, 4))] if rows else []
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

    def __repr__(self) -> str:
        return f"<RuleProfile: {len(self.rules)} rules, {self.enodes} e-nodes, {self.stopped}>"

    def _repr_html_(self) -> str:
        *_, note = self.table(0).splitlines()
        rows = [r.row for r in self.rules[:SHOWN]]
        title = f"Rules by time, {len(rows)} of {len(self.rules)}"
        return notebook_table(title, HEAD, rows, note, right=(2, 3, 4))


@shows_progress("profile rules")
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
    given = as_outputs("profile_rules", outputs)
    settings = Settings.of(
        MODES["FAST_RUN"], "default" if rules is None else rules, None, seconds, variants=1, profile=False
    )
    program = Program(prepare(given), settings)
    with each_alone(program.encoded(), settings.rules, program.pricing) as driver:
        return _Turns(driver, settings.rules, program.budget).run()


class _Turns:
    """Runs the rules of a session in turn and counts the work of each."""

    def __init__(self, driver: Driver, rules: RuleSet, budget: Budget) -> None:
        self.driver, self.budget = driver, budget
        self.times = {alone(r).ruleset: RuleTime(r.name, r.tier) for r in rules}
        self.profile = RuleProfile([])

    def run(self) -> RuleProfile:
        """Rounds of all rules that can fire, until nothing changes or a limit is met."""
        start = time.perf_counter()
        self.driver.learn(self.budget)
        self.driver.shrink(self.budget)
        self.count()
        phases = self.driver.run(
            [Stage("turns", self.loaded, self.budget.nodes + self.count())],
            self.budget,
            self.watch,
            time.perf_counter,
        )
        told, spent = self.profile, time.perf_counter() - start
        loaded = [self.times[ruleset] for ruleset in self.loaded()]
        told.rules = sorted(loaded, key=lambda t: (-t.seconds, t.name))
        told.analyses = spent - sum(t.seconds for t in loaded)
        told.rounds = sum(p.iterations for p in phases)
        told.stopped = "saturated" if phases[-1].stopped == "saturated" else "stopped at its limit"
        return told

    def loaded(self) -> list[str]:
        """The rules that can fire by now."""
        return [ruleset for ruleset, t in self.times.items() if t.name in self.driver.growth.selection.given]

    def watch(self, ruleset: str, done: RunStep, seconds: float) -> bool:
        """Count what a rule did."""
        told, before = self.times[ruleset], self.profile.enodes
        told.seconds += seconds
        told.matches += done.matches.get(told.name, 0)
        if done.updated:
            told.enodes += max(0, self.count() - before)
            self.driver.shrink(self.budget)
            self.count()
        return False

    def count(self) -> int:
        """The number of e-nodes now."""
        sizes = self.driver.session.sizes()
        self.profile.enodes = sum(sizes.get(name, 0) for name in self.driver.growth.tables())
        return self.profile.enodes
