"""Locks that a forked child finds open: the thread that held one in the parent does not exist there."""

from __future__ import annotations

import os
import threading
from weakref import WeakSet


class Lock:
    """A lock for ``with``, which no thread of the parent holds after a fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        _locks.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        if self._lock.locked():  # a thread may fork while it holds the lock itself
            self._lock.release()

    def renew(self) -> None:
        """Open the lock, whoever holds it."""
        self._lock = threading.Lock()


_locks: WeakSet[Lock] = WeakSet()


def _open_all() -> None:
    for lock in list(_locks):
        lock.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_open_all)
