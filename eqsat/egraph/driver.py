"""The one loop in which rules run: stages, what is folded, computed and added between their steps, and who watches them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import TYPE_CHECKING

from eqsat.base.configuration import FLAGS
from eqsat.base.values import dataclass
from eqsat.egraph.adapter import Frozen, Session
from eqsat.egraph.calls import Answers
from eqsat.egraph.chains import UNKNOWN, Brackets, Price
from eqsat.egraph.encode import Encoded
from eqsat.egraph.folding import Folder
from eqsat.egraph.scheduler import Budget, PhaseReport, Watch, WorkClock, run_phase

if TYPE_CHECKING:
    from eqsat.egraph.saturate import Growth

MOST_ITERATIONS = 60  # of a phase; forms that breed one more form each time would go on until time is up
ROWS_PER_ITERATION = 500  # a large graph is deep, and what moves through it takes one step in each
MOST_ROUNDS = 10  # of one stage: each follows on constants that were folded, or on new ops
SMALL_ROWS = 3_000  # a graph that saturates holds no more, and 20 for each row that was loaded; ...
ROWS_BY_SIZE = 50  # ... some find their form with more, before they would saturate
# what a stage may leave, in rows with which it began and rows beside; of 7,851 that saturated in tests none left more than
# 1.25 times and 14,400, with rules on trial 7,400
TIMES, MORE_ROWS, MORE_ON_TRIAL = 1.25, 15_000, 8_000
FULL_ROWS = FLAGS["egraph_nodes"].default  # for which these are meant: a larger value of the flag scales them
LATE_ITERATIONS = 3  # of the rules on what was new when a limit was met
SHRINKING = 30  # iterations of what gives operands an order
OVERSHOT = 2  # times the rows of a stage, beyond which one more step would take longer than all before it
OUTGROWN = ("seconds", "nodes", "watched")
# rulesets as two: what asks few questions of each row, and what searches the whole e-graph each time
APART = {"settle": ("settle_quick", "shrink_last"), "reduce": ("reduce_quick", "reduce_last")}


@dataclass(frozen=True)
class Stage:
    """Rulesets that run in turn until nothing changes, or what gives those that there are by now; the rows that the e-graph
    may then hold; the rulesets that run once more where a limit was met; the one without whose rules the stage is left out; and
    how many times the usual it may add to the rows with which it begins."""

    name: str
    rulesets: Sequence[str] | Callable[[], Sequence[str]]
    rows: int
    late: Sequence[str] = ()
    fresh: str = ""
    scale: float = inf

    def limit(self, start: int, on_trial: bool = False) -> int:
        """The rows that an e-graph may hold after the stage, which holds so many before it."""
        more = MORE_ON_TRIAL if on_trial else MORE_ROWS
        return int(min(self.rows, self.scale * (TIMES * start + more)))


def usual_stages(size: int, rows: int) -> list[Stage]:
    """Shrink, then grow, an e-graph of so many rows, up to ``rows``; less for a small one, which breeds where it grows so large.

    What divides comes last among what shrinks: by then it is known which divisors are zero.
    """
    scale = max(rows, FULL_ROWS) / FULL_ROWS
    rows = min(rows, int((SMALL_ROWS + ROWS_BY_SIZE * size) * scale))
    late = ["stabilise"]  # rules that price out what is unstable must have seen it; others would take long
    return [
        Stage("settle", ["settle"], rows + 3 * size, late, scale=scale),
        Stage("shrink", ["reduce"], rows + 3 * size, late, "divide", scale),
        Stage("grow", ["reduce", "grow"], rows + size, late, "grow", scale),
    ]


class Driver:
    """A session into which a graph has been loaded, and in which rules run.

    ``answer`` is what Python says between two steps: what parts of tensors are, and how products are bracketed.
    """

    def __init__(
        self,
        session: Session,
        growth: Growth,
        encoded: Encoded,
        price: Price | None = None,
        default_length: float = UNKNOWN,
    ) -> None:
        self.session, self.growth, self.encoded = session, growth, encoded
        self.folder = Folder(encoded, growth.declared, growth.wake)
        session.load(encoded.tables)
        growth.wake(name for name, rows in encoded.tables.items() if rows)
        growth.answers = self._parts = Answers(encoded)
        growth.load_literals()
        session.saturate("load")
        if encoded.assumed:
            session.add(encoded.assumed)
            growth.tell(encoded.assumed)
        self._brackets = Brackets(price, default_length)

    def answer(self, session: Session) -> bool:
        """Say what has been asked for, and add the rules that waited for rows; True where that is anything."""
        sizes = session.sizes()
        filled = [name for name, rows in sizes.items() if rows]
        return any(
            [self._parts.give(session, sizes), self._brackets.give(session, sizes), self.growth.wake(filled)]
        )

    def run(
        self,
        stages: Sequence[Stage],
        budget: Budget,
        watch: Watch | None = None,
        clock: Callable[[], float] | None = None,
        on_trial: bool = False,
    ) -> list[PhaseReport]:
        """The stages, each again while constants fold or other ops have come to exist; none after a limit is met.

        ``watch`` sees every step of every ruleset, and may end it all. What is ``on_trial`` is thrown away where a limit is met.
        """
        clock = clock or WorkClock(self.session)
        start, most = clock(), MOST_ITERATIONS + self.session.size() // ROWS_PER_ITERATION
        phases: list[PhaseReport] = []
        looked = -1  # changes of the session when last nothing was found to add
        for stage in stages:
            if stage.fresh and not self.growth.has(stage.fresh):
                continue
            rows = stage.limit(self.session.size(), on_trial)
            for number in range(MOST_ROUNDS):
                left = max(1e-3, budget.seconds - (clock() - start))
                limit = Budget(rows, budget.matches, left, min(budget.iterations, most), stage.rows)
                rulesets = stage.rulesets() if callable(stage.rulesets) else stage.rulesets
                phases.append(self.phase(stage.name, rulesets, limit, watch, clock))
                if phases[-1].stopped != "saturated" or self.session.changes == looked:
                    break
                if not self.extend(number):
                    looked = self.session.changes
                    break
            stopped = phases[-1].stopped
            if on_trial and stopped in OUTGROWN:
                break
            fits = stopped != "saturated" and self.session.size() <= OVERSHOT * rows
            if stage.late and fits and self._look(MOST_ROUNDS):
                limit = Budget(2 * self.session.size(), budget.matches, budget.seconds / 10, LATE_ITERATIONS)
                phases.append(self.phase("late", stage.late, limit, watch, clock))
            if stopped in OUTGROWN:
                break
        return phases

    def phase(
        self,
        name: str,
        rulesets: Sequence[str],
        limit: Budget,
        watch: Watch | None = None,
        clock: Callable[[], float] | None = None,
    ) -> PhaseReport:
        """Rulesets in turn until nothing changes; what breeds until constants fold or another rule makes it one would never end."""
        return run_phase(
            self.session, name, ["facts"], rulesets, limit, clock, self.answer, self.extend, watch, APART
        )

    def extend(self, rounds: int = 0) -> bool:
        """Fold constants, and add the rules for what exists after some rounds; True where there was anything to do."""
        frozen = self._tables()
        return any([self.folder.fold(self.session, frozen), self.growth.look(frozen, rounds)])

    def fold(self) -> bool:
        """Fold constants; True where there was anything to do."""
        return self.folder.fold(self.session, self._tables())

    def _tables(self) -> Frozen:
        return self.session.freeze([*self.growth.tables(), "node"])

    def _look(self, rounds: int) -> bool:
        return self.growth.look(self.session.freeze(self.growth.tables()), rounds)

    def learn(self, limit: Budget) -> None:
        """Bring what is known of the e-graph up to date."""
        run_phase(self.session, "facts", ["facts"], [], limit, answer=self.answer)

    def shrink(self, limit: Budget, clock: Callable[[], float] | None = None) -> PhaseReport:
        """Give operands an order, and bring what is known of the e-graph up to date."""
        limit = Budget(limit.nodes, limit.matches, limit.seconds, SHRINKING)
        return run_phase(self.session, "shrink", ["facts"], ["shrink"], limit, clock, self.answer)
