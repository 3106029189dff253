"""The problem of extraction, classes of e-nodes with costs, and its answer: one e-node per class."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property

from eqsat.base.values import dataclass

Choice = dict[int, int]
"""Class -> chosen e-node, for exactly the classes that the roots reach through chosen e-nodes."""

_COMPARE_AT_MOST = 32  # e-nodes of one class that are compared pairwise for dominance


@dataclass(frozen=True)
class Problem:
    """An e-graph as numbers: e-node ``i`` is in class ``node_class[i]`` and needs classes ``children[i]``.

    Units    ``cost`` is in any one unit, >= 0 unless ``negative``; inf marks an e-node that must never be chosen
    Errors   ValueError for lengths that disagree, classes out of range, and costs that are NaN, -inf, or
             negative where ``negative`` does not allow it

    A negative cost is a reward for what the roots reach; a choice holds nothing else, so that none is collected
    without need.

    >>> two_ways = Problem([0, 1, 1], [(), (0,), (0, 0)], [0.0, 3.0, 1.0], roots=[1], n_classes=2)
    >>> dag_cost(two_ways, {1: 2, 0: 0})
    1.0
    """

    node_class: Sequence[int]
    children: Sequence[tuple[int, ...]]
    cost: Sequence[float]
    roots: Sequence[int]
    n_classes: int
    negative: bool = False

    def __post_init__(self) -> None:
        if not len(self.node_class) == len(self.children) == len(self.cost):
            raise ValueError(
                f"{len(self.node_class)} classes, {len(self.children)} child lists "
                f"and {len(self.cost)} costs for one list of e-nodes"
            )
        self._refuse_classes("roots", self.roots)
        self._refuse_classes("node_class", self.node_class)
        for node, children in enumerate(self.children):
            if children and not (min(children) >= 0 and max(children) < self.n_classes):
                self._refuse_classes(f"children of e-node {node}", children)
        for node, cost in enumerate(self.cost):
            if not (cost >= 0 or (self.negative and cost > -math.inf)):
                needed = "finite or inf" if self.negative else ">= 0"
                raise ValueError(f"e-node {node} costs {cost}, but a cost is {needed}")

    def _refuse_classes(self, where: str, classes: Sequence[int]) -> None:
        for cls in classes:
            if not 0 <= cls < self.n_classes:
                raise ValueError(f"class {cls} in {where}, but there are {self.n_classes} classes")

    @cached_property
    def needs(self) -> list[tuple[int, ...]]:
        """The children of every e-node, each class once, in order of first mention."""
        return [c if len(c) < 2 else tuple(dict.fromkeys(c)) for c in self.children]

    @cached_property
    def nodes_of(self) -> list[list[int]]:
        """The e-nodes of every class, in order."""
        nodes: list[list[int]] = [[] for _ in range(self.n_classes)]
        for node, cls in enumerate(self.node_class):
            nodes[cls].append(node)
        return nodes

    @cached_property
    def derivable(self) -> bytearray:
        """For every e-node whether it is of finite cost and can be built from leaves."""
        waiting = list(map(len, self.needs))
        uses: list[list[int]] = [[] for _ in range(self.n_classes)]
        for node, needs in enumerate(self.needs):
            for child in needs:
                uses[child].append(node)
        built, known = bytearray(len(self.cost)), bytearray(self.n_classes)
        ready = [node for node, count in enumerate(waiting) if not count]
        for node in ready:  # grows while it is read
            if self.cost[node] == math.inf:
                continue
            built[node] = 1
            cls = self.node_class[node]
            if not known[cls]:
                known[cls] = 1
                for user in uses[cls]:
                    waiting[user] -= 1
                    if not waiting[user]:
                        ready.append(user)
        return built

    @cached_property
    def options(self) -> list[list[int]]:
        """The e-nodes of every class that the roots can reach, without those that another makes useless."""
        options: list[list[int]] = [[] for _ in range(self.n_classes)]
        seen = set(self.roots)
        stack = list(seen)
        while stack:
            cls = stack.pop()
            options[cls] = self._undominated(cls)
            fresh = {child for node in options[cls] for child in self.needs[node]} - seen
            seen |= fresh
            stack.extend(sorted(fresh))
        return options

    def _undominated(self, cls: int) -> list[int]:
        """Drops e-nodes that cannot be built, self-loops, and those that need more at no lower cost."""
        nodes = [n for n in self.nodes_of[cls] if self.derivable[n] and cls not in self.needs[n]]
        if not 2 <= len(nodes) <= _COMPARE_AT_MOST:
            return nodes
        kept: list[tuple[frozenset[int], float, int]] = []
        for node in sorted(nodes, key=lambda n: (len(self.needs[n]), self.cost[n], n)):
            needs, cost = frozenset(self.needs[node]), self.cost[node]
            fits = needs.__eq__ if self.negative else needs.__ge__  # what is not needed may be a reward
            if not any(other_cost <= cost and fits(other) for other, other_cost, _ in kept):
                kept.append((needs, cost, node))
        return sorted(node for _, _, node in kept)

    @cached_property
    def users(self) -> list[list[int]]:
        """The e-nodes among the options that need each class."""
        users: list[list[int]] = [[] for _ in range(self.n_classes)]
        for nodes in self.options:
            for node in nodes:
                for child in self.needs[node]:
                    users[child].append(node)
        return users


def reached(problem: Problem, preferred: Mapping[int, int] | Sequence[int]) -> Choice:
    """The part of the preferences that the roots reach; KeyError for a class that a mapping lacks."""
    choice: Choice = {}
    stack = list(dict.fromkeys(problem.roots))
    while stack:
        cls = stack.pop()
        if cls not in choice:
            choice[cls] = preferred[cls]
            stack += problem.needs[choice[cls]]
    return choice


def dag_cost(problem: Problem, choice: Mapping[int, int]) -> float:
    """Sum over the distinct chosen e-nodes that the roots reach; each is paid once."""
    return closed_cost(problem, reached(problem, choice))


def closed_cost(problem: Problem, choice: Mapping[int, int]) -> float:
    """The same for a choice known to hold nothing but what the roots reach."""
    return math.fsum(problem.cost[node] for node in choice.values())


def children_first(problem: Problem, choice: Mapping[int, int]) -> list[int]:
    """The classes of a closed choice, children before parents; shorter than it where it has a cycle."""
    waiting = {cls: len(problem.needs[node]) for cls, node in choice.items()}
    parents: dict[int, list[int]] = {cls: [] for cls in choice}
    for cls, node in choice.items():
        for child in problem.needs[node]:
            parents[child].append(cls)
    order = [cls for cls, count in waiting.items() if count == 0]
    for cls in order:  # grows while it is read
        for parent in parents[cls]:
            waiting[parent] -= 1
            if waiting[parent] == 0:
                order.append(parent)
    return order


def check(problem: Problem, choice: Mapping[int, int]) -> None:
    """AssertionError with the class that is missing, wrong, needless, infinitely dear or on a cycle."""
    for root in problem.roots:
        assert root in choice, f"root class {root} has no chosen e-node"
    for cls, node in choice.items():
        assert problem.node_class[node] == cls, f"class {cls} chose e-node {node} of another class"
        assert problem.cost[node] < math.inf, f"class {cls} chose e-node {node} of infinite cost"
        for child in problem.needs[node]:
            assert child in choice, f"class {child}, needed by class {cls}, has no chosen e-node"
    needless = sorted(choice.keys() - reached(problem, choice).keys())
    assert not needless, f"class {needless[0]} is chosen, but the roots do not reach it"
    cyclic = sorted(choice.keys() - set(children_first(problem, choice)))
    assert not cyclic, f"class {cyclic[0]} is on a cycle of chosen e-nodes, or above one"
