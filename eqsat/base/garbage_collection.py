"""Garbage collection waits while many small objects are made that live: it would walk through all of them again and again."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from eqsat.base.forks import Lock

P = ParamSpec("P")
R = TypeVar("R")

_lock = Lock()
_waiting: Counter[int] = Counter()  # calls by thread
_was_on = False
_modules = 0  # that were there when waiting began
_MANY = 20  # modules that are loaded meanwhile


def without_collection(call: Callable[P, R]) -> Callable[P, R]:
    """The function, in which no cycles are collected; the last of several threads to leave turns the collector on again.

    >>> without_collection(gc.isenabled)(), gc.isenabled()
    (False, True)
    """

    @wraps(call)
    def waiting(*arguments: P.args, **named: P.kwargs) -> R:
        with collection_paused():
            return call(*arguments, **named)

    return waiting


@contextmanager
def collection_paused() -> Iterator[None]:
    """A ``with`` block in which no cycles are collected."""
    _enter()
    try:
        yield
    finally:
        _leave()


def _enter() -> None:
    global _was_on, _modules
    with _lock:
        if not _waiting:
            _was_on, _modules = gc.isenabled(), len(sys.modules)
            gc.disable()
        _waiting[threading.get_ident()] += 1


def _leave() -> None:
    with _lock:
        _count_down(threading.get_ident(), 1)


def _count_down(thread: int, calls: int) -> None:
    """Count calls of a thread as done."""
    _waiting.subtract({thread: calls})
    for done in [k for k, n in _waiting.items() if n <= 0]:
        del _waiting[done]
    if not _waiting and _was_on:
        if len(sys.modules) > _modules + _MANY:
            _keep_all()
        gc.enable()


def _keep_all() -> None:
    """Let the collector take all that is there for old, unseen: modules that were just loaded stay, and it would walk
    through all of them next. What is garbage by now goes when old objects are looked at.

    Where the program keeps objects from the collector itself, nothing is done.
    """
    if hasattr(gc, "freeze") and gc.get_freeze_count() == 0:
        gc.freeze()
        gc.unfreeze()


def _in_a_forked_child() -> None:
    """Only the thread that forked goes on."""
    for thread in set(_waiting) - {threading.get_ident()}:
        _count_down(thread, _waiting[thread])


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_a_forked_child)
