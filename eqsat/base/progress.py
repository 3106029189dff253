"""Progress of what takes longer than a second: a line on a terminal or in a notebook, and silence anywhere else."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

WAIT, EACH = 1.0, 0.2  # seconds before the first line, and between two
WIDTH = 24  # signs of a bar
CLEARED = "\r\x1b[K"
P = ParamSpec("P")
R = TypeVar("R")


class Progress:
    """A line that says how far something is: ``done`` of ``total`` parts, or the seconds of a limit that have gone by.

    Inside another one it says nothing.

    >>> with Progress("rules", total=3) as progress:
    ...     progress.step("log-exp")
    >>> progress.line(2.0)
    'rules  ████████················  1/3  2 s  log-exp'
    >>> Progress("explain", seconds=20.0).line(5.0)
    'explain  ██████··················  5 of at most 20 s'
    """

    _outer: Progress | None = None

    def __init__(self, title: str, total: int | None = None, seconds: float | None = None) -> None:
        self.title, self.total, self.seconds = title, total, seconds
        self.done, self.last = 0, ""
        self._start = time.monotonic()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._screen: Any = None
        self._lock = threading.Lock()

    def step(self, name: str = "") -> None:
        """Count one more part."""
        self.done, self.last = self.done + 1, name

    def line(self, gone: float) -> str:
        """The line after some seconds."""
        if self.total:
            part, said = self.done / self.total, f"{self.done}/{self.total}  {gone:.0f} s"
        elif self.seconds:
            part, said = min(1.0, gone / self.seconds), f"{gone:.0f} of at most {self.seconds:g} s"
        else:
            return f"{self.title}  {gone:.0f} s"
        full = round(WIDTH * part)
        words = (self.title, "█" * full + "·" * (WIDTH - full), said, self.last)
        return "  ".join(filter(None, words))

    def __enter__(self) -> Progress:
        if Progress._outer is None and (screen := find_screen()) is not None:
            Progress._outer, self._screen = self, screen
            self._start = time.monotonic()
            self._thread = threading.Thread(target=self._show, args=(screen,), daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._thread is not None:
            Progress._outer = None
            self._ended.set()
            self._thread.join()

    def _show(self, screen: Any) -> None:
        """Write the line again and again, and take it away at the end."""
        if self._ended.wait(WAIT):
            return
        while not self._ended.wait(EACH):
            with self._lock:
                screen.show(self.line(time.monotonic() - self._start))
        screen.clear()

    @classmethod
    def say(cls, text: str) -> None:
        """Print a line of what has been found so far; a line of progress that is on the terminal makes room for it.

        >>> Progress.say("log-exp")
        log-exp
        """
        outer = cls._outer
        if outer is None:
            print(text, flush=True)
            return
        with outer._lock:
            outer._screen.clear()
            print(text, flush=True)


def shows_progress(title: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function so that each call shows how long it has been running.

    >>> shows_progress("double")(lambda x: 2 * x)(21)
    42
    """

    def decorated(call: Callable[P, R]) -> Callable[P, R]:
        @wraps(call)
        def shown(*arguments: P.args, **named: P.kwargs) -> R:
            with Progress(title):
                return call(*arguments, **named)

        return shown

    return decorated


class Terminal:
    """The last line of a terminal."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def show(self, line: str) -> None:
        """Replace the line."""
        print(CLEARED + line[:100], end="", file=self.stream, flush=True)

    def clear(self) -> None:
        """Leave an empty line."""
        print(CLEARED, end="", file=self.stream, flush=True)


class Notebook:
    """An output of a cell, which is replaced through its handle."""

    def __init__(self, display: Any) -> None:
        self.display, self.handle = display, None

    def show(self, line: str) -> None:
        """Replace the output."""
        said = {"text/plain": line}
        if self.handle is None:
            self.handle = self.display(said, raw=True, display_id=True)
        else:
            self.handle.update(said, raw=True)

    def clear(self) -> None:
        """Leave an empty output."""
        if self.handle is not None:
            self.handle.update({"text/plain": ""}, raw=True)


def find_screen() -> Terminal | Notebook | None:
    """The notebook whose cell runs, or the terminal on which errors appear; None where nobody looks."""
    shell = sys.modules.get("IPython")
    running = shell and shell.get_ipython()
    if running and hasattr(running, "kernel"):
        return Notebook(sys.modules["IPython"].display.display)
    stream = sys.stderr
    return Terminal(stream) if stream is not None and stream.isatty() else None
