"""A smaller problem with the same optimum: e-nodes that no cheapest acyclic choice needs are left out."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import gcd
from typing import TYPE_CHECKING

import numpy as np

from eqsat.base.values import dataclass
from eqsat.extract.closure import Closure, closure, weigh
from eqsat.extract.greedy import require_roots, settle
from eqsat.extract.problem import Choice, Problem, children_first

if TYPE_CHECKING:
    from numpy.typing import NDArray  # which takes long to load

_COMPARE_AT_MOST = 64  # e-nodes of one class with which another is compared
_WORTH = 0.01  # share of the e-nodes that a round must remove for another round
_COARSE = 1e7  # sums of costs above it are not looked at as multiples of one number
_SLACK = 1e-9  # relative; differences below it are rounding


@dataclass(frozen=True)
class Reduced:
    """The smaller problem, in numbers of its own, and the way back to the whole one.

    ``node`` and ``cls`` give the numbers in the original; ``instead`` maps an e-node that was left out for a
    better one to that one; ``problem`` is None where nothing cheaper than the limit exists.
    """

    original: Problem
    problem: Problem | None
    node: list[int]
    cls: list[int]
    instead: dict[int, int]
    bound: float

    def lift(self, choice: Mapping[int, int]) -> Choice:
        """A choice for what is left as one for the original."""
        return {self.cls[cls]: self.node[node] for cls, node in choice.items()}

    def restrict(self, choice: Mapping[int, int]) -> Choice | None:
        """A choice for the original as one, no dearer, for what is left; None where it used what was cut off."""
        if self.problem is None:
            return None
        new_class = {old: new for new, old in enumerate(self.cls)}
        new_node = {old: new for new, old in enumerate(self.node)}
        kept: dict[int, int] = {}
        for cls, node in choice.items():
            while node in self.instead:
                node = self.instead[node]
            if cls in new_class and node in new_node:
                kept[new_class[cls]] = new_node[node]
        return completed(self.problem, kept)


def completed(problem: Problem, kept: Mapping[int, int]) -> Choice | None:
    """The choice with what it lacks built as greedy would; None where that closes a cycle."""
    preferred, _ = settle(problem, free=kept)
    for cls, node in kept.items():
        preferred[cls] = node
    choice: Choice = {}
    stack = list(dict.fromkeys(problem.roots))
    while stack:
        cls = stack.pop()
        if cls not in choice:
            if preferred[cls] < 0:
                return None
            choice[cls] = preferred[cls]
            stack += problem.needs[choice[cls]]
    return choice if len(children_first(problem, choice)) == len(choice) else None


def reduce(
    problem: Problem,
    limit: float = math.inf,
    seconds: float = math.inf,
    clock: Callable[[], float] = time.thread_time,
    rounds: int = 20,
) -> Reduced:
    """Leaves out what cannot be in a choice that costs less than ``limit``, as far as the seconds allow.

    Gone are e-nodes that need their own class in every case, e-nodes for which another of the class does at no
    higher cost with what is there anyway, and e-nodes with which every choice costs ``limit`` or more.

    Errors   ValueError for a root that cannot be built

    >>> two_ways = Problem([0, 1, 2, 2], [(), (), (0,), (0, 1)], [4.0, 1.0, 2.0, 2.0], [2], 3)
    >>> reduce(two_ways).node
    [0, 2]
    """
    deadline = clock() + seconds
    for root in problem.roots:
        if not problem.options[root]:
            require_roots(problem, settle(problem)[0])
    found = Reduced(
        problem, problem, list(range(len(problem.cost))), list(range(problem.n_classes)), {}, -math.inf
    )
    limit = _just_below(limit, granularity(problem.cost))
    instead: dict[int, int] = {}
    bound = -math.inf
    for _ in range(rounds):
        assert found.problem is not None
        sets = closure(found.problem, deadline - clock(), clock)
        if sets is None:
            break
        whittled = _Round(found.problem, sets, limit)
        bound = max(bound, whittled.bound)
        options = whittled.options(deadline, clock)
        instead.update((found.node[k], found.node[v]) for k, v in whittled.instead.items())
        before = len(found.node)
        found = _inner(found, options)
        if found.problem is None or len(found.node) >= before * (1 - _WORTH) or clock() > deadline:
            break
    return Reduced(problem, found.problem, found.node, found.cls, instead, bound)


def _just_below(limit: float, step: float) -> float:
    """The greatest cost below the limit, if costs are multiples of the step, and a little for rounding."""
    if limit == math.inf:
        return limit
    return (math.ceil(limit / step - 1e-6) - 1 + 1e-6) * step if step else limit - _SLACK * abs(limit)


def part(problem: Problem, options: Sequence[Sequence[int]]) -> Reduced:
    """The problem with some of its e-nodes only; None in it where the roots cannot be built of them."""
    kept = _buildable(problem, options)
    if kept is None:
        return Reduced(problem, None, [], [], {}, math.inf)
    classes = sorted(kept)
    number = {cls: k for k, cls in enumerate(classes)}
    nodes = sorted(node for nodes in kept.values() for node in nodes)
    smaller = Problem(
        [number[problem.node_class[node]] for node in nodes],
        [tuple(number[kid] for kid in problem.needs[node]) for node in nodes],
        [problem.cost[node] for node in nodes],
        [number[root] for root in dict.fromkeys(problem.roots)],
        len(classes),
        problem.negative,
    )
    return Reduced(problem, smaller, nodes, classes, {}, -math.inf)


def _buildable(problem: Problem, options: Sequence[Sequence[int]]) -> dict[int, list[int]] | None:
    """The options that leaves can build, of the classes that the roots then reach; None if not all roots are built."""
    waiting = {node: len(problem.needs[node]) for nodes in options for node in nodes}
    uses: dict[int, list[int]] = {}
    for node in waiting:
        for kid in problem.needs[node]:
            uses.setdefault(kid, []).append(node)
    ready = [node for node, count in waiting.items() if not count and problem.cost[node] < math.inf]
    built: dict[int, list[int]] = {}
    for node in ready:  # grows while it is read
        cls = problem.node_class[node]
        if cls not in built:
            built[cls] = []
            for user in uses.get(cls, ()):
                waiting[user] -= 1
                if not waiting[user] and problem.cost[user] < math.inf:
                    ready.append(user)
        built[cls].append(node)
    stack = list(dict.fromkeys(problem.roots))
    kept: dict[int, list[int]] = {}
    while stack:
        cls = stack.pop()
        if cls not in kept:
            if cls not in built:
                return None
            kept[cls] = built[cls]
            stack += [kid for node in kept[cls] for kid in problem.needs[node]]
    return kept


def _inner(outer: Reduced, options: Sequence[Sequence[int]]) -> Reduced:
    """A part of what is left, in numbers of the original."""
    assert outer.problem is not None
    inner = part(outer.problem, options)
    return Reduced(
        outer.original,
        inner.problem,
        [outer.node[node] for node in inner.node],
        [outer.cls[cls] for cls in inner.cls],
        {},
        outer.bound,
    )


class _Round:
    """One look at every e-node, with the sets of what is needed in every case."""

    def __init__(self, problem: Problem, sets: Closure, limit: float) -> None:
        self.problem, self.sets, self.limit = problem, sets, limit
        self.instead: dict[int, int] = {}
        self.forced = sets.forced()
        self.tree = _tree_costs(problem, sets)
        self.unions = {
            node: union
            for nodes in problem.options
            for node in nodes
            if not (union := sets.union(node)) >> sets.rank[problem.node_class[node]] & 1
        }
        self.least = [0.0] * problem.n_classes
        for cls in sets.order:
            self.least[cls] = min(problem.cost[n] for n in problem.options[cls] if n in self.unions)
        self.weight = sets.weights([max(0.0, least) for least in self.least])
        rewards = math.fsum(least for least in self.least if least < 0)
        self.bound = rewards + weigh(self.forced, self.weight)

    def options(self, deadline: float, clock: Callable[[], float]) -> list[list[int]]:
        """The e-nodes of each class that are left."""
        options: list[list[int]] = [[] for _ in range(self.problem.n_classes)]
        for count, cls in enumerate(self.sets.order):
            nodes = [n for n in self.problem.options[cls] if n in self.unions]
            late = count % 64 == 0 and clock() > deadline
            if late:
                deadline = -math.inf
            if len(nodes) > 1 or self.limit < math.inf:
                nodes = (
                    nodes if deadline == -math.inf else self._undominated(cls, self._affordable(cls, nodes))
                )
            options[cls] = nodes
        return options

    def _affordable(self, cls: int, nodes: list[int]) -> list[int]:
        if self.limit == math.inf:
            return nodes
        there, weight = self.forced, self.weight
        own = 0.0 if there >> self.sets.rank[cls] & 1 else max(0.0, self.least[cls])
        base = self.bound + own - self.least[cls]
        cost, unions = self.problem.cost, self.unions
        return [n for n in nodes if base + cost[n] + weigh(unions[n] & ~there, weight) < self.limit]

    def _undominated(self, cls: int, nodes: list[int]) -> list[int]:
        """Leaves out an e-node for which another can stand that needs little besides what is there with the first.

        What is there: all it needs in every case, and forced classes that cannot come to need this one.
        """
        if len(nodes) < 2 or self.problem.negative:  # a reward may lie where nothing else goes
            return nodes
        sets, unions, needs = self.sets, self.unions, self.problem.needs
        cost, high = self.problem.cost, ~sets.below_floor(cls)
        kept: list[tuple[int, int]] = []
        for node in sorted(nodes, key=lambda n: (cost[n], unions[n].bit_count(), len(needs[n]), n)):
            absent = ~(unions[node] | self.forced & ~high)
            for other, wanted in kept:
                lacking = wanted & absent
                if not lacking or not lacking & high and self._pays(other, lacking, cost[node]):
                    self.instead[node] = other
                    break
            else:
                wanted = _bits(sets.rank[kid] for kid in needs[node]) if len(kept) < _COMPARE_AT_MOST else -1
                kept.append((node, wanted))
        return sorted(node for node, _ in kept)

    def _pays(self, node: int, lacking: int, cost: float) -> bool:
        """True where the e-node costs no more even when everything it lacks is built anew."""
        return self.problem.cost[node] < cost and self.problem.cost[node] + weigh(lacking, self.tree) <= cost


def _bits(ranks: Iterable[int]) -> int:
    bits = 0
    for rank in ranks:
        bits |= 1 << rank
    return bits


def _tree_costs(problem: Problem, sets: Closure) -> NDArray[np.float64]:
    """An upper bound of the cost of each class when everything it needs is built anew."""
    preferred, order = settle(problem)
    value = [0.0] * problem.n_classes
    for cls in order:
        node = preferred[cls]
        value[cls] = problem.cost[node] + sum(value[kid] for kid in problem.needs[node])
    return sets.weights(value)


def granularity(costs: Iterable[float]) -> float:
    """A number of which all finite costs are multiples, 0.0 where none is found.

    >>> granularity([1.5, 4.5, 0.0, float("inf")]), granularity([1.0, 2**0.5])
    (1.5, 0.0)
    """
    finite = {abs(cost) for cost in costs if 0 < abs(cost) < math.inf}
    if not finite or sum(finite) > _COARSE:
        return 0.0
    for scale in (1, 10, 100, 1000, 10_000):
        whole = [round(cost * scale) for cost in finite]
        if all(abs(cost * scale - k) <= 1e-9 * k for cost, k in zip(finite, whole, strict=True)):
            return gcd(*whole) / scale
    return 0.0
