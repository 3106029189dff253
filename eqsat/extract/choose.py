"""Extraction in one call: first answers, local search on each, the best with a bound on what is left."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from eqsat.extract.bound import lower_bound
from eqsat.extract.greedy import dag_greedy, settle, tree_greedy
from eqsat.extract.improve import Budget, pull_everything, settle_locally, shake
from eqsat.extract.problem import Choice, Problem, check, closed_cost, reached
from eqsat.extract.solution import Solution

_BOUND_SHARE = 0.25  # of the seconds, for the lower bound
_PROVED = 1 + 1e-9  # cost below bound times this is as good as optimal


@dataclass(frozen=True)
class Extraction:
    """A choice and how good it is: none costs less than ``bound``, and it no more than ``written_cost``.

    Units    costs are in the unit of the problem; seconds are those of the processor
    """

    choice: Choice
    cost: float
    bound: float
    written_cost: float | None
    method: str
    seconds: float

    @property
    def proved(self) -> bool:
        """Whether the bound shows that nothing cheaper exists."""
        return self.cost <= self.bound * _PROVED


def choose(
    problem: Problem,
    written: Mapping[int, int] | None = None,
    seconds: float = 0.2,
    clock: Callable[[], float] = time.thread_time,
) -> Extraction:
    """Best choice found within about ``seconds``, never dearer than ``written``.

    It is the same one each time if the search ends before the seconds do, as it does for small problems.

    Errors   ValueError for a root that cannot be built; AssertionError for an invalid ``written``
    """
    start = clock()
    search = _Search(problem, Budget(problem, seconds, clock))
    if written is not None:
        written = reached(problem, written)
        check(problem, written)
        search.offer("written", written)
    tree = tree_greedy(problem)
    search.offer("tree_greedy", tree)
    search.bound = lower_bound(problem, 0.0 if search.budget.late() else _BOUND_SHARE * seconds, clock)
    search.run(written, tree)
    return Extraction(
        choice=search.best,
        cost=search.cost,
        bound=min(search.bound, search.cost),
        written_cost=None if written is None else closed_cost(problem, written),
        method=search.method,
        seconds=clock() - start,
    )


class _Search:
    """The cheapest choice offered so far, and the solutions that may yet become cheaper."""

    def __init__(self, problem: Problem, budget: Budget) -> None:
        self.problem = problem
        self.budget = budget
        self.bound = 0.0
        self.best: Choice = {}
        self.cost = float("inf")
        self.method = ""

    def offer(self, method: str, choice: Choice) -> None:
        """Keeps the choice if it is the cheapest so far."""
        cost = closed_cost(self.problem, choice)
        if not self.method or cost < self.cost:
            self.best, self.cost, self.method = choice, cost, method

    def finished(self) -> bool:
        """Whether time is up or the best choice is proved to be optimal."""
        return self.budget.late() or self.cost <= self.bound * _PROVED

    def run(self, written: Choice | None, tree: Choice) -> None:
        """Polishes every first answer, pulls on each from the cheapest on, and shakes the best."""
        solutions: dict[str, Solution] = {}
        seen: list[Choice] = []
        for method, choice in self._starts(written, tree):
            self.offer(method, choice)
            if self.finished():
                return
            if choice not in seen:
                solutions[method] = Solution(self.problem, choice)
                self._step(method, solutions[method], settle_locally)
                seen += [choice, solutions[method].choice()]
        for step in (pull_everything, shake):
            ranked = sorted(solutions.items(), key=lambda entry: entry[1].total)
            for method, solution in ranked:
                if self.finished():
                    return
                self._step(method, solution, step)

    def _step(self, method: str, solution: Solution, step: Callable[[Solution, Budget], None]) -> None:
        step(solution, self.budget)
        self.budget.pay(solution)
        self.offer(f"{method}+improve", solution.choice())

    def _starts(self, written: Choice | None, tree: Choice) -> Iterator[tuple[str, Choice]]:
        if written is not None:
            yield "written", written
        yield "tree_greedy", tree
        by_sets = dag_greedy(self.problem)
        if by_sets is not None:
            yield "dag_greedy", by_sets
        yield "flow_greedy", self._flow(self.best)

    def _flow(self, choice: Choice) -> Choice:
        share = [0] * self.problem.n_classes
        for node in choice.values():
            for child in self.problem.needs[node]:
                share[child] += 1
        return reached(self.problem, settle(self.problem, share=share)[0])
