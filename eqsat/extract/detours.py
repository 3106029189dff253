"""Detours: sums and products of what is larger than their result, as ``x = (x + y) - y``, which sharing would make cheap.

Where ``x + y`` is computed anyhow the difference may be cheaper than x, but it has no digits that x + y has not, and no value where
that overflows. A sum or product with an operand that has no form as small as the result is priced as an unstable form, unless
it is the cheapest form even where nothing is shared, or the user wrote it.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache

from eqsat.egraph.reading import ENode
from eqsat.graph.declare import OPS


@lru_cache(maxsize=4)
def taken_back(version: int) -> frozenset[str]:
    """The operations of groups that another op repeats, each with the one that takes it back, among the ops declared by now."""
    groups = [d for d in OPS.values() if d.neutral is not None and d.inverse in OPS and d.repeats in OPS]
    return frozenset(name for d in groups for name in (d.name, d.inverse))


def detours(enodes: Sequence[ENode], cost: Sequence[float], written: Collection[object]) -> list[int]:
    """The places of e-nodes that only sharing makes cheap; ``written`` are the keys of those that are none."""
    sums = taken_back(OPS.version)
    tops = [i for i, e in enumerate(enodes) if e.op in sums and not e.unstable]
    if not tops:
        return []
    size = least(enodes, lambda i: float("inf") if enodes[i].unstable else 1.0)
    found = []
    for i in tops:
        e = enodes[i]
        larger = max(size.get(c, 0.0) for c in e.children) > size.get(e.cls, float("inf"))
        if larger and (e.op, e.params, e.children) not in written:
            found.append(i)
    if not found:
        return []
    alone = least(enodes, cost.__getitem__)
    unshared = {i: cost[i] + sum(alone.get(c, float("inf")) for c in enodes[i].children) for i in found}
    return [i for i, seconds in unshared.items() if seconds > alone.get(enodes[i].cls, float("inf"))]


def least(enodes: Sequence[ENode], price: Callable[[int], float]) -> dict[int, float]:
    """The least price of a term of each class that has one, a part that occurs twice being paid twice."""
    users: dict[int, list[int]] = defaultdict(list)
    total = [price(i) for i in range(len(enodes))]
    missing = [len(set(e.children)) for e in enodes]
    for i, e in enumerate(enodes):
        for c in set(e.children):
            users[c].append(i)
    found: dict[int, float] = {}
    heap = [(n, i) for i, n in enumerate(total) if not missing[i] and n < float("inf")]
    heapq.heapify(heap)
    while heap:
        n, i = heapq.heappop(heap)
        cls = enodes[i].cls
        if cls in found:
            continue
        found[cls] = n
        for k in users[cls]:
            total[k] += n * enodes[k].children.count(cls)
            missing[k] -= 1
            if not missing[k] and total[k] < float("inf"):
                heapq.heappush(heap, (total[k], k))
    return found
