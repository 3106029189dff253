"""Runs that repeat in a sequence, as the layers of a network do: where each begins, how long one period is, how often it comes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from eqsat.base.values import dataclass

LEAST = 6  # members that a repeat takes the place of
LONGEST = 4000  # members of a sequence in which all periods are tried; of a longer one the short ones are


@dataclass(frozen=True)
class Repeat:
    """Members ``start`` and on, ``times`` periods of ``period`` members each."""

    start: int
    period: int
    times: int

    @property
    def end(self) -> int:
        """The member behind the last one."""
        return self.start + self.period * self.times


def find_repeats(labels: Sequence[Hashable]) -> list[Repeat]:
    """Repeats that do not overlap, in order: the one that covers most first, then what it leaves on both sides.

    >>> [(r.start, r.period, r.times) for r in find_repeats("x" + "abc" * 3 + "zz" + "e" * 6)]
    [(1, 3, 3), (12, 1, 6)]
    """
    numbers: dict[Hashable, int] = {}
    line = np.array([numbers.setdefault(label, len(numbers)) for label in labels], np.int64)
    found: list[Repeat] = []
    open_: list[tuple[int, int]] = [(0, len(line))]
    while open_:
        start, end = open_.pop()
        best = _best(line[start:end])
        if best is not None:
            moved = Repeat(start + best.start, best.period, best.times)
            found.append(moved)
            open_ += [(start, moved.start), (moved.end, end)]
    return sorted(found, key=lambda r: r.start)


def _best(line: np.ndarray) -> Repeat | None:
    """The repeat that covers most; of several the one with the shortest period, which comes first."""
    best: Repeat | None = None
    count = len(line)
    for period in range(1, min(count // 2, LONGEST * 256 // max(count, 1)) + 1):
        same = np.flatnonzero(np.diff(np.concatenate(([0], line[period:] == line[:-period], [0]))))
        runs = same[1::2] - same[::2]
        if not len(runs):
            continue
        k = int(runs.argmax())
        times = int(runs[k]) // period + 1
        covered = times * period
        fits = times > 1 and covered >= LEAST and (period > 1 or times > 3)
        if fits and (best is None or covered > best.times * best.period):
            best = Repeat(int(same[::2][k]), period, times)
    return best
