"""Graphs rewritten with one rule left out: what each rule is worth on each graph."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from os import PathLike
from typing import Any

from eqsat.base.hooks import hook
from eqsat.base.jobs import Jobs, loaded
from eqsat.base.notebook_tables import notebook_table
from eqsat.base.progress import Progress
from eqsat.base.text_tables import table
from eqsat.base.units import time_text
from eqsat.base.values import dataclass
from eqsat.inspect.report import Report
from eqsat.pipeline.preparation import named_outputs
from eqsat.research.derivation import without
from eqsat.rules.rule import RuleSet, select_rules, standing_named
from eqsat.verify.sources import load_module

__all__ = ["Ablation", "Effect", "ablate"]

RUNS = 1000
HEAD = ("left out", "graph", "matches", "cost", "times", "e-nodes", "more", "seconds", "more s")
FIELDS = (
    *("rule", "graph", "matches", "cost", "cost_with", "enodes", "enodes_with", "seconds", "seconds_with"),
)
NUMBERS = range(2, len(HEAD))


@dataclass(frozen=True)
class Measured:
    """A graph rewritten with some rules: cost of the result, size of the e-graph, time.

    Units    ``cost`` in seconds by the cost model, ``seconds`` of the clock, without the compilation of rules
    """

    cost: float
    enodes: int
    seconds: float

    @classmethod
    def of(cls, report: Report) -> Measured:
        """The figures of a report."""
        spent = sum(s for stage, s in report.seconds.items() if stage != "template")
        return cls(report.cost_after, report.e_nodes, spent)

    def plain(self) -> tuple[float, int, float]:
        """The figures in order, as JSON holds them."""
        return self.cost, self.enodes, self.seconds


@dataclass(frozen=True)
class Effect:
    """A graph without one rule that fires on it, and with all."""

    rule: str
    graph: str
    matches: int
    left_out: Measured
    whole: Measured

    @property
    def times(self) -> float:
        """The cost without the rule over that with it; above 1 where the rule pays."""
        if self.left_out.cost == self.whole.cost:
            return 1.0
        return self.left_out.cost / self.whole.cost if self.whole.cost else float("inf")

    def as_row(self) -> dict[str, Any]:
        """Plain values, under ``FIELDS``."""
        one, all_ = self.left_out, self.whole
        values = (self.rule, self.graph, self.matches, one.cost, all_.cost, one.enodes, all_.enodes)
        return dict(zip(FIELDS, (*values, round(one.seconds, 4), round(all_.seconds, 4)), strict=True))

    def row(self) -> tuple[str, ...]:
        """The cells of a table, under ``HEAD``."""
        one, all_ = self.left_out, self.whole
        return (
            self.rule,
            self.graph,
            str(self.matches),
            time_text(one.cost),
            f"{self.times:.3f}",
            str(one.enodes),
            f"{one.enodes - all_.enodes:+d}",
            f"{one.seconds:.3f}",
            f"{one.seconds - all_.seconds:+.3f}",
        )


@dataclass(eq=False, repr=False)
class Ablation:
    """The answer of ``ablate``: an effect for each rule and each graph on which it fires.

    ``whole`` has the figures of each graph with all rules, ``fired`` the matches of each rule by graph. A rule that is not
    among those of a graph does not match there and cannot change it; it is not measured. ``unmeasured`` counts the runs that the limit did
    not allow.

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> found = eqsat.ablate({"log": T.log(T.exp(x)), "sum": x + x}, leave_out="log-exp")
    >>> [(e.rule, e.graph, e.matches, e.times > 1) for e in found]
    [('log-exp', 'log', 2, True)]
    """

    rules: RuleSet
    whole: dict[str, Measured]
    fired: dict[str, dict[str, int]]
    effects: list[Effect] = field(default_factory=list)
    unmeasured: int = 0

    def __iter__(self) -> Iterator[Effect]:
        return iter(self.effects)

    def __len__(self) -> int:
        return len(self.effects)

    @property
    def useless(self) -> list[str]:
        """The rules without which no graph that was measured costs more."""
        paid = {e.rule for e in self.effects if e.times > 1}
        return sorted({e.rule for e in self.effects} - paid)

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each effect, as tables of other libraries take them."""
        return [e.as_row() for e in self.effects]

    def csv(self) -> str:
        """The same as comma-separated values with a head; the first rows, without a rule, are those of all rules."""
        text = io.StringIO()
        out = csv.DictWriter(text, FIELDS, lineterminator="\n")
        out.writeheader()
        for graph, m in self.whole.items():
            out.writerow(Effect("", graph, sum(self.fired[graph].values()), m, m).as_row())
        out.writerows(self.rows())
        return text.getvalue()

    def summary(self) -> str:
        """The numbers of graphs, rules and runs, in words."""
        rules = {e.rule for e in self.effects}
        lines = [
            f"{len(self.whole)} graphs, {len(self.rules):,} rules, of which {len(set().union(*self.fired.values()))} fire: "
            f"{len(self.effects)} runs with one of {len(rules)} left out; the others match nothing and change nothing",
            f"{len(rules) - len(self.useless)} of these make some graph cheaper",
        ]
        if self.unmeasured:
            lines.append(
                f"{self.unmeasured} more runs are not among the limit of runs, and were not measured"
            )
        return "\n".join(lines)

    def __str__(self) -> str:
        rows = [e.row() for e in self.effects]
        return "\n".join([*([table(HEAD, rows, right=NUMBERS)] if rows else []), self.summary()])

    def __repr__(self) -> str:
        return f"<Ablation: {len(self.effects)} runs on {len(self.whole)} graphs>"

    def _repr_html_(self) -> str:
        rows = [e.row() for e in self.effects]
        return notebook_table("One rule left out", HEAD, rows, self.summary(), right=NUMBERS)

    def html(self, title: str = "One rule left out") -> str:
        """A page: rules by graphs as tables of cost, e-nodes and seconds, and every effect."""
        from eqsat.research.ablation_page import ablation_page

        return ablation_page(self, title)

    def save_html(self, path: Any, title: str = "One rule left out") -> None:
        """Write the page to a file."""
        from eqsat.base.text_files import write_text

        write_text(self.html(title), path)


def ablate(
    graphs: Any,
    rules: Any = None,
    leave_out: Any = None,
    seconds: float | None = None,
    runs: int = RUNS,
    executor: Any = None,
    resume: str | PathLike[str] | None = None,
    modules: Iterable[str] = (),
) -> Ablation:
    """Rewrite graphs with one rule left out at a time, for each rule that fires on them.

    ``graphs`` maps names to outputs, or is an output or a list of these. ``rules`` and ``seconds`` are those of ``optimize``;
    ``leave_out`` chooses among the rules those that are left out, all where it is None. Where a rule matches nothing, leaving it out
    changes nothing, and no run is spent on it. At most ``runs`` runs are made, those first of the rules that fire on most graphs.
    Seconds are of one run each, on a clock; costs and e-nodes are the same every time unless a limit is met.
    ``executor``, ``resume`` and ``modules`` are those of ``eqsat.verify.sweep``.

    Units    seconds, by the cost model or by the clock
    Errors   ArgumentError for graphs without a name or for what is no graph; RuleError for a name that no rule has

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> found = eqsat.ablate(T.log(T.exp(x)), rules="stabilises")
    >>> [(e.rule, e.whole.enodes, e.left_out.enodes) for e in found]
    [('log-exp', 3, 3)]
    """
    runs_of = Runs(named_outputs("ablate", graphs), select_rules(rules), seconds)
    where = Where(executor, resume, tuple(modules))
    found = with_all_rules(runs_of, where)
    for _ in left_out(found, runs_of, leave_out, runs, where):
        pass
    return found


@dataclass
class Runs:
    """Runs on some graphs with some rules; the first one on a graph, which compiles and loads things, is not measured."""

    graphs: dict[str, list[Any]]
    rules: RuleSet
    seconds: float | None
    warm: set[str] = field(default_factory=set)

    def whole(self, graph: str) -> tuple[Measured, dict[str, int]]:
        """The figures of a graph with all rules, and the matches of each rule that fires."""
        self._warmed(graph)
        report = self._report(graph, self.rules)
        return Measured.of(report), dict(report.rules)

    def without(self, pair: tuple[str, str]) -> Measured:
        """The figures of a graph without a rule; the pair names the rule and the graph."""
        rule, graph = pair
        self._warmed(graph)
        return Measured.of(self._report(graph, without(self.rules, rule)))

    def _warmed(self, graph: str) -> None:
        if graph not in self.warm:
            self._report(graph, self.rules)
            self.warm.add(graph)

    def _report(self, graph: str, rules: RuleSet) -> Report:
        report: Report = hook("optimize")(self.graphs[graph], rules, seconds=self.seconds)
        return report

    def told(self) -> dict[str, Any]:
        """The values that decide the figures, the same in every process."""
        graphs = {name: hook("token")(outputs) for name, outputs in self.graphs.items()}
        rules = hashlib.sha256(self.rules.key().encode()).hexdigest()
        return {"graphs": graphs, "rules": rules, "seconds": self.seconds}


@dataclass(frozen=True)
class Where:
    """The executor of runs, the file of those that are finished, and the modules that workers load."""

    executor: Any = None
    resume: str | PathLike[str] | None = None
    modules: tuple[str, ...] = ()

    def jobs(self, runs: Runs, work: Callable[[Any], Any], **more: Any) -> Jobs:
        """Runs as jobs."""
        about = {} if self.resume is None else {"ablate": runs.told()}
        return Jobs(work, prepare=loaded(load_module, self.modules), about=about, **more)


def with_all_rules(runs: Runs, where: Where) -> Ablation:
    """The figures of each graph with all rules, and which of them fire."""
    found = Ablation(runs.rules, {}, {})
    jobs = where.jobs(
        runs,
        runs.whole,
        name=lambda graph: f"graph {graph}",
        key=lambda graph: f"graph {graph}",
        row=lambda answer: [*answer[0].plain(), answer[1]],
        answer=lambda graph, row: (Measured(*row[:3]), row[3]),
    )
    with Progress("ablate: all rules", len(runs.graphs)) as progress:
        answers = {}
        for graph, answer in jobs.run(runs.graphs, where.executor, where.resume):
            answers[graph] = answer
            progress.step(graph)
    for graph in runs.graphs:
        found.whole[graph], found.fired[graph] = answers[graph]
    return found


def left_out(found: Ablation, runs: Runs, leave_out: Any, most: int, where: Where) -> Iterator[Effect]:
    """Each effect, once it is measured and is among those found; at the end those are in the order of rules."""
    pairs = by_use(found.fired, None if leave_out is None else names_of(leave_out))
    found.unmeasured = max(0, len(pairs) - most)
    jobs = where.jobs(
        runs,
        runs.without,
        name=lambda pair: f"{pair[1]} without {pair[0]}",
        key=lambda pair: f"{pair[1]} without {pair[0]}",
        row=Measured.plain,
        answer=lambda pair, row: Measured(*row),
    )
    with Progress("ablate", len(pairs[:most])) as progress:
        for (rule, graph), measured in jobs.run(pairs[:most], where.executor, where.resume):
            effect = Effect(rule, graph, found.fired[graph][rule], measured, found.whole[graph])
            found.effects.append(effect)
            yield effect
            progress.step(rule)
    place = {pair: k for k, pair in enumerate(pairs)}
    found.effects.sort(key=lambda e: place[e.rule, e.graph])


def by_use(fired: Mapping[str, Mapping[str, int]], wanted: set[str] | None) -> list[tuple[str, str]]:
    """Rules with the graphs on which they fire: those first that fire on most, all graphs of a rule together."""
    graphs: dict[str, list[str]] = {}
    for graph, rules in fired.items():
        for rule in rules:
            if wanted is None or rule in wanted:
                graphs.setdefault(rule, []).append(graph)
    order = sorted(graphs, key=lambda rule: (-len(graphs[rule]), rule))
    return [(rule, graph) for rule in order for graph in graphs[rule]]


def names_of(choice: Any) -> set[str]:
    """The names of the rules of a choice, those that ops bring by their declarations among them."""
    words = [word.strip() for word in choice.split(",")] if isinstance(choice, str) else []
    declared = {word for word in words if standing_named(word) is not None}
    return declared | {r.name for r in select_rules(choice)}
