"""Garbage collection waits while many small objects are made that live: it would walk through all of them again and again."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_lock = threading.Lock()
_waiting = 0
_was_on = False


def without_collection(call: Callable[P, R]) -> Callable[P, R]:
    """The function, in which no cycles are collected; the last of several threads to leave turns the collector on again.

    >>> without_collection(gc.isenabled)(), gc.isenabled()
    (False, True)
    """

    @wraps(call)
    def waiting(*arguments: P.args, **named: P.kwargs) -> R:
        _enter()
        try:
            return call(*arguments, **named)
        finally:
            _leave()

    return waiting


def _enter() -> None:
    global _waiting, _was_on
    with _lock:
        if _waiting == 0:
            _was_on = gc.isenabled()
            gc.disable()
        _waiting += 1


def _leave() -> None:
    global _waiting
    with _lock:
        _waiting -= 1
        if _waiting == 0 and _was_on:
            gc.enable()
