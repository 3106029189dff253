"""Extraction as an integer program for HiGHS (through SciPy), with cuts that forbid cycles."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eqsat.base.values import dataclass
from eqsat.extract.closure import components, strong_components
from eqsat.extract.problem import Choice, Problem, children_first

_DEAREST = 1e4  # what the dearest e-node costs in the units of the solver
_CLEAR = 1e-4  # by which a row must be violated to be added
_MOST_CUTS = 300  # rows against cycles that are added at a time

Row = tuple[list[int], list[float], float, float]
"""Columns, their factors, and the least and greatest value of the sum."""


@dataclass(frozen=True)
class Solved:
    """An answer of the solver: a choice if any, and a bound on every choice; ``done`` where the two meet."""

    choice: Choice | None
    bound: float
    done: bool


class Program:
    """One column per e-node, which is 1 where it is chosen.

    Each class has at most one e-node, a root one; what is chosen has its children chosen; with rewards, what is
    chosen has a user. ``levels`` adds a number for each class of a component, which rises from child to parent.
    """

    def __init__(self, problem: Problem, levels: bool = False) -> None:
        self.problem = problem
        self.rows: list[Row] = []
        self.columns = len(problem.cost)
        dearest = max((abs(cost) for cost in problem.cost), default=0.0)
        self.scale = _DEAREST / dearest if dearest else 1.0  # the solver takes differences of 1e-6 for none
        self.upper = [0.0] * self.columns
        for nodes in problem.options:
            for node in nodes:
                self.upper[node] = 1.0
        self._choose()
        self._need()
        if problem.negative:
            self._use()
        if levels:
            self._rise()

    def add(self, plus: Iterable[int], minus: Iterable[int], low: float, high: float) -> None:
        """One row: the sum of some columns less that of others lies between two numbers."""
        both = set(plus := list(plus)).intersection(minus := list(minus))
        plus, minus = ([k for k in columns if k not in both] for columns in (plus, minus))
        self.rows.append((plus + minus, [1.0] * len(plus) + [-1.0] * len(minus), low, high))

    def _choose(self) -> None:
        roots = set(self.problem.roots)
        for cls, nodes in enumerate(self.problem.options):
            if cls in roots:
                self.add(nodes, (), 1.0, 1.0)
            elif len(nodes) > 1:
                self.add(nodes, (), 0.0, 1.0)

    def _need(self) -> None:
        problem, roots = self.problem, set(self.problem.roots)
        for nodes in problem.options:
            for child, users in _by_child(problem, nodes).items():
                if child not in roots:
                    self.add(users, problem.options[child], -math.inf, 0.0)

    def _use(self) -> None:
        problem, roots = self.problem, set(self.problem.roots)
        for cls, nodes in enumerate(problem.options):
            if cls not in roots:
                self.add(nodes, problem.users[cls], -math.inf, 0.0)

    def _rise(self) -> None:
        problem = self.problem
        component = components(problem)
        size = [0] * (max(component, default=-1) + 1)
        for number in component:
            if number >= 0:
                size[number] += 1
        level: dict[int, int] = {}
        for cls, number in enumerate(component):
            if number >= 0 and size[number] > 1:
                level[cls] = self.columns
                self.columns += 1
                self.upper.append(size[number] - 1.0)
        for cls, place in level.items():
            for child, users in _by_child(problem, problem.options[cls]).items():
                if child in level and component[child] == component[cls]:
                    most = float(size[component[cls]])  # level(cls) - level(child) >= 1 - most * (1 - chosen)
                    columns = [place, level[child], *users]
                    factors = [1.0, -1.0] + [-most] * len(users)
                    self.rows.append((columns, factors, 1.0 - most, math.inf))

    def solve(self, seconds: float, integer: bool = True) -> Any:
        """SciPy's result; the columns may be fractions unless ``integer``."""
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        starts = np.cumsum([0, *(len(columns) for columns, *_ in self.rows)])
        indices = np.concatenate([np.array(columns, dtype=np.int64) for columns, *_ in self.rows])
        factors = np.concatenate([np.array(row[1]) for row in self.rows])
        matrix = csr_array((factors, indices, starts), shape=(len(self.rows), self.columns))
        low, high = (np.array([row[k] for row in self.rows]) for k in (2, 3))
        cost = np.zeros(self.columns)
        cost[: len(self.problem.cost)] = np.array(self.problem.cost) * self.scale
        whole = np.zeros(self.columns)
        whole[: len(self.problem.cost)] = integer
        found = milp(
            cost,
            integrality=whole,
            bounds=Bounds(0.0, np.array(self.upper)),
            constraints=LinearConstraint(matrix, low, high),
            options={"time_limit": max(seconds, 0.01), "mip_rel_gap": 1e-9},
        )
        for name in ("fun", "mip_dual_bound"):
            value = getattr(found, name, None)
            if value is not None:
                found[name] = value / self.scale
        return found

    def at_most(self, cost: float) -> None:
        """One row: the whole costs no more."""
        prices = [price * self.scale for price in self.problem.cost]
        self.rows.append((list(range(len(prices))), prices, -math.inf, cost * self.scale))

    def chosen(self, values: NDArray[np.float64]) -> Choice:
        """The choice that a solution says, as far as the roots reach."""
        problem = self.problem
        choice: Choice = {}
        stack = list(dict.fromkeys(problem.roots))
        while stack:
            cls = stack.pop()
            if cls not in choice:
                choice[cls] = max(problem.options[cls], key=lambda node: (values[node], -node))
                stack += problem.needs[choice[cls]]
        return choice

    def everything(self, values: NDArray[np.float64]) -> Choice:
        """All that a solution chooses: rewards may lie on cycles that the roots do not reach."""
        chosen = (values[: len(self.problem.cost)] > 0.5).nonzero()[0].tolist()
        return {self.problem.node_class[node]: node for node in chosen}

    def forbid_cycles(self, values: NDArray[np.float64], least: float = 1e-6) -> int:
        """Adds for each class that is chosen without support a row that it violates; the number of rows.

        Without support are the classes that cannot be built of e-nodes above ``least``. Of such a set some
        e-node that needs nothing of the set must be chosen where a class of it is: a disjunctive landmark.
        """
        problem = self.problem
        lost = _unsupported(problem, values, least)
        share = {cls: float(values[problem.options[cls]].sum()) for cls in lost}
        blamed: set[int] = set()
        added = 0
        for group in _groups(problem, lost):
            members = [cls for cls in group if share[cls] > _CLEAR]
            chosen = [node for cls in members for node in problem.options[cls] if values[node] > least]
            blamed.update(members)
            if not members or any(
                kid in blamed and kid not in group for n in chosen for kid in problem.needs[n]
            ):
                continue  # what it needs has its row
            zone = _zone(problem, members[0], lost)
            doors = [n for c in sorted(zone) for n in problem.options[c] if zone.isdisjoint(problem.needs[n])]
            for cls in members:
                if share[cls] > float(values[doors].sum()) + _CLEAR:
                    self.add(problem.options[cls], doors, -math.inf, 0.0)
                    added += 1
            if added >= _MOST_CUTS:
                break
        return added


def _by_child(problem: Problem, nodes: Sequence[int]) -> dict[int, list[int]]:
    """For every class that some of the e-nodes need, which of them do."""
    users: dict[int, list[int]] = {}
    for node in nodes:
        for child in problem.needs[node]:
            users.setdefault(child, []).append(node)
    return users


def _unsupported(problem: Problem, values: NDArray[np.float64], least: float) -> set[int]:
    """Classes with a chosen e-node that cannot be built of chosen e-nodes, and all others that cannot."""
    waiting = [len(needs) for needs in problem.needs]
    built = bytearray(problem.n_classes)
    ready = [n for n, count in enumerate(waiting) if not count and values[n] > least]
    for node in ready:  # grows while it is read
        cls = problem.node_class[node]
        if not built[cls]:
            built[cls] = 1
            for user in problem.users[cls]:
                waiting[user] -= 1
                if not waiting[user] and values[user] > least:
                    ready.append(user)
    return {cls for cls in range(problem.n_classes) if not built[cls]}


def _groups(problem: Problem, lost: set[int]) -> list[set[int]]:
    """The lost classes, those together that come to need each other through lost ones; those needed come first."""
    options = [nodes if cls in lost else [] for cls, nodes in enumerate(problem.options)]
    below = [[kid for node in nodes for kid in problem.needs[node] if kid in lost] for nodes in options]
    groups: dict[int, set[int]] = {}
    for cls, number in enumerate(strong_components(below, sorted(lost))):
        if number >= 0:
            groups.setdefault(number, set()).add(cls)
    return [groups[number] for number in sorted(groups)]


def _zone(problem: Problem, cls: int, lost: set[int]) -> set[int]:
    """The lost classes that the class may come to need through lost ones."""
    zone = {cls}
    stack = [cls]
    while stack:
        for node in problem.options[stack.pop()]:
            for child in problem.needs[node]:
                if child in lost and child not in zone:
                    zone.add(child)
                    stack.append(child)
    return zone


def solve(
    problem: Problem, seconds: float, rounds: int = 8, most: float = math.inf, rows: Sequence[Row] = ()
) -> Solved:
    """The cheapest choice by the integer program; cycles that come up are cut off, then kept out by levels.

    With ``most`` only choices that cost no more are looked for: none may be found, and that is then certain.
    ``rows`` are such as every acyclic choice keeps.

    >>> found = solve(Problem([0, 1, 1], [(), (0,), ()], [1.0, 1.0, 3.0], [1], 2), 1.0)
    >>> found.choice, round(found.bound, 9), found.done
    ({1: 1, 0: 0}, 2.0, True)
    """
    deadline = time.perf_counter() + seconds
    program = Program(problem)
    program.rows += rows
    if most < math.inf:
        program.at_most(most)
    bound = -math.inf
    for attempt in range(rounds):
        left = deadline - time.perf_counter()
        if left <= 0:
            return Solved(None, bound, False)
        if attempt == rounds - 1:
            levels = Program(problem, levels=True)
            levels.rows += program.rows
            program = levels
        found = program.solve(left)
        if found.mip_dual_bound is not None and math.isfinite(found.mip_dual_bound):
            bound = max(bound, float(found.mip_dual_bound))
        if found.status == 2:
            return Solved(None, math.inf, True)
        if found.x is None:
            return Solved(None, bound, False)
        choice = program.chosen(found.x)
        whole = program.everything(found.x) if problem.negative else choice
        if len(children_first(problem, whole)) == len(whole):
            return Solved(choice, bound, found.status == 0)
        if found.status != 0 or not program.forbid_cycles(np.round(found.x)):
            return Solved(None, bound, False)
    return Solved(None, bound, False)
