"""The modes in which a function can be made: whether its graph is rewritten, and what runs it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eqsat.configuration import config
from eqsat.errors import ModeError


@dataclass(frozen=True)
class Mode:
    """``rewrite``: saturate and extract; ``compiled``: emit C, else run op by op in NumPy."""

    name: str
    rewrite: bool
    compiled: bool
    doc: str


MODES = {
    mode.name: mode
    for mode in (
        Mode("reference", False, False, "the graph as written, op by op in NumPy"),
        Mode("FAST_COMPILE", False, True, "the graph as written, in C"),
        Mode("FAST_RUN", True, True, "the rewritten graph, fused, in C"),
        Mode("numpy", True, False, "the rewritten graph, op by op in NumPy"),
    )
}


def get_mode(mode: Any = None) -> Mode:
    """Mode of a name, a Mode, or None for ``config.mode``. Raises ModeError for an unknown name."""
    if isinstance(mode, Mode):
        return mode
    name = config.mode if mode is None else mode
    if name not in MODES:
        raise ModeError(
            f"there is no mode {name!r}",
            needs="one of " + ", ".join(MODES),
            hint="mode='FAST_RUN'",
            mode=name,
        )
    return MODES[name]
