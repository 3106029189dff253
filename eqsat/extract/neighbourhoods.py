"""Large neighbourhood search: all but a few classes keep their e-nodes, the integer program chooses for the few."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from eqsat.extract.milp import solve
from eqsat.extract.problem import Choice, Problem, closed_cost
from eqsat.extract.reduce import Reduced, part, reduce
from eqsat.extract.solution import Solution

_FEWEST, _MOST = 40.0, 2000.0  # e-nodes of a neighbourhood
_STEP_SECONDS = 1.0  # for one integer program
_BLUR = 1e-4  # relative; different each time, so that ties fall differently


class Neighbourhoods:
    """The search from one choice on; ``step`` makes one try, and ``cost`` never rises.

    The dice are seeded: as long as no integer program runs out of time the steps are the same each time.
    """

    def __init__(self, problem: Problem, choice: Choice, clock: Callable[[], float], seed: int = 0) -> None:
        self.problem, self.clock = problem, clock
        self.dice = Random(seed)
        self.size = 200.0
        self.beside = _beside(problem)
        self.adopt(choice)

    def adopt(self, choice: Choice) -> None:
        """Goes on from another choice."""
        self.choice = choice
        self.cost = closed_cost(self.problem, choice)
        self.preferred: Sequence[int] = Solution(self.problem, choice).chosen
        self.seeds = [cls for cls in choice if len(self.problem.options[cls]) > 1]

    def step(self, seconds: float) -> bool:
        """Tries one neighbourhood; whether the choice now costs less."""
        start = self.clock()
        allowed = min(seconds, _STEP_SECONDS)
        found, done = self._solve(self._free(), allowed)
        took = self.clock() - start
        if not done:
            self.size = max(_FEWEST, self.size * 0.8)
        elif took < 0.3 * _STEP_SECONDS:
            self.size = min(_MOST, self.size * 1.03)
        if found is None:
            return False
        cost, before = closed_cost(self.problem, found), self.cost
        slack = 1e-9 * abs(before)
        if cost <= before + slack:
            self.adopt(found)
            return cost < before - slack
        return False

    def _free(self) -> set[int]:
        """Classes around a random one, until their e-nodes are many enough."""
        dice, options = self.dice, self.problem.options
        size = self.size * dice.uniform(0.5, 1.5)
        start = dice.choice(self.seeds)
        found, edge, count = {start}, [start], 0
        while edge and count < size:
            at = dice.randrange(len(edge)) if dice.random() < 0.3 else 0
            cls = edge.pop(at)
            count += len(options[cls]) if len(options[cls]) > 1 else 0
            fresh = [other for other in self.beside[cls] if other not in found]
            dice.shuffle(fresh)
            found.update(fresh)
            edge += fresh
        return found.difference(edge)

    def _solve(self, free: set[int], seconds: float) -> tuple[Choice | None, bool]:
        """The best choice with the free classes free, if better with blurred costs; whether that is certain."""
        problem, dice = self.problem, self.dice
        options = [
            nodes if cls in free or not nodes else [self.preferred[cls]]
            for cls, nodes in enumerate(problem.options)
        ]
        outer = part(problem, options)
        assert outer.problem is not None
        blurred = [cost * (1 + _BLUR * dice.random()) for cost in outer.problem.cost]
        small = replace(outer.problem, cost=blurred)
        new_node = {old: new for new, old in enumerate(outer.node)}
        limit = math.fsum(blurred[new_node[node]] for node in self.choice.values())
        inner = reduce(small, limit, rounds=4)
        if inner.problem is None:
            return None, True
        solved = solve(inner.problem, seconds, rounds=12)
        if solved.choice is None:
            return None, solved.done
        return _lift(outer, inner, solved.choice), solved.done


def _lift(outer: Reduced, inner: Reduced, choice: Choice) -> Choice:
    return outer.lift(inner.lift(choice))


def _beside(problem: Problem) -> list[list[int]]:
    """For every class those that its options need, and those that have an option that needs it."""
    found: list[dict[int, None]] = [{} for _ in range(problem.n_classes)]
    for cls, nodes in enumerate(problem.options):
        for node in nodes:
            for child in problem.needs[node]:
                found[cls][child] = None
                found[child][cls] = None
    return [list(classes) for classes in found]
