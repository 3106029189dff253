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


GRAPHS: dict[str, Any] = {
    **{case.name: as_written(case.make) for cases in SECTIONS.values() for case in cases},
    **{f"{group.name} {name}": make for group in GROUPS for name, make in group.spellings.items()},
}
"""Functions that give the outputs; those of spellings have the name of what they spell before their own."""
