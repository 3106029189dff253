"""report.explain(): from the graph as written to the chosen one, in steps of one rule each, checked by values."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from eqsat.base.names import Suggesting
from eqsat.base.progress import Progress
from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError
from eqsat.inspect.comparison.node_costs import graph_seconds, reckoned
from eqsat.inspect.explanation.deadline import Deadline
from eqsat.inspect.explanation.explanation_text import explanation_text
from eqsat.inspect.explanation.places import Place, places
from eqsat.inspect.explanation.search import Found, Search, Stage
from eqsat.inspect.explanation.values import Points
from eqsat.pipeline.program import Program, Settings
from eqsat.rules.rule import Rule
from eqsat.scan.from_equations import close_scans

__all__ = ["Explanation", "Step", "explain"]

LARGEST = 400  # nodes of a picture of all steps
SEARCH = 0.85  # of the time, for the rules and the graphs between; the rest is for places and values
LATE = "time was up"
TIDYING = "operands in any order, views joined, numbers folded"


@dataclass(frozen=True)
class Step:
    """One rule, applied: where, what the graph is afterwards, what that costs, and whether values stayed the same.

    ``rule`` is None for what needs no rule of a rule set: another order of operands, views that follow each other, ops of numbers.
    ``difference`` is the largest one between the outputs before and after at random inputs, relative to values above 1, or says
    in words why there is none.
    """

    rule: Rule | None
    places: list[Place]
    outputs: list[Any]
    cost: float
    difference: float | str
    lengths: Any = field(default=None, repr=False)  # those with which the cost reckons

    @property
    def name(self) -> str:
        """The name of the rule."""
        return self.rule.name if self.rule is not None else "tidy"

    @property
    def equation(self) -> str:
        """Both sides of the rule, with its condition and its tier."""
        return str(self.rule).removeprefix(f"{self.rule.name}: ") if self.rule is not None else TIDYING


@dataclass(eq=False, repr=False)
class Explanation(Suggesting):
    """The derivation of a graph: ``steps`` from the graph as written, each of one of the ``rules``.

    ``smallest`` says whether each rule was tried to be left out, so that none can be; ``limits`` say in words what could
    not be done. ``fired`` counts the rules that matched while the graph was optimised, of which the outputs are ``optimized``.

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> why = eqsat.optimize(T.log(T.exp(x)) + 0.0).explain()
    >>> [rule.name for rule in why.rules], len(why.steps), why.smallest
    (['add-zero', 'log-exp'], 2, True)
    """

    original: list[Any]
    cost: float
    steps: list[Step]
    rules: list[Rule]
    smallest: bool
    limits: list[str]
    fired: int
    seconds: float
    model: Any = None
    lengths: Any = None  # those with which the cost of the graph as written reckons
    optimized: list[Any] = field(default_factory=list)
    lengths_after: Any = None  # those of the optimised graph

    @property
    def checked(self) -> bool:
        """True where the steps are known, the values of each were compared, and agree to rounding."""
        known = bool(self.steps) or not self.rules
        return known and all(isinstance(s.difference, float) and s.difference < 1e-6 for s in self.steps)

    def show(self, cost: float) -> str:
        """A cost in words."""
        return str(self.model.show(cost))

    def draw(self, file: Any = None) -> str:
        """SVG of the graphs between, one beside the other, what each step adds highlighted; written to ``file``.

        Errors   ArgumentError for more than 400 nodes in all
        """
        from eqsat.inspect.drawing import draw_steps
        from eqsat.inspect.drawing.contents import node_count

        graphs = [self.original, *(s.outputs for s in self.steps)]
        nodes = sum(map(node_count, graphs))
        if nodes > LARGEST:
            raise ArgumentError(
                f"explain: {nodes:,} nodes in {len(graphs)} graphs are too many for one picture",
                needs=f"at most {LARGEST}",
                hint="why.save_html('why.html')",
            )
        titles = ["as written", *(s.name for s in self.steps)]
        captions = [self.show(self.cost), *(f"{s.equation}, {self.show(s.cost)}" for s in self.steps)]
        return draw_steps(graphs, file, titles, captions)

    def html(self) -> str:
        """A page that needs no network: both graphs, and the steps between them."""
        from eqsat.inspect.explanation.explanation_page import explanation_page

        return explanation_page(self)

    def save_html(self, path: Any) -> None:
        """Write the page of :meth:`html` to a path or a text file."""
        from eqsat.base.text_files import write_text

        write_text(self.html(), path)

    def _repr_html_(self) -> str:
        from eqsat.inspect.page.tables import in_notebook

        return in_notebook(self.html())

    def __str__(self) -> str:
        return explanation_text(self)

    def __repr__(self) -> str:
        return f"<Explanation: {len(self.steps)} steps by {len(self.rules)} rules>"


def explain(report: Any, seconds: float = 20.0) -> Explanation:
    """The derivation of a report's optimised graph; see ``Report.explain``.

    Errors   ArgumentError for a graph that was compiled as written
    """
    program = Program.of(report, "explain")
    start, deadline = time.monotonic(), Deadline.after(seconds)
    with Progress("explain", seconds=seconds):
        took = sum(report.seconds.values())
        found = Search(program, list(report.rules), seconds, deadline.share(SEARCH), took).run()
        steps = steps_of(report.original, found, program.settings, deadline)
    hints = dict(program.settings.hints)
    left = sum(s.difference == LATE for s in steps)
    if left:
        found.limits.append(
            f"within {seconds:g} s the values of {left} of {len(steps)} steps were not compared"
        )
    return Explanation(
        original=report.original,
        cost=report.cost_before,
        steps=steps,
        rules=[r for r in found.rules if r.name in {s.name for s in steps}] if steps else found.rules,
        smallest=found.smallest,
        limits=found.limits,
        fired=len(report.rules),
        seconds=time.monotonic() - start,
        model=report.model,
        lengths=reckoned(report.original, report.model, hints, report.known),
        optimized=report.optimized,
        lengths_after=reckoned(report.optimized, report.model, hints, report.known),
    )


def steps_of(
    original: Sequence[Any],
    found: Found,
    settings: Settings,
    deadline: Deadline,
    points: Points | None = None,
) -> list[Step]:
    """The stages as steps, compared at points; the last ones without places and values where time is up."""
    rules = {r.name: r for r in found.rules}
    points = points or (Points(original, deadline) if found.stages else None)
    steps: list[Step] = []
    before, was = found.stages[0] if found.stages else None, list(original)
    for stage in found.stages[1:]:
        assert before is not None and points is not None
        late = deadline.passed
        changed = [] if late else places(before, stage)
        now = _closed(stage)
        if stage.rule is not None or any(p.texts[0] != p.texts[1] for p in changed):
            rule = rules.get(stage.rule or "")
            lengths = reckoned(now, settings.model, dict(settings.hints), stage.extracted.known)
            cost = graph_seconds(now, settings.model, lengths)
            apart = LATE if late else points.difference(was, now)
            steps.append(Step(rule, changed, now, cost, apart, lengths))
            was = now
        before = stage
    return steps


def _closed(stage: Stage) -> list[Any]:
    """The outputs of a stage, its loops as scans."""
    made = stage.extracted
    return made.outputs if not made.loops else close_scans(made.outputs, made.loops)
