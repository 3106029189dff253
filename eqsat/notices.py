"""Warnings that are said once per process, however often their cause recurs."""

from __future__ import annotations

import warnings

from eqsat.errors import EqsatWarning

_SAID: set[str] = set()


def warn_once(key: str, message: str) -> None:
    """Warn with a message unless a warning with the same key was given before."""
    if key not in _SAID:
        _SAID.add(key)
        warnings.warn(message, EqsatWarning, stacklevel=3)


def forget_warnings() -> None:
    """Let every warning be said again; for tests and long sessions."""
    _SAID.clear()
