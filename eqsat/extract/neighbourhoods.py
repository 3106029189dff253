"""Large neighbourhood search: all but a few classes keep their e-nodes, the integer program chooses for the few."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

from eqsat.extract.milp import solve
from eqsat.extract.problem import Choice, Problem, children_first, closed_cost, reached
from eqsat.extract.reduce import reduce
from eqsat.extract.solution import Solution

_FEWEST, _MOST = 40.0, 2000.0  # e-nodes of a neighbourhood
_STEP_SECONDS = 1.0  # for one integer program
_REFRESH = 30  # accepted steps after which unused classes are chosen for anew
_BLUR = 1e-4  # relative; different each time, so that ties fall differently


class Neighbourhoods:
    """The search from one choice on; ``step`` makes one try, and ``cost`` never rises.

    The dice are seeded: as long as no integer program runs out of time the steps are the same each time.
    """

    def __init__(self, problem: Problem, choice: Choice, clock: Callable[[], float], seed: int = 0) -> None:
        self.problem, self.clock = problem, clock
        self.dice = Random(seed)
        self.size = 200.0
        self.accepted = 0
        self.preferred: list[int] = []
        self.beside = _beside(problem)
        self.adopt(choice)

    def adopt(self, choice: Choice) -> None:
        """Goes on from another choice."""
        self.choice = choice
        self.cost = closed_cost(self.problem, choice)
        self.seeds = [cls for cls in choice if len(self.problem.options[cls]) > 1]
        if self.accepted % _REFRESH == 0:
            self.preferred = Solution(self.problem, choice).chosen
        for cls, node in choice.items():
            self.preferred[cls] = node
        self.accepted += 1

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
        if cost <= before + slack and len(children_first(self.problem, found)) == len(found):
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
        part = self._part(free)
        if part is None:
            return None, True
        small, nodes, limit = part
        inner = reduce(small, limit, rounds=6)
        if inner.problem is None:
            return None, True
        solved = solve(inner.problem, seconds, rounds=1)
        if solved.choice is None:
            return None, solved.done
        preferred = list(self.preferred)
        for node in inner.lift(solved.choice).values():
            preferred[self.problem.node_class[nodes[node]]] = nodes[node]
        return reached(self.problem, preferred), solved.done

    def _part(self, free: set[int]) -> tuple[Problem, list[int], float] | None:
        """The problem of the free classes: their e-nodes with blurred costs, and the cost that is to be beaten.

        Classes that stay whatever the free ones choose cost nothing. Of these, those that need no free class are
        left out: no cycle can go through them.
        """
        problem, preferred = self.problem, self.preferred
        stays = self._stays(free)
        above = self._above(free)
        wanted = [kid for cls in stays for kid in problem.needs[preferred[cls]] if kid in free]
        wanted += [root for root in problem.roots if root in free]
        number: dict[int, int] = {}
        order: list[int] = list(dict.fromkeys(wanted))
        for k, cls in enumerate(order):
            number[cls] = k
        nodes, node_class, children, cost = [], [], [], []
        for k, cls in enumerate(order):  # grows while it is read
            for node in problem.options[cls] if cls in free else [preferred[cls]]:
                if node < 0:
                    continue
                kids = [kid for kid in problem.needs[node] if kid not in stays or kid in above]
                for kid in kids:
                    if kid not in number:
                        number[kid] = len(order)
                        order.append(kid)
                nodes.append(node)
                node_class.append(k)
                children.append(tuple(number[kid] for kid in kids))
                price = 0.0 if cls in stays else problem.cost[node]
                cost.append(price * (1 + _BLUR * self.dice.random()))
        if not nodes:
            return None
        roots = [number[cls] for cls in dict.fromkeys(wanted)] + [
            k for k, cls in enumerate(order) if cls in stays
        ]
        limit = math.fsum(
            price
            for price, node in zip(cost, nodes, strict=True)
            if self.choice.get(problem.node_class[node]) == node
        )
        small = Problem(node_class, children, cost, roots, len(order), problem.negative)
        return small, nodes, limit

    def _stays(self, free: set[int]) -> set[int]:
        """Classes that the roots reach without a free one between."""
        needs, preferred = self.problem.needs, self.preferred
        stays = {root for root in self.problem.roots if root not in free}
        stack = list(stays)
        while stack:
            for kid in needs[preferred[stack.pop()]]:
                if kid not in stays and kid not in free:
                    stays.add(kid)
                    stack.append(kid)
        return stays

    def _above(self, free: set[int]) -> set[int]:
        """Classes that need a free one as things stand."""
        users, node_class, preferred = self.problem.users, self.problem.node_class, self.preferred
        above = set(free)
        stack = list(free)
        while stack:
            for user in users[stack.pop()]:
                cls = node_class[user]
                if preferred[cls] == user and cls not in above:
                    above.add(cls)
                    stack.append(cls)
        return above


def _beside(problem: Problem) -> list[list[int]]:
    """For every class those that its options need, and those that have an option that needs it."""
    found: list[dict[int, None]] = [{} for _ in range(problem.n_classes)]
    for cls, nodes in enumerate(problem.options):
        for node in nodes:
            for child in problem.needs[node]:
                found[cls][child] = None
                found[child][cls] = None
    return [list(classes) for classes in found]
