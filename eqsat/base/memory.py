"""The memory that this process may still take."""

from __future__ import annotations

from math import inf
from pathlib import Path

_GROUP = Path("/sys/fs/cgroup")


def available() -> float:
    """Bytes that can be allocated before a limit is met: of the machine, the control group or the process.

    Units    bytes; inf where nothing is known

    >>> available() > 0
    True
    """
    return min(_of_machine(), _of_group(), _of_process())


def _of_machine() -> float:
    for line in _text(Path("/proc/meminfo")).splitlines():
        if line.startswith("MemAvailable:"):
            return float(line.split()[1]) * 1024
    return inf


def _of_group() -> float:
    limit, used = (_text(_GROUP / f"memory.{name}").strip() for name in ("max", "current"))
    return float(limit) - float(used) if limit.isdigit() and used.isdigit() else inf


def _of_process() -> float:
    """The bytes that ``ulimit -v`` leaves."""
    try:
        import resource
    except ImportError:  # not on this system
        return inf
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = _text(Path("/proc/self/statm")).split()
    if limit == resource.RLIM_INFINITY or not pages:
        return inf
    return max(0.0, limit - float(pages[0]) * resource.getpagesize())


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""
