"""Seconds of the stages of some work, each from the end of the one before."""

from __future__ import annotations

import time
from collections.abc import Mapping


class Laps:
    """A watch that notes the seconds of stages.

    >>> laps = Laps()
    >>> laps.lap("first"), list(laps.seconds)
    (None, ['first'])
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """Add the seconds since the last stage to those of a stage."""
        now = time.perf_counter()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self._last
        self._last = now

    def told(self, seconds: Mapping[str, float]) -> None:
        """Note seconds that others have measured of what has been done since the last stage."""
        self.seconds |= seconds
        self._last = time.perf_counter()
