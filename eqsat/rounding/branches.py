"""Two or three forms of a graph, each in a range of one input, where that loses fewer bits than any form alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.base.values import dataclass
from eqsat.rounding.bits import float_at, order
from eqsat.rounding.points import Points
from eqsat.rounding.search import Form

MOST_PARTS = 3
GAIN = 1.0  # bits that a branch has to save
LEAST_POINTS = 4  # in a range


@dataclass(frozen=True)
class Branches:
    """Forms of one output by ranges of an input: ``forms[0]`` below ``limits[0]``, and so on."""

    input: Any
    limits: tuple[float, ...]
    forms: tuple[Form, ...]
    bits: float


def branched(points: Points, forms: Sequence[Form]) -> Branches | None:
    """The best ranges, None where no branch saves a bit."""
    if len(forms) < 2 or not points.whole:
        return None
    least = min(f.bits for f in forms)
    errors = np.stack([f.errors for f in forms])
    best: Branches | None = None
    for v, values in zip(points.inputs, points.values, strict=True):
        if values.dtype.kind != "f":
            continue
        found = _along(v, values.reshape(points.count, -1)[:, 0], errors, forms)
        if found.bits < least - GAIN * len(found.limits) and (best is None or found.bits < best.bits):
            best = found
    return best


def _along(v: Any, values: Any, errors: Any, forms: Sequence[Form]) -> Branches:
    """The best split of one input, by the sums of errors up to each point in its order."""
    at = np.argsort(values, kind="stable")
    ordered = values[at]
    sums = np.concatenate([np.zeros((len(forms), 1)), np.cumsum(errors[:, at], axis=1)], axis=1)
    n = len(at)
    # best[p][j]: the least sum of the first j points in p + 1 ranges, and where the last one began with which form
    best = [[(float(sums[:, j].min()), 0, int(sums[:, j].argmin())) for j in range(n + 1)]]
    for part in range(1, MOST_PARTS):
        row = []
        for j in range(n + 1):
            options = [
                (before[0] + float(tail.min()) + GAIN * n, i, int(tail.argmin()))
                for i in range(LEAST_POINTS * part, j - LEAST_POINTS + 1)
                if ordered[i - 1] < ordered[i]
                for before, tail in [(best[part - 1][i], sums[:, j] - sums[:, i])]
            ]
            row.append(min(options, default=(np.inf, 0, 0)))
        best.append(row)
    part = min(range(MOST_PARTS), key=lambda p: best[p][n][0])
    total, limits, chosen, j = best[part][n][0] - GAIN * n * part, [], [], n
    while True:
        _, i, form = best[part][j]
        chosen.append(forms[form])
        if part == 0:
            break
        limits.append(_between(ordered[i - 1], ordered[i]))
        part, j = part - 1, i
    return Branches(v, tuple(limits[::-1]), tuple(chosen[::-1]), float(total) / n)


def _between(a: Any, b: Any) -> float:
    """A short number between two floats, half of the floats between them below it."""
    low, high = order(np.array([a, b]))
    exact = float(float_at(np.array([(int(low) + int(high)) // 2 + 1]), np.array([a]).dtype.name)[0])
    for digits in range(1, 17):
        rounded = float(f"{exact:.{digits}g}")
        if a < rounded <= b:
            return rounded
    return exact
