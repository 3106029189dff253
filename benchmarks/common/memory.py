"""Memory that this process holds, and the most that it has held."""

from __future__ import annotations

import ctypes
import gc
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def _told(field: str) -> float | None:
    """Bytes of a field of ``/proc/self/status``; None where there is no such file."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith(field + ":"):
                return float(line.split()[1]) * 1024
    return None


def more(call: Callable[[], Any], times: int = 3) -> float:
    """Bytes that some calls hold at most beyond what was resident before; NaN where the system does not tell."""
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5")  # the most that was held is from here on
    before = _told("VmRSS")
    for _ in range(times):
        call()
    most = _told("VmHWM")
    return float("nan") if before is None or most is None else most - before


def peak() -> float:
    """Bytes. Linux counts in ``ru_maxrss`` what the parent held before the program began, and VmHWM does not."""
    if (told := _told("VmHWM")) is not None:
        return told
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(most) * (1 if sys.platform == "darwin" else 1024)
