"""The time by which an explanation is to be done, of which its parts take shares."""

from __future__ import annotations

import time

from eqsat.base.values import dataclass


@dataclass(frozen=True)
class Deadline:
    """A time of the clock on the wall."""

    end: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """So many seconds from now.

        >>> Deadline.after(0.0).passed, Deadline.after(60.0).passed
        (True, False)
        """
        return cls(time.monotonic() + seconds)

    @property
    def left(self) -> float:
        """Seconds until then, 0 afterwards."""
        return max(0.0, self.end - time.monotonic())

    @property
    def passed(self) -> bool:
        """True from then on."""
        return self.left == 0.0

    def share(self, part: float) -> Deadline:
        """A time earlier on: when this part of what is left will have gone by."""
        return Deadline.after(part * self.left)
