"""Forked children of a worker: a crash, a hang or a kill of one is something to look at, not the end of the campaign.

The worker itself must not have loaded egglog, which does not survive a fork.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import os
import pickle
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG


@dataclass(frozen=True)
class Ended:
    """How a child ended: what its function gave, or the error, signal or time limit that ended it."""

    value: Any = None
    error: str = ""
    signal: int = 0
    hung: bool = False

    @property
    def bad(self) -> str | None:
        """What is wrong, in words: an end without a Python error, or an error that was not expected."""
        if self.hung:
            return "hangs"
        if self.signal:
            return f"was ended by {signal.Signals(self.signal).name}"
        return self.error or None


class Child:
    """A forked process that runs a function and sends back what it gives."""

    def __init__(self, function: Callable[[], Any]) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        self.end, start = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.setpgid(0, 0)
            os.close(self.end)
            run(function, start)
        with contextlib.suppress(OSError):
            os.setpgid(self.pid, self.pid)  # here too: it must be done before the group is killed
        os.close(start)

    def kill(self, group: bool = True) -> None:
        """End the child at once, with all that it started or alone."""
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if group else os.kill)(self.pid, signal.SIGKILL)

    def ended(self, seconds: float) -> Ended:
        """Wait for the end, at most so long."""
        limit, data = time.monotonic() + seconds, b""
        os.set_blocking(self.end, False)
        status: int | None = None
        while status is None and time.monotonic() < limit:
            pid, found = os.waitpid(self.pid, os.WNOHANG)
            status = found if pid else None
            data += read(self.end)
            if status is None:
                time.sleep(0.005)
        hung = status is None
        if status is None:
            self.kill()
            status = os.waitpid(self.pid, 0)[1]
        data += read(self.end)
        os.close(self.end)
        if hung:
            return Ended(hung=True)
        if os.WIFSIGNALED(status):
            return Ended(signal=os.WTERMSIG(status))
        value, error = pickle.loads(data) if data else (None, "ended without an answer")
        return Ended(value, error)


def read(end: int) -> bytes:
    """What there is to read."""
    found = b""
    with contextlib.suppress(BlockingIOError):
        while piece := os.read(end, 1 << 16):
            found += piece
    return found


def run(function: Callable[[], Any], start: int) -> None:
    """Run in the child, and end it, whatever happens: nothing of the worker may go on here."""
    try:
        end_with_parent()
        faulthandler.enable()
        with os.fdopen(start, "wb") as stream:
            pickle.dump(answer(function), stream)
    finally:
        os._exit(0)


def end_with_parent() -> None:
    """Have the system end this process when the one that started it ends."""
    ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)


def answer(function: Callable[[], Any]) -> tuple[Any, str]:
    """What a function gives, or the error in words."""
    try:
        return function(), ""
    except BaseException as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return None, f"{type(error).__name__}: {str(error)[:500]} ({last.filename}:{last.lineno})"


def in_child(function: Callable[[], Any], seconds: float = 120.0) -> Ended:
    """Run a function in a child and wait for it."""
    return Child(function).ended(seconds)


@contextlib.contextmanager
def ending(children: list[Child]) -> Iterator[None]:
    """Children that are killed, whatever happens."""
    try:
        yield
    finally:
        for child in children:
            child.kill()
