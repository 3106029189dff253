"""A cost that no extraction can beat: the cheapest e-nodes of the classes that every extraction contains."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from eqsat.extract.closure import Closure, closure
from eqsat.extract.problem import Problem

_MOST_CLASSES = 20_000


def lower_bound(
    problem: Problem, seconds: float = math.inf, clock: Callable[[], float] = time.thread_time
) -> float:
    """True lower bound on the DAG cost of every acyclic choice; inf where a root cannot be built.

    Past 20,000 classes, or when the seconds run out, the forced classes are found by a weaker and linear rule.
    """
    if not all(problem.options[root] for root in problem.roots):
        return math.inf
    if seconds > 0 and sum(map(bool, problem.options)) <= _MOST_CLASSES:
        sets = closure(problem, seconds, clock)
        if sets is not None:
            return _price(problem, sets)
    least = {cls: min(problem.cost[n] for n in nodes) for cls, nodes in enumerate(problem.options) if nodes}
    forced = set(_forced_step_by_step(problem))
    return math.fsum(cost for cls, cost in least.items() if cls in forced or cost < 0)


def _price(problem: Problem, sets: Closure) -> float:
    """Cheapest e-nodes of the forced classes, without those that would close a cycle, and all rewards."""
    forced = sets.forced()
    total = []
    for rank, cls in enumerate(sets.order):
        least = min(problem.cost[n] for n in problem.options[cls] if not sets.union(n) >> rank & 1)
        if forced >> rank & 1 or least < 0:
            total.append(least)
    return math.fsum(total)


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
