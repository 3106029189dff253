"""The rules that a rewriting needs, and the graphs between the one as written and the chosen one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import pairwise

from eqsat.base.configuration import config
from eqsat.base.smallest import smallest
from eqsat.base.values import dataclass
from eqsat.egraph.encode import Encoded
from eqsat.egraph.scheduler import Budget
from eqsat.egraph.traced import Moment, Traced
from eqsat.extract.algebra import Extracted, Posed
from eqsat.inspect.explanation.deadline import Deadline
from eqsat.inspect.explanation.skeleton import Skeleton, holds, locate, prices, skeleton_of
from eqsat.pipeline.program import MOST_MATCHES, Program
from eqsat.rules.rule import Rule

ROUNDS = 40
EXTRACTION = 0.3  # seconds for each graph between
EACH = 0.02  # and no more of the time that is left
AGAIN = 0.5  # of the time, for rewriting the graph once more
SEARCH = 0.5  # of the time that is left once the rules are known to lead to the graph, for leaving rules out


@dataclass
class Stage:
    """A graph on the way: the rule that led to it, its skeleton, what was made of it, and the e-graph it lies in."""

    rule: str | None
    skeleton: Skeleton
    extracted: Extracted
    posed: Posed
    classes: list[int | None] = field(
        default_factory=list
    )  # of the bones of the graph before, in this e-graph


@dataclass
class Found:
    """The rules that are needed, the stages from the graph as written on, and what could not be done."""

    rules: list[Rule]
    stages: list[Stage]
    smallest: bool
    limits: list[str]


class Search:
    """Finds what leads from the graph as written to the chosen one, until a time."""

    def __init__(
        self, program: Program, fired: Sequence[str], seconds: float, deadline: Deadline, took: float = 0.0
    ) -> None:
        """``took`` are the seconds of the rewriting, which is done once more to find the chosen graph in its e-graph."""
        self.program = program
        names = set(fired)
        self.fired = [r for r in program.settings.rules if r.name in names]
        self.seconds, self.deadline, self.took = seconds, deadline, took
        self.budget = Budget(config.egraph_nodes, MOST_MATCHES, seconds, ROUNDS)
        self.now = self.deadline  # of the part that runs
        self.tries = 0

    def traced(self, encoded: Encoded, rules: Sequence[Rule]) -> Traced:
        """Some rules, to be run one by one while there is time."""
        off, pricing = self.program.settings.rules.off, self.program.pricing
        seconds = min(self.seconds, self.now.left)
        return Traced(encoded, rules, replace(self.budget, seconds=seconds), pricing, off)

    @cached_property
    def target(self) -> Skeleton:
        """The graph that the rules are to lead to."""
        return self._target()

    def _target(self) -> Skeleton:
        """The chosen graph."""
        found = self.program.rewritten(self.program.encoded())
        return skeleton_of(found.posed, found.extracted)

    def suffices(self, rules: Sequence[Rule]) -> bool:
        """True where some rules show that the chosen graph is equal to the one as written."""
        self.tries += 1
        encoded = self.program.encoded()
        return self.now.left > 0 and self._until(encoded, self.traced(encoded, rules), each=False)[1]

    def run(self) -> Found:
        """The fewest rules, and the stages that they lead through."""
        if self.took > AGAIN * self.deadline.left:
            return Found(self.fired, [], False, [self._too_large()])
        if not self.suffices(self.fired):
            return Found(self.fired, [], False, [self._unreached()])
        self.now = self.deadline.share(SEARCH)
        kept, least = smallest(self.fired, self.suffices, lambda: self.now.passed)
        self.now = self.deadline
        limits = [] if least else [f"within {self.seconds:g} s not every rule was tried to be left out"]
        stages = self._stages(kept)
        if stages is None:
            limits.append(
                f"within {self.seconds:g} s the graphs between were not found; seconds= gives it more"
            )
        return Found(kept, stages or [], least, limits)

    def _too_large(self) -> str:
        return (
            f"{self.seconds:g} s are not enough: the graph is rewritten once more first, which took {self.took:.1f} s; "
            f"seconds={max(self.seconds, self.took) * 5:.0f} may be enough"
        )

    def _unreached(self) -> str:
        if self.deadline.passed:
            return f"{self.seconds:g} s are not enough to run the rules one by one"
        return "run one by one the rules do not lead to this graph within the limits of the e-graph"

    def _stages(self, rules: Sequence[Rule]) -> list[Stage] | None:
        """From the e-graph in which the chosen graph appears backwards: in each the graph that is nearest to the next.

        None where time is up before.
        """
        encoded = self.program.encoded()
        moments = self._until(encoded, self.traced(encoded, rules))[0]
        if self.deadline.passed:
            return None
        start = self._nearest(encoded, moments[0], self.target, self.target)
        target = self.target
        stages = [self._nearest(encoded, moments[-1], target, start.skeleton)]
        for earlier, later in zip(moments[-2::-1], moments[:0:-1], strict=True):
            if self.deadline.passed:
                return None
            wanted = stages[-1].skeleton
            if holds(wanted, encoded, earlier.saturated) and None not in locate(
                wanted, encoded, earlier.saturated
            ):
                continue
            stages[-1] = self._nearest(encoded, later, wanted, start.skeleton)
            stages.append(self._nearest(encoded, earlier, wanted, start.skeleton, later))
        stages.reverse()
        stages[0].rule = None
        for before, after in pairwise(stages):
            after.classes = locate(before.skeleton, encoded, after.posed.saturated)
        return stages

    def _until(self, encoded: Encoded, traced: Traced, each: bool = True) -> tuple[list[Moment], bool]:
        """The e-graphs up to the first that holds the chosen graph, and whether there is one."""
        moments: list[Moment] = []

        def look(moment: Moment) -> bool:
            moments[len(moments) if each else 0 :] = [moment]
            return holds(self.target, encoded, moment.saturated)

        return moments, traced.run(look, each)

    def _nearest(
        self,
        encoded: Encoded,
        moment: Moment,
        wanted: Skeleton,
        written: Skeleton,
        later: Moment | None = None,
    ) -> Stage:
        """The graph of an e-graph that is nearest to one of a later e-graph, or of the same."""
        posed = self.program.posed(encoded, moment.saturated)
        rule = next((r for r in self.fired if later is not None and r.name == later.rule), None)
        cost = prices(posed, wanted, written, None if later is None else later.saturated, rule)
        extracted = posed.graph(posed.solve(cost, min(EXTRACTION, EACH * self.deadline.left)))
        return Stage(moment.rule, skeleton_of(posed, extracted), extracted, posed)
