"""Garbage collection waits while many small objects are made that live: it would walk through all of them again and again."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_waiting = 0
_was_on = False


@contextmanager
def no_collection() -> Iterator[None]:
    """Collect no cycles inside; the last of several threads to leave turns the collector on, if it was on.

    >>> with no_collection():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    global _waiting, _was_on
    with _lock:
        if _waiting == 0:
            _was_on = gc.isenabled()
            gc.disable()
        _waiting += 1
    try:
        yield
    finally:
        with _lock:
            _waiting -= 1
            if _waiting == 0 and _was_on:
                gc.enable()
