"""First answers: settle classes from the leaves up, cheapest first (Knuth 1977, generalising Dijkstra)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

from eqsat.extract.problem import Choice, Problem, reached

if TYPE_CHECKING:
    from numpy.typing import NDArray  # which takes long to load

_CONE_BYTES = 64 << 20  # memory that dag_greedy may spend on its sets
_FEW_BITS = 12  # below it, taking bits one by one is faster than unpacking the set


def settle(
    problem: Problem, free: Iterable[int] = (), share: Sequence[int] | None = None
) -> tuple[list[int], list[int]]:
    """Preferred e-node of every class (-1 where none), and the classes in the order of settling.

    An e-node costs its own cost and that of its children as trees; ``free`` classes cost nothing and are left
    out; a class with ``share`` k is charged to each user at 1/k (area flow). Ties go to the lower e-node.
    """
    needs, users, node_class = problem.needs, problem.users, problem.node_class
    value = list(problem.cost)
    waiting = list(map(len, needs))
    heap = [(value[node], node) for nodes in problem.options for node in nodes if not needs[node]]
    preferred = [-1] * problem.n_classes
    done = bytearray(problem.n_classes)
    for cls in free:
        done[cls] = 1
        _lower(users[cls], waiting, value, heap)
    heapify(heap)
    order: list[int] = []
    while heap:
        worth, node = heappop(heap)
        cls = node_class[node]
        if done[cls]:
            continue
        done[cls] = 1
        preferred[cls] = node
        order.append(cls)
        if share is not None and share[cls] > 1:
            worth /= share[cls]
        for user in users[cls]:
            value[user] += worth
            waiting[user] -= 1
            if not waiting[user]:
                heappush(heap, (value[user], user))
    return preferred, order


def _lower(users: list[int], waiting: list[int], value: list[float], heap: list[tuple[float, int]]) -> None:
    for user in users:
        waiting[user] -= 1
        if not waiting[user]:
            heap.append((value[user], user))


def require_roots(problem: Problem, preferred: Sequence[int]) -> None:
    """ValueError that names the root for which no finite, acyclic choice of e-nodes exists."""
    for root in problem.roots:
        if preferred[root] < 0:
            raise ValueError(
                f"root class {root} cannot be extracted: each of its {len(problem.nodes_of[root])} e-nodes "
                "has infinite cost or needs a class that cannot be built without it"
            )


def tree_greedy(problem: Problem) -> Choice:
    """Cheapest as trees: each user pays for a shared class. ValueError for a root that cannot be built."""
    preferred, _ = settle(problem)
    require_roots(problem, preferred)
    return reached(problem, preferred)


def dag_greedy(problem: Problem, cone_bytes: int = _CONE_BYTES) -> Choice | None:
    """Like tree_greedy, but a class knows the set below it and pays each once; None where sets get too big.

    Still a heuristic: a class is settled without regard to what the others share with it.
    """
    cones = _Cones(problem, cone_bytes)
    heap = [(problem.cost[n], n) for nodes in problem.options for n in nodes if not problem.needs[n]]
    heapify(heap)
    waiting = list(map(len, problem.needs))
    preferred = [-1] * problem.n_classes
    while heap and cones.bytes_left > 0:
        total, node = heappop(heap)
        cls = problem.node_class[node]
        if preferred[cls] >= 0:
            continue
        preferred[cls] = node
        cones.add(cls, node, total)
        for user in problem.users[cls]:
            waiting[user] -= 1
            if not waiting[user] and preferred[problem.node_class[user]] < 0:
                heappush(heap, (cones.cost(user), user))
    if cones.bytes_left <= 0:
        return None
    require_roots(problem, preferred)
    return reached(problem, preferred)


class _Cones:
    """For every settled class the set of classes below it, as bits numbered in the order of settling."""

    def __init__(self, problem: Problem, bytes_left: int) -> None:
        self.problem = problem
        self.bytes_left = bytes_left
        self.bits = [0] * problem.n_classes
        self.total = [0.0] * problem.n_classes
        self.settled = 0
        self.weight: NDArray[np.float64] = np.zeros(problem.n_classes)

    def _union(self, node: int) -> int:
        union = 0
        for child in self.problem.needs[node]:
            union |= self.bits[child]
        return union

    def add(self, cls: int, node: int, total: float) -> None:
        self.bits[cls] = self._union(node) | (1 << self.settled)
        self.total[cls] = total
        self.weight[self.settled] = self.problem.cost[node]
        self.settled += 1
        self.bytes_left -= self.settled >> 3

    def cost(self, node: int) -> float:
        """Own cost and that of the union of the children: the dearest child whole, then what is new."""
        needs = self.problem.needs[node]
        own = self.problem.cost[node]
        if len(needs) == 1:
            return own + self.total[needs[0]]
        base = max(needs, key=self.total.__getitem__)
        return own + self.total[base] + self._weigh(self._union(node) ^ self.bits[base])

    def _weigh(self, bits: int) -> float:
        if bits.bit_count() > _FEW_BITS:
            packed = np.frombuffer(bits.to_bytes((bits.bit_length() + 7) // 8, "little"), np.uint8)
            flags = np.unpackbits(packed, bitorder="little")
            return float(self.weight[: len(flags)][flags[: self.problem.n_classes].nonzero()].sum())
        total = 0.0
        while bits:
            top = bits.bit_length() - 1
            total += float(self.weight[top])
            bits ^= 1 << top
        return total
