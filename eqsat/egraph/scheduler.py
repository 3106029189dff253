"""Saturation within a budget: one iteration of one ruleset at a time, and a look at the limits in between."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from itertools import cycle
from types import MappingProxyType

from eqsat.base.values import dataclass
from eqsat.egraph.adapter import RunStep, Session
from eqsat.rules.rule import HIDDEN

Watch = Callable[
    [str, RunStep, float], bool
]  # the ruleset that has run, what it did, its seconds; True ends it

LONG = 32  # rounds after which rules that search the whole e-graph each time wait for the others
WORTH = 4  # rows for each match of the others that these may search
_BAN = 3  # rounds that a ruleset sits out after too many matches
_BETWEEN = 4  # rounds after which numbers are folded, and rules added for what exists
_STRIDE = 16  # iterations of an analysis before the first look at the clock
_LONGEST = 1024
_WORK = 20_000  # matches between two looks at which the stride aims; they are counted, since a stride by the clock would order e-nodes by it
_ITERATION = 200  # matches that take as long as an iteration without any
_MATCH_SECONDS, _ITERATION_SECONDS = (
    2.5e-6,
    1.5e-3,
)  # of a match and of an iteration of a ruleset, on an idle machine
NO_PARTS: Mapping[str, tuple[str, str]] = MappingProxyType({})
PATIENCE = 5  # seconds of the processor for one of work, after which work that is not counted ends a budget


@dataclass(frozen=True)
class Budget:
    """Limits of a phase: rows of all tables, matches of a ruleset in one iteration, seconds of work, rounds.

    It also ends where two more steps that grow as the last one did would pass four times the rows, or four times ``ahead``
    where that is more.
    """

    nodes: int
    matches: int
    seconds: float
    iterations: int = 200
    ahead: int = 0


@dataclass(frozen=True)
class Iteration:
    """One run of one ruleset: matches by rule, rows of all tables after it, seconds since the phase began."""

    ruleset: str
    matches: dict[str, int]
    rows: int
    seconds: float


@dataclass
class PhaseReport:
    """The outcome of a phase. ``stopped`` is "saturated", "nodes", "seconds", "iterations", or "watched"; ``matches`` is by rule.

    ``history`` has an entry for each time that a ruleset ran, after a first one for the rows at the start. The analyses are complete on return unless ``stopped`` is "seconds".
    """

    name: str
    seconds: float
    iterations: int
    stopped: str
    matches: dict[str, int]
    rows: int
    history: list[Iteration] = field(default_factory=list)


class WorkClock:
    """Seconds of work in a session, by which budgets end.

    Matches and iterations are counted, each as the seconds that it takes on an idle machine, so that the same graph ends
    at the same place on every machine, whatever else that does. What is not counted ends by the processor, after several
    times as many seconds.
    """

    def __init__(self, session: Session) -> None:
        self.session, self.begun, self.worked = session, session.clock(), 0.0

    def count(self, step: RunStep) -> None:
        """Add what a run has done."""
        self.worked += sum(step.matches.values()) * _MATCH_SECONDS + step.iterations * _ITERATION_SECONDS

    def __call__(self) -> float:
        return max(self.worked, (self.session.clock() - self.begun) / PATIENCE)


def by_rule(matches: Mapping[str, int]) -> dict[str, int]:
    """Matches by the rules that users know; what keeps books for a rule counts with it, or not at all.

    >>> by_rule({"log-exp": 2, "exp-log": 0, "%dot-chain/best": 1, "%/term-add": 5})
    {'log-exp': 2, 'dot-chain': 1}
    """
    found: Counter[str] = Counter()
    for name, count in matches.items():
        rule = name.removeprefix(HIDDEN).partition("/")[0] if name.startswith(HIDDEN) else name
        if rule and count:
            found[rule] += count
    return dict(found)


def run_phase(
    session: Session,
    name: str,
    analyses: Sequence[str],
    rulesets: Sequence[str],
    budget: Budget,
    clock: Callable[[], float] | None = None,
    answer: Callable[[Session], bool] | None = None,
    between: Callable[[], bool] | None = None,
    watch: Watch | None = None,
    apart: Mapping[str, tuple[str, str]] = NO_PARTS,
) -> PhaseReport:
    """Run the rulesets in turn until nothing changes or a limit is met, with the analyses saturated before each step.

    A ruleset with more than ``budget.matches`` matches in one iteration sits out three rounds, and its own limit
    doubles. The limit on nodes is looked at between steps, so the last step may overshoot it. Seconds are those of work
    (``WorkClock``) unless another ``clock`` is given. ``answer`` adds what the analyses ask for from outside, until it says
    that there is nothing. ``between`` is called after every fourth round,
    and may add rules and fold constants, which it then says: what breeds until that makes it one would else never end. ``watch`` gets a ruleset, what it did
    and its seconds after each step, when the analyses are complete; the phase ends where it says True.

    ``apart`` tells of rulesets which two they are together. After ``LONG`` rounds these run instead: what moves along a chain
    of operations takes as many rounds as the chain is long, and the second of the two searches the whole e-graph each time.
    As long as those change something they take turns; then they wait until the others change nothing, or have done work that
    is a part of the e-graph.
    """
    phase = _Phase(session, analyses, rulesets, budget, clock, answer, watch, apart)
    stopped = phase.run(between)
    return PhaseReport(
        name, phase.taken(), phase.rounds, stopped, dict(phase.matches), session.size(), phase.history
    )


class _Phase:
    def __init__(
        self,
        session: Session,
        analyses: Sequence[str],
        rulesets: Sequence[str],
        budget: Budget,
        clock: Callable[[], float] | None,
        answer: Callable[[Session], bool] | None,
        watch: Watch | None,
        apart: Mapping[str, tuple[str, str]],
    ) -> None:
        self.session, self.analyses, self.rulesets, self.apart = session, analyses, rulesets, apart
        self.last: list[str] = []  # rulesets that wait
        self.fresh = 0  # work since those ran, as matches
        self.found = True  # whether they changed anything then
        self.answer, self.watch = answer, watch
        self.budget, self.clock = budget, clock or WorkClock(session)
        self.shown = session.clock if isinstance(self.clock, WorkClock) else self.clock  # what reports tell
        self.start, self.began = self.clock(), self.shown()
        self.rounds = 0
        self.rows = 0
        self.matches: Counter[str] = Counter()
        self.history: list[Iteration] = []
        self.limit = dict.fromkeys(rulesets, budget.matches)
        self.back = dict.fromkeys(rulesets, 0)  # the round in which a ruleset may run again

    def elapsed(self) -> float:
        """Seconds of the budget that are gone."""
        return self.clock() - self.start

    def taken(self) -> float:
        """Seconds since the phase began, of the processor or by the clock that was given."""
        return self.shown() - self.began

    def run(self, between: Callable[[], bool] | None) -> str:
        self.settle()
        stopped = self.spent()
        self.note("", {})
        while not stopped and self.rounds < self.budget.iterations:
            stopped = self.round()
            if between is not None and not stopped and self.rounds % _BETWEEN == 0 and between():
                self.settle()  # rules that were added may ask for what nobody has asked for yet
        return stopped or "iterations"

    def round(self) -> str | None:
        """Each ruleset once, unless banned; why to stop, or None to go on."""
        number, self.rounds = self.rounds, self.rounds + 1
        if number == LONG:
            self.part()
        changed = False
        for ruleset in self.rulesets:
            waits = ruleset in self.last
            if waits and changed and not self.due():
                continue
            if self.back[ruleset] <= number:
                start = time.perf_counter()
                done = self.step(ruleset, number)
                seconds = time.perf_counter() - start
                changed |= done.updated
                if waits:
                    self.fresh, self.found = 0, done.updated
                if done.updated:
                    self.settle()
                if self.watch is not None and self.watch(ruleset, done, seconds):
                    return "watched"
                stopped = self.spent()
                self.note(ruleset, done.matches)
                if stopped:
                    return stopped
        banned = any(back > number for back in self.back.values())
        return None if changed or banned else "saturated"

    def part(self) -> None:
        """Run what searches the whole e-graph each time apart from now on, and last."""
        two = {name: self.apart[name] for name in self.rulesets if name in self.apart}
        self.last = [last for _, last in two.values()]
        self.rulesets = [*(two[name][0] if name in two else name for name in self.rulesets), *self.last]
        for name, parts in two.items():
            self.limit.update(dict.fromkeys(parts, self.limit[name]))
            self.back.update(dict.fromkeys(parts, self.back[name]))

    def due(self) -> bool:
        """True where what comes last is worth a search of the whole e-graph."""
        return self.found or WORTH * self.fresh >= self.rows

    def note(self, ruleset: str, matches: dict[str, int]) -> None:
        """Keep what a run did; ``spent`` has counted the rows."""
        self.history.append(Iteration(ruleset, by_rule(matches), self.rows, self.taken()))

    def step(self, ruleset: str, number: int) -> RunStep:
        done = self.ran(self.session.run(ruleset))
        self.matches.update(by_rule(done.matches))
        self.fresh += sum(done.matches.values()) + _ITERATION
        if sum(done.matches.values()) > self.limit[ruleset]:
            self.limit[ruleset] *= 2
            self.back[ruleset] = number + 1 + _BAN
        return done

    def ran(self, done: RunStep) -> RunStep:
        """The outcome of a run, of which the clock is told."""
        if isinstance(self.clock, WorkClock):
            self.clock.count(done)
        return done

    def settle(self) -> None:
        """Run the analyses, and answer what they ask for, until nothing changes or time is up."""
        self.analyse()
        while self.answer is not None and self.elapsed() <= self.budget.seconds and self.answer(self.session):
            self.analyse()

    def analyse(self) -> None:
        """Run the analyses until none of them changes anything, or time is up."""
        quiet, stride = 0, _STRIDE
        for analysis in cycle(self.analyses):
            done = self.ran(self.session.run(analysis, stride))
            ended = done.iterations < stride  # the last of them changed nothing
            quiet = (0 if done.updated else quiet) + (ended or not done.updated)
            if quiet == len(self.analyses) or self.elapsed() > self.budget.seconds:
                return
            work = sum(done.matches.values()) + _ITERATION * done.iterations
            stride = min(_LONGEST, 2 * stride) if work < _WORK else max(1, stride // 4)

    def spent(self) -> str | None:
        """The limit that is reached, or that the next step would pass by far if growth goes on as it did."""
        if self.elapsed() > self.budget.seconds:
            return "seconds"
        before, self.rows = self.rows, self.session.size()
        growth = self.rows / before if before else 1.0
        ahead = 4 * max(self.budget.nodes, self.budget.ahead)
        return "nodes" if self.rows > self.budget.nodes or self.rows * growth**2 > ahead else None
