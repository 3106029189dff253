"""Sizes of this machine's caches, for the cost model; where the system does not tell them, those of the usual model."""

from __future__ import annotations

import contextlib
from pathlib import Path

PLACE = Path("/sys/devices/system/cpu/cpu0/cache")
UNITS = {"K": 1024, "M": 1 << 20, "G": 1 << 30}


def cache_sizes(place: Path = PLACE) -> dict[int, int]:
    """Bytes by level, of the caches that hold data; levels of which nothing is known are left out.

    >>> from pathlib import Path
    >>> from eqsat.costs.caches import cache_sizes
    >>> cache_sizes(Path("no such folder"))
    {}
    """
    found: dict[int, int] = {}
    for folder in sorted(place.glob("index*")):
        with contextlib.suppress(OSError, ValueError):
            level, kind, size = ((folder / name).read_text().strip() for name in ("level", "type", "size"))
            if kind in ("Data", "Unified"):
                found[int(level)] = int(size.rstrip("KMG")) * UNITS.get(size[-1], 1)
    return found
