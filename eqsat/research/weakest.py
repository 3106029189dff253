"""The weakest condition on lengths under which a rule of whole tensors keeps its promise, read off drawn points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from eqsat.egraph.compile_rule import guards_shape
from eqsat.rules.rule import Rule
from eqsat.verify.points import holds_at, points
from eqsat.verify.promises import Tally, check_types, compare

COUNT = 240  # points at which a rule is tried
MOST = 4  # facts of a condition
Fact = tuple[str, tuple[Any, ...]]


def weakest(rule: Rule, facts: Sequence[Fact], seed: int) -> list[int] | None:
    """The places of the facts that together hold at most of the points at which a rule keeps its promise, and at none at which it breaks it.

    None where no few facts do. The rule itself has no condition.
    """
    good: dict[int, int] = {}
    bad: set[int] = set()
    for point in points(rule, COUNT, seed):
        left, wrong = check_types(rule, point, guards_shape(rule))
        if left is None:
            continue
        wrong = wrong or compare(rule, point, left.type.dtype, left.type.ndim, Tally())
        true = sum(holds_at(*fact, point) << k for k, fact in enumerate(facts))
        if wrong:
            bad.add(true)
        else:
            good[true] = good.get(true, 0) + 1
    held = np.array([[bool(true >> k & 1) for k in range(len(facts))] for true in (*good, *bad)], bool)
    held = held.reshape(-1, len(facts))
    counts = np.array([*good.values(), *[-COUNT] * len(bad)])
    best, most = None, 0
    for count in range(1, MOST + 1):
        some = np.array([*combinations(range(len(facts)), count)], int).reshape(-1, count)
        kept = counts @ held[:, some].all(-1)
        if len(some) and kept.max() > most:
            best, most = some[kept.argmax()].tolist(), kept.max()
    return best
