"""A strong bound: the integer program without "integer", with rows added that every acyclic choice keeps."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from eqsat.extract.closure import Closure, flags
from eqsat.extract.milp import Program

_THRESHOLDS = (
    1e-6,
    0.2,
    0.45,
)  # e-nodes chosen no more than this count as not chosen where support is looked for
_CLEAR = 1e-3  # by which a row must be violated to be added
_ROWS_PER_CLASS = 4
_STALLED = 1e-4  # relative gain of the bound in a round below which the next may be the last


def force(program: Program, sets: Closure) -> None:
    """Adds that classes are chosen which the roots need in every case."""
    known = set(program.problem.roots)
    for cls in sets.classes(sets.forced()):
        if cls not in known:
            program.add(program.problem.options[cls], (), 1.0, 1.0)


def tighten(
    program: Program, sets: Closure, deadline: float, clock: Callable[[], float], enough: float = math.inf
) -> float:
    """Adds rows that the fractions violate until there are none, or time is over; the bound that this gives."""
    bound, stalled = -math.inf, 0
    while clock() < deadline and bound < enough and stalled < 3:
        found = program.solve(deadline - clock(), integer=False)
        if found.status == 2:
            return math.inf
        if found.status != 0:
            break
        stalled = stalled + 1 if found.fun <= bound + _STALLED * abs(bound) else 0
        bound = max(bound, float(found.fun))
        values = np.asarray(found.x)
        added = add_needs(program, sets, values)
        added += sum(program.forbid_cycles(values, least) for least in _THRESHOLDS)
        if not added:
            break
    return bound


def add_needs(program: Program, sets: Closure, values: NDArray[np.float64]) -> int:
    """Adds that a class is chosen if e-nodes are that need it in every case, however far below; the number of rows."""
    problem, rank = program.problem, sets.rank
    share = np.zeros(len(sets.order))
    for place, cls in enumerate(sets.order):
        share[place] = values[problem.options[cls]].sum()
    added = 0
    for place, cls in enumerate(sets.order):
        if share[place] < _CLEAR:
            continue
        needed = np.zeros(len(sets.order))
        unions = {node: sets.union(node) for node in problem.options[cls]}
        for node, union in unions.items():
            if values[node] > _CLEAR and union:
                bits = flags(union)[: len(needed)]
                needed[: len(bits)] += values[node] * bits
        lacking = needed - share
        worst = np.argsort(-lacking, kind="stable")[:_ROWS_PER_CLASS].tolist()
        for other in worst:
            if lacking[other] > _CLEAR and other != rank[cls]:
                nodes = [node for node, union in unions.items() if union >> other & 1]
                program.add(nodes, problem.options[sets.order[other]], -math.inf, 0.0)
                added += 1
    return added
