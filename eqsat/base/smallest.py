"""Delta debugging: of some items the fewest that still pass a test, within a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def smallest(
    items: Sequence[Item], passes: Callable[[list[Item]], bool], late: Callable[[], bool] = lambda: False
) -> tuple[list[Item], bool]:
    """Items that pass together, and whether none of them can be left out; False where time was up before that is known.

    ``items`` pass together. Parts of them are left out, large ones first.

    >>> smallest(range(20), lambda kept: {3, 11} <= set(kept))
    ([3, 11], True)
    """
    kept, size = list(items), max(1, len(items) // 2)
    while True:
        removed = False
        place = 0
        while place < len(kept):
            if late():
                return kept, False
            rest = kept[:place] + kept[place + size :]
            if passes(rest):
                kept, removed = rest, True
            else:
                place += size
        if size == 1 and not removed:
            return kept, True
        size = max(1, min(size // 2, len(kept)))
