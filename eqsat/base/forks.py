"""Locks that a forked child finds open: the thread that held one in the parent does not exist there.

Python's own locks of modules are not opened: an import that is going on in another thread is waited for before the fork.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
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


# what functions of eqsat import when they are called
_IMPORTED = {"eqsat", "numpy", "scipy", "sympy", "egglog"}


def _finish_imports() -> None:
    """Wait until no module that eqsat needs is being imported: the child could never import it."""
    while going_on := [name for name in list(sys.modules) if _is_imported_now(name)]:
        with contextlib.suppress(ImportError):
            importlib.import_module(going_on[0])
        if _is_imported_now(going_on[0]):
            break  # this thread imports it, or waits for a thread that waits for it


def _is_imported_now(name: str) -> bool:
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return name.partition(".")[0] in _IMPORTED and getattr(spec, "_initializing", False)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_finish_imports, after_in_child=_open_all)
