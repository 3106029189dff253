"""Every expression of the table as written, by name, for ``eqsat rules ablate --graphs wins``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wins.case import Pair
from wins.measure import SECTIONS
from wins.spellings import GROUPS


def as_written(make: Pair) -> Callable[[], Any]:
    """A function that gives the first of two graphs."""
    return lambda: make()[0]


def named() -> dict[str, Any]:
    """Functions that give the outputs, by name; one whose name is taken has its section behind it."""
    found: dict[str, Any] = {}
    for section, cases in SECTIONS.items():
        for case in cases:
            name = case.name if case.name not in found else f"{case.name} ({section})"
            found[name] = as_written(case.make)
    return found | {f"{g.name} {name}": make for g in GROUPS for name, make in g.spellings.items()}


GRAPHS = named()
