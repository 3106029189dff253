"""Random scan programs give the same values in every mode and in plain loops, and the gradients that differences give.

``EQSAT_SCAN_PROGRAMS=n`` runs n programs, each in every mode, instead of 500 with the modes by turns;
``EQSAT_SCAN_START`` is the first seed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import pytest

import eqsat
from campaign.scans.checks import problem
from campaign.scans.graphs import Graph
from campaign.scans.programs import Program
from campaign.scans.random_programs import grow
from campaign.scans.shrinking import shrink
from eqsat.pipeline.modes import get_mode

SOAK = "EQSAT_SCAN_PROGRAMS" in os.environ
PROGRAMS = int(os.environ.get("EQSAT_SCAN_PROGRAMS", "500"))
START = int(os.environ.get("EQSAT_SCAN_START", "0"))
TOGETHER = 10  # programs in one function, so that what is made once per function is made once for all
MODES: dict[str, Any] = {
    "numpy": "numpy",
    "FAST_RUN": "FAST_RUN",
    "FAST_COMPILE": "FAST_COMPILE",
    "without fusion": get_mode("FAST_RUN").excluding("fusion"),
}
GROUPS = range(START, START + PROGRAMS, TOGETHER)


def report(programs: Sequence[Program], mode: Any, error: BaseException) -> str:
    """The smallest program with the failure of a group, as a description and as a graph."""
    alone = [(p, e) for p, e in ((p, problem([p], mode)) for p in programs) if e is not None]
    if not alone:
        seeds = ", ".join(p.seed for p in programs)
        return f"{mode}: programs fail only together: {seeds}\n{error}"
    p, first = alone[0]
    kind = type(first)
    small = shrink(p, lambda other: type(problem([other], mode)) is kind)
    last = problem([small], mode)
    graph = eqsat.printing.debugprint(Graph(small).outputs, file="str")
    return f"{mode}: {kind.__name__}: {last}\n{len(alone)} programs fail alone; {p.seed} made smaller:\n{small}\n\n{graph}"


def fault(programs: Sequence[Program], mode: Any) -> str | None:
    """The report of a group that fails."""
    error = problem(programs, mode)
    return None if error is None else report(programs, mode, error)


@pytest.mark.sweep
@pytest.mark.parametrize("first", GROUPS)
def test_the_reference_equals_plain_loops(first: int) -> None:
    for seed in range(first, first + TOGETHER):
        wrong = fault([grow(seed)], "reference")
        assert wrong is None, wrong


def modes_of(group: int) -> list[str]:
    """One of the modes by turns, or all in a long run."""
    return list(MODES) if SOAK else [list(MODES)[group % len(MODES)]]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("name", "first"), [(name, first) for k, first in enumerate(GROUPS) for name in modes_of(k)]
)
def test_every_mode_equals_plain_loops(name: str, first: int) -> None:
    wrong = fault([grow(seed) for seed in range(first, first + TOGETHER)], MODES[name])
    assert wrong is None, wrong
