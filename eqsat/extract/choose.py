"""Extraction in one call: reduction, first answers, local search, then as seconds allow integer programs, and a bound."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping

from eqsat.base.values import dataclass
from eqsat.extract.bound import lower_bound
from eqsat.extract.greedy import dag_greedy, settle, tree_greedy
from eqsat.extract.improve import Budget, pull_everything, settle_locally, shake
from eqsat.extract.problem import Choice, Problem, check, closed_cost, reached
from eqsat.extract.reduce import Reduced, granularity, reduce
from eqsat.extract.solution import Solution

_REDUCE_SHARE = 0.25  # of the seconds, for the reduction
_LOCAL_SHARE = 0.15  # of the seconds, for local search, where integer programs come after it
_PATIENT = 1.0  # seconds from which on it is worth loading SciPy's solver
_PROVED = 1e-9  # relative; a bound as near to the cost is as good as equal


@dataclass(frozen=True)
class Extraction:
    """A choice and how good it is: none costs less than ``bound``, and it no more than ``written_cost``.

    Units    costs are in the unit of the problem; seconds are those of the clock that was given
    """

    choice: Choice
    cost: float
    bound: float
    written_cost: float | None
    method: str
    seconds: float

    @property
    def proved(self) -> bool:
        """True where the bound shows that no cheaper choice exists."""
        return is_proved(self.cost, self.bound)


def is_proved(cost: float, bound: float) -> bool:
    """True where a bound shows that no choice costs less, up to rounding."""
    return cost - bound <= _PROVED * abs(cost)


def choose(
    problem: Problem,
    written: Mapping[int, int] | None = None,
    seconds: float = 0.2,
    clock: Callable[[], float] = time.thread_time,
) -> Extraction:
    """Best choice found within about ``seconds``, never dearer than ``written``.

    It is the same one each time if the search ends before the seconds do, as it does for small problems. With a
    second or more, integer programs are solved too, by HiGHS through SciPy.

    Errors   ValueError for a root that cannot be built; AssertionError for an invalid ``written``
    """
    start = clock()
    search = Search(problem, seconds, clock)
    if written is not None:
        written = reached(problem, written)
        check(problem, written)
        search.offer("written", written)
    search.offer("tree_greedy", tree_greedy(problem))
    search.reduce(_REDUCE_SHARE * seconds)
    patient = seconds >= _PATIENT
    search.local(written, _LOCAL_SHARE * seconds if patient else seconds, shaken=not patient)
    if patient and not search.finished():
        from eqsat.extract.thorough import solve_thoroughly

        solve_thoroughly(search)
    return Extraction(
        choice=search.best,
        cost=search.cost,
        bound=min(search.bound, search.cost),
        written_cost=None if written is None else closed_cost(problem, written),
        method=search.method,
        seconds=clock() - start,
    )


class Search:
    """The cheapest choice offered so far, what is left of the problem, and a bound on what may yet be found."""

    def __init__(self, problem: Problem, seconds: float, clock: Callable[[], float]) -> None:
        self.problem, self.clock, self.seconds = problem, clock, seconds
        self.deadline = clock() + seconds
        self.bound = -math.inf
        self.best: Choice = {}
        self.cost = math.inf
        self.method = ""
        self.step = granularity(problem.cost)
        self.left: Reduced | None = None

    def offer(self, method: str, choice: Choice) -> None:
        """Keeps the choice if it is the cheapest so far."""
        cost = closed_cost(self.problem, choice)
        if not self.method or cost < self.cost:
            self.best, self.cost, self.method = choice, cost, method

    def raise_bound(self, bound: float) -> None:
        """Notes that every choice that is cheaper than the best one costs at least this."""
        if self.step and math.isfinite(bound):
            bound = math.ceil(bound / self.step - 1e-6) * self.step
        self.bound = max(self.bound, bound)

    def late(self) -> bool:
        """True once the seconds are over."""
        return self.clock() >= self.deadline

    def finished(self) -> bool:
        """True once time is up or the best choice is proved to be optimal."""
        return self.late() or is_proved(self.cost, self.bound)

    def reduce(self, seconds: float) -> None:
        """Leaves out what cannot be in anything cheaper than the best choice."""
        if self.late():
            self.raise_bound(lower_bound(self.problem, 0.0))
            return
        self.left = reduce(self.problem, self.cost, min(seconds, self.deadline - self.clock()), self.clock)
        self.raise_bound(self.left.bound)
        if self.left.problem is None:
            self.raise_bound(self.cost)
        elif self.left.bound == -math.inf:  # no time for the sets
            self.raise_bound(lower_bound(self.problem, 0.0))

    def local(self, written: Choice | None, seconds: float, shaken: bool = True) -> None:
        """Polishes every first answer, pulls on each from the cheapest on, and shakes the best unless told not to."""
        problem = None if self.left is None else self.left.problem
        if self.left is None or problem is None:
            return
        budget = Budget(self.problem, min(seconds, self.deadline - self.clock()), self.clock)
        solutions: dict[str, Solution] = {}
        seen: list[Choice] = []
        for method, choice in self._starts(problem, written):
            self.offer(method, self.left.lift(choice))
            if self.finished():
                return
            if choice not in seen:
                solutions[method] = Solution(problem, choice)
                self._improve(method, solutions[method], settle_locally, budget)
                seen += [choice, solutions[method].choice()]
        for step in (pull_everything, shake)[: 1 + shaken]:
            ranked = sorted(solutions.items(), key=lambda entry: entry[1].total)
            for method, solution in ranked:
                if self.finished() or budget.late():
                    return
                self._improve(method, solution, step, budget)

    def _improve(
        self, method: str, solution: Solution, step: Callable[[Solution, Budget], None], budget: Budget
    ) -> None:
        assert self.left is not None
        step(solution, budget)
        budget.pay(solution)
        self.offer(f"{method}+improve", self.left.lift(solution.choice()))

    def _starts(self, problem: Problem, written: Choice | None) -> Iterator[tuple[str, Choice]]:
        assert self.left is not None
        restricted = None if written is None else self.left.restrict(written)
        if restricted is not None:
            yield "written", restricted
        tree = tree_greedy(problem)
        yield "tree_greedy", tree
        by_sets = dag_greedy(problem)
        if by_sets is not None:
            yield "dag_greedy", by_sets
        yield "flow_greedy", _flow(problem, tree if by_sets is None else by_sets)


def _flow(problem: Problem, choice: Choice) -> Choice:
    share = [0] * problem.n_classes
    for node in choice.values():
        for child in problem.needs[node]:
            share[child] += 1
    return reached(problem, settle(problem, share=share)[0])
