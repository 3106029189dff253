"""Steps of a plan that are put together, as long as none of them has to wait for a step between two of the others."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from eqsat.graph.core import Variable
from eqsat.graph.plan import Step, reads, writes


class Clusters:
    """A partition of steps that can run one cluster after the other."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        self.producer: dict[Variable, int] = {}
        self.of = list(range(len(steps)))
        self.members = [[k] for k in range(len(steps))]
        self.live = set(range(len(steps)))  # clusters that hold steps
        self.needs: list[int] = []  # per cluster those that it reads from, as bits
        self.after: list[int] = []  # per cluster all those that have to run before it
        for k, step in enumerate(steps):
            direct = {self.producer[v] for v in reads(step) if v in self.producer}
            self.needs.append(sum(1 << p for p in direct))
            self.after.append(self._before(self.needs[k]))
            self.producer.update((v, k) for v in writes(step))

    def _before(self, needs: int) -> int:
        found = needs
        for p in bits(needs):
            found |= self.after[p]
        return found

    def may_join(self, a: int, b: int) -> bool:
        """True where two clusters can become one."""
        return a != b and self._is_direct(a, b) and self._is_direct(b, a)

    def _is_direct(self, a: int, b: int) -> bool:
        """True where nothing that cluster b needs, but a itself, needs a."""
        return not any(self.after[p] >> a & 1 for p in bits(self.needs[b] & ~(1 << a)))

    def join(self, a: int, b: int) -> None:
        """Put the steps of cluster b into cluster a."""
        for k in self.members[b]:
            self.of[k] = a
        self.members[a] = sorted([*self.members[a], *self.members[b]])
        self.members[b] = []
        one, other = 1 << a, 1 << b
        both = one | other
        self.needs[a] = (self.needs[a] | self.needs[b]) & ~both
        self.after[a] = (self.after[a] | self.after[b]) & ~both
        self.live.remove(b)
        before_both = self.after[a] | both
        for c in self.live:
            if self.after[c] & both and c != a:
                self.after[c] = (self.after[c] | before_both) ^ other
                if self.needs[c] & other:
                    self.needs[c] = (self.needs[c] | both) ^ other

    def order(self) -> list[int]:
        """The clusters in an order in which they can run: as early as their last step stood."""
        waits = {c: self.needs[c].bit_count() for c in set(self.of)}
        users: dict[int, list[int]] = {}
        for c in waits:
            for p in bits(self.needs[c]):
                users.setdefault(p, []).append(c)
        ready: list[tuple[int, int]] = []
        for c, count in waits.items():
            if not count:
                heappush(ready, (self.members[c][-1], c))
        order = []
        while ready:
            _, c = heappop(ready)
            order.append(c)
            for u in users.get(c, ()):
                waits[u] -= 1
                if not waits[u]:
                    heappush(ready, (self.members[u][-1], u))
        assert len(order) == len(waits), "clusters wait for each other"
        return order


def bits(mask: int) -> list[int]:
    """The places of the bits that are set."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found
