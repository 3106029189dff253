"""Warnings at the user's line, and those that are said once per process, however often their cause recurs."""

from __future__ import annotations

import threading
import warnings

from eqsat.base.caller import caller, caller_frame
from eqsat.errors import EqsatWarning

_SAID: set[str] = set()


def warn_once(key: str, message: str) -> None:
    """Warn, at the user's line, unless a warning with the same key was given before."""
    if key not in _SAID:
        _SAID.add(key)
        warn(message)


def warn(message: str) -> None:
    """Warn at the user's line; where no line of a user led here, the warning names the thread."""
    frame, line = caller_frame(), caller()
    path, number = line or (f"<thread {threading.current_thread().name}>", 0)
    of_module = {} if frame is None else frame.f_globals
    warnings.warn_explicit(
        message,
        EqsatWarning,
        path,
        number,
        of_module.get("__name__", path),
        of_module.setdefault("__warningregistry__", {}),
    )


def forget_warnings() -> None:
    """Let every warning be said again; for tests and long sessions."""
    _SAID.clear()
