"""A cost that no extraction can beat: the cheapest e-nodes of the classes that every extraction contains."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from eqsat.extract.greedy import settle
from eqsat.extract.problem import Problem

_MOST_CLASSES = 5000


def lower_bound(
    problem: Problem, seconds: float = math.inf, clock: Callable[[], float] = time.thread_time
) -> float:
    """True lower bound on the DAG cost of every acyclic choice; inf where a root cannot be built.

    Past 5000 classes, or when the seconds run out, the forced classes are found by a weaker and linear rule.
    """
    if not all(problem.options[root] for root in problem.roots):
        return math.inf
    if seconds > 0 and sum(map(bool, problem.options)) <= _MOST_CLASSES:
        _, order = settle(problem)
        closure = _closure(problem, order, clock() + seconds, clock)
        if closure:
            return _price(problem, order, closure)
    forced = _forced_step_by_step(problem)
    return math.fsum(min(problem.cost[node] for node in problem.options[cls]) for cls in forced)


def _price(problem: Problem, order: list[int], closure: dict[int, int]) -> float:
    """Cheapest e-nodes of the classes in F of the roots, without those that would close a cycle."""
    bits = 0
    for root in problem.roots:
        bits |= closure[root]
    ranks = [rank for rank, flag in enumerate(reversed(f"{bits:b}")) if flag == "1"]
    return math.fsum(
        min(
            problem.cost[node]
            for node in problem.options[order[rank]]
            if not any(closure[child] >> rank & 1 for child in problem.needs[node])
        )
        for rank in ranks
    )


def _forced_step_by_step(problem: Problem) -> list[int]:
    """The roots, and then every class that all e-nodes of a forced class need."""
    forced = list(dict.fromkeys(problem.roots))
    seen = set(forced)
    for cls in forced:  # grows while it is read
        nodes = problem.options[cls]
        common = set(problem.needs[nodes[0]]).intersection(*(problem.needs[node] for node in nodes[1:]))
        fresh = sorted(common - seen)
        seen.update(fresh)
        forced.extend(fresh)
    return forced


def _closure(
    problem: Problem, order: list[int], deadline: float, clock: Callable[[], float]
) -> dict[int, int] | None:
    """F(c) = {c} and what all e-nodes of c need in every case: greatest fixpoint, bits numbered by ``order``.

    An e-node whose children's F contains its own class cannot be part of an acyclic choice, so it has no say.
    Starting with the children first, a class without an F stands for "all classes", which is such a case.
    """
    closure: dict[int, int] = {}
    rank = {cls: index for index, cls in enumerate(order)}
    dirty = set(order)
    while dirty:
        todo = sorted(dirty, key=rank.__getitem__)
        for count, cls in enumerate(todo):
            if count % 64 == 0 and clock() > deadline:
                return None
            dirty.discard(cls)
            bits = _common_needs(problem, cls, closure, rank[cls]) | (1 << rank[cls])
            if bits != closure.get(cls):
                closure[cls] = bits
                dirty.update(problem.node_class[user] for user in problem.users[cls])
        dirty &= rank.keys()
    return closure


def _common_needs(problem: Problem, cls: int, closure: dict[int, int], rank: int) -> int:
    common = -1
    for node in problem.options[cls]:
        union = 0
        for child in problem.needs[node]:
            union |= closure.get(child, -1)
        if not union >> rank & 1:
            common &= union
    assert common >= 0, f"class {cls} has no e-node that could be chosen"
    return common
