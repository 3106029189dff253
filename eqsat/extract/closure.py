"""Classes that every acyclic choice for a class contains, as sets of bits: the greatest fixpoint of "all options need it"."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

from eqsat.extract.greedy import settle
from eqsat.extract.problem import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray  # which takes long to load

_BYTES = 256 << 20  # memory that the sets may take
_FEW_BITS = 12  # below it, taking bits one by one is faster than unpacking the set


def components(problem: Problem) -> list[int]:
    """Number of the strongly connected component of each class that the options reach, children first; else -1.

    >>> components(Problem([0, 1, 1, 2], [(1,), (0,), (), (0,)], [1.0, 1.0, 9.0, 1.0], [2], 3))
    [0, 0, 1]
    """
    needs = problem.needs
    below = [list(dict.fromkeys(kid for n in nodes for kid in needs[n])) for nodes in problem.options]
    return strong_components(below, problem.roots)


def strong_components(below: Sequence[Sequence[int]], starts: Iterable[int]) -> list[int]:
    """The same of any graph, given what is below each place (Tarjan 1972, with a stack of its own)."""
    found, low, component = [-1] * len(below), [0] * len(below), [-1] * len(below)
    open_classes: list[int] = []
    count = made = 0
    for root in dict.fromkeys(starts):
        work = [(root, 0)] if found[root] < 0 else []
        while work:
            cls, at = work.pop()
            if at == 0:
                found[cls] = low[cls] = count
                count += 1
                open_classes.append(cls)
            else:
                low[cls] = min(low[cls], low[below[cls][at - 1]])
            kids = below[cls]
            while at < len(kids) and found[kids[at]] >= 0:
                if component[kids[at]] < 0:
                    low[cls] = min(low[cls], found[kids[at]])
                at += 1
            if at < len(kids):
                work += [(cls, at + 1), (kids[at], 0)]
            elif low[cls] == found[cls]:
                made = _close(cls, open_classes, component, made)
    return component


def _close(cls: int, open_classes: list[int], component: list[int], made: int) -> int:
    while True:
        other = open_classes.pop()
        component[other] = made
        if other == cls:
            return made + 1


class Closure:
    """``below(c)`` = {c} and what all e-nodes of c need in every case; ``None`` from ``closure`` if it takes too long.

    Bits are numbered by ``order``: component by component, and inside one as greedy settles it, children first.
    An e-node whose children need its own class in every case cannot be part of an acyclic choice: it has no say.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.component = components(problem)
        preferred, settled = settle(problem)
        self.order = sorted(settled, key=self.component.__getitem__)
        self.rank = [-1] * problem.n_classes
        for rank, cls in enumerate(self.order):
            self.rank[cls] = rank
        self.bits = [0] * problem.n_classes  # at first what greedy takes for the class, which is one way
        self.start = [(cls, preferred[cls]) for cls in settled]

    def union(self, node: int) -> int:
        """The classes that an e-node needs in every choice."""
        bits, union = self.bits, 0
        for child in self.problem.needs[node]:
            union |= bits[child]
        return union

    def forced(self) -> int:
        """The classes that the roots need in every choice."""
        union = 0
        for root in self.problem.roots:
            union |= self.bits[root]
        return union

    def classes(self, bits: int) -> list[int]:
        """The classes of a set."""
        return [self.order[rank] for rank in ranks(bits)]

    def below_floor(self, cls: int) -> int:
        """All classes of components before that of the class: none of them can come to need it."""
        return (1 << self.floor[self.component[cls]]) - 1

    def weights(self, price: Sequence[float]) -> NDArray[np.float64]:
        """Prices of classes in the order of the bits."""
        return np.array([price[cls] for cls in self.order], dtype=np.float64)

    def solve(self, deadline: float, clock: Callable[[], float], most_bytes: int = _BYTES) -> bool:
        """Finds the sets, component by component; False where time or memory is not enough."""
        self.floor: list[int] = []
        self.looks = first = 0
        if not self._take_greedy(deadline, clock, most_bytes):
            return False
        while first < len(self.order):
            last, number = first, self.component[self.order[first]]
            while last < len(self.order) and self.component[self.order[last]] == number:
                last += 1
            if not self._settle_component(self.order[first:last], deadline, clock):
                return False
            self.floor.append(first)
            first = last
        return True

    def _take_greedy(self, deadline: float, clock: Callable[[], float], bytes_left: int) -> bool:
        """Begins with what greedy takes below each class; what every choice needs is part of that."""
        for count, (cls, node) in enumerate(self.start):
            bits = self.bits[cls] = self.union(node) | 1 << self.rank[cls]
            bytes_left -= bits.bit_length() >> 3
            if bytes_left < 0 or (count % 64 == 0 and clock() > deadline):
                return False
        return True

    def _settle_component(self, members: list[int], deadline: float, clock: Callable[[], float]) -> bool:
        """Takes away what some e-node can do without; a user that had it must look again.

        The class that greedy settles first is always next: a class then seldom looks before those below are final.
        """
        rank, component, bits = self.rank, self.component, self.bits
        node_class, users = self.problem.node_class, self.problem.users
        heap, waiting = [rank[cls] for cls in members], set(members)
        while heap:
            self.looks += 1
            if self.looks % 64 == 0 and clock() > deadline:
                return False
            cls = self.order[heappop(heap)]
            waiting.discard(cls)
            left = self._common(cls)
            gone = bits[cls] ^ left
            bits[cls] = left
            if gone and len(members) > 1:
                for user in users[cls]:
                    other = node_class[user]
                    if bits[other] & gone and component[other] == component[cls] and other not in waiting:
                        waiting.add(other)
                        heappush(heap, rank[other])
        return True

    def _common(self, cls: int) -> int:
        bits, needs = self.bits, self.problem.needs
        common, own = bits[cls], 1 << self.rank[cls]
        for node in self.problem.options[cls]:
            union = own
            for child in needs[node]:
                if bits[child] & own:
                    break
                union |= bits[child]
            else:
                common &= union
        return common


def closure(
    problem: Problem, seconds: float, clock: Callable[[], float] = time.thread_time
) -> Closure | None:
    """The sets of every class below the roots; None where the seconds or the memory are not enough.

    >>> found = closure(Problem([0, 1, 2, 2], [(), (0,), (0,), (1,)], [1.0] * 4, [2], 3), 1.0)
    >>> found.classes(found.forced())
    [0, 2]
    """
    if seconds < 0:
        return None
    found = Closure(problem)
    return found if found.solve(clock() + seconds, clock) else None


def ranks(bits: int) -> list[int]:
    """Places of the bits that are set, rising."""
    if bits.bit_count() > _FEW_BITS:
        return [int(rank) for rank in flags(bits).nonzero()[0]]
    found = []
    while bits:
        low = bits & -bits
        found.append(low.bit_length() - 1)
        bits ^= low
    return found


def weigh(bits: int, weight: NDArray[np.float64]) -> float:
    """Sum of the weights of a set."""
    if not bits:
        return 0.0
    if bits.bit_count() > _FEW_BITS:
        found = flags(bits)
        return float(weight[: len(found)][found[: len(weight)].view(bool)].sum())
    return sum(float(weight[rank]) for rank in ranks(bits))


def flags(bits: int) -> NDArray[np.uint8]:
    """The bits of a set, lowest first, as an array of zeros and ones, perhaps with zeros after the last."""
    packed = np.frombuffer(bits.to_bytes((bits.bit_length() + 7) // 8, "little"), np.uint8)
    return np.unpackbits(packed, bitorder="little")
