"""Times of calls that are compared: taken in turn, so that a busy machine slows all of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any


def medians(
    calls: Sequence[Callable[[], Any]], rounds: int = 15, pause: float = 0.0, budget: float = 0.0
) -> list[float]:
    """Median seconds of each call over rounds in which all take turns.

    With a ``pause`` each turn begins with that many idle seconds and a call without a clock: threads of the library
    before have gone to sleep then, and the library's own data is in the cache. A turn repeats the call until
    ``budget`` seconds are used.
    """
    runs: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for call, found in zip(calls, runs, strict=True):
            if pause:
                time.sleep(pause)
                call()
            found += turn(call, budget)
    return [statistics.median(found) for found in runs]


def turn(call: Callable[[], Any], budget: float) -> list[float]:
    """Seconds of one call, and of more until the budget is used."""
    found: list[float] = []
    while not found or sum(found) < budget:
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return found
