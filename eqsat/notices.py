"""Warnings that are said once per process, however often their cause recurs."""

from __future__ import annotations

import os
import sys
import warnings
from types import FrameType

from eqsat.errors import EqsatWarning

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_SAID: set[str] = set()


def warn_once(key: str, message: str) -> None:
    """Warn, at the user's line, unless a warning with the same key was given before."""
    if key not in _SAID:
        _SAID.add(key)
        warnings.warn(message, EqsatWarning, stacklevel=_levels_to_the_user())


def _levels_to_the_user() -> int:
    """The ``stacklevel`` in ``warn_once`` of the nearest caller outside eqsat."""
    level = 1
    at: FrameType | None = sys._getframe(1)
    while at is not None and at.f_code.co_filename.startswith(_PACKAGE):
        level, at = level + 1, at.f_back
    return level


def forget_warnings() -> None:
    """Let every warning be said again; for tests and long sessions."""
    _SAID.clear()
