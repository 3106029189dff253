"""Work that an interrupt does not tear apart: it is told to end, and cleans up before the interrupt goes on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from threading import Event
from typing import TypeVar

from eqsat.base.caller import carried

Result = TypeVar("Result")
_BEGIN = 1.0  # seconds in which a thread begins, if it was started at all
_GLANCE = 0.1  # seconds between looks for an interrupt: one just before a wait does not end the wait


def apart(work: Callable[[Event], Result]) -> Result:
    """Do work in a thread of its own and wait for it; an interrupt sets the event, and is raised when the work has ended.

    Python raises interrupts in the main thread alone, between any two of its steps: also between the start of a process and
    the line that keeps a hold of it. Work of other threads needs no thread of its own.

    >>> apart(lambda given_up: given_up.is_set())
    False
    """
    given_up = Event()
    if threading.current_thread() is not threading.main_thread():
        return work(given_up)
    results: list[Result] = []
    errors: list[BaseException] = []

    begun, ended = Event(), Event()

    def run() -> None:
        begun.set()
        try:
            results.append(work(given_up))
        except BaseException as error:
            errors.append(error)
        finally:
            ended.set()

    try:
        _run(threading.Thread(target=carried(run), daemon=True))
    except BaseException:
        given_up.set()
        if begun.wait(_BEGIN):
            ended.wait()
        raise
    if errors:
        raise errors.pop()
    return results.pop()


def _run(thread: threading.Thread) -> None:
    try:
        thread.start()
    except RuntimeError:  # there may be no more threads, or the program ends
        thread.run()
    else:
        wait_for(thread)


def wait_for(thread: threading.Thread) -> None:
    """Wait for the end of a thread; an interrupt ends the wait, also one that comes just before it."""
    while thread.is_alive():
        thread.join(_GLANCE)
