"""Derivatives of random scan programs against differences, which are taken of loops over arrays."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import pytest

import eqsat
from campaign.scans.graphs import Graph
from campaign.scans.programs import Program
from campaign.scans.random_programs import grow, slopes
from campaign.scans.shrinking import shrink
from campaign.scans.slopes import forward, gradients, second, truncates

SOAK = "EQSAT_SCAN_PROGRAMS" in os.environ
PROGRAMS = int(os.environ.get("EQSAT_SCAN_PROGRAMS", "500")) // 5
START = int(os.environ.get("EQSAT_SCAN_START", "0"))
TOGETHER = 5


def fault(check: Any, programs: Sequence[Program], mode: Any) -> str | None:
    """What a check finds, told of the smallest program that has it."""
    try:
        check(programs, mode)
        return None
    except Exception as error:
        kind, first = type(error), error
    alone = [p for p in programs if _fails(check, p, mode, Exception)]
    if not alone:
        return f"only together: {[p.seed for p in programs]}: {first}"
    small = shrink(alone[0], lambda p: slopes(p) and _fails(check, p, mode, kind))
    text = f"{kind.__name__}: {first}\n{len(alone)} fail alone; {alone[0].seed} made smaller:\n{small}\n\n"
    return text + str(eqsat.printing.debugprint(Graph(small).outputs, file="str"))


def _fails(check: Any, p: Program, mode: Any, kind: type[BaseException]) -> bool:
    try:
        check([p], mode)
    except kind:
        return True
    except Exception:
        return False
    return False


GROUPS = range(START, START + PROGRAMS, TOGETHER)


@pytest.mark.parametrize("first", GROUPS)
def test_gradients_equal_differences(first: int) -> None:
    for seed in range(first, first + TOGETHER):
        wrong = fault(gradients, [grow(seed, smooth=True)], "reference")
        assert wrong is None, wrong


def modes_of(group: int) -> list[str]:
    """One of the rewriting modes by turns, or both in a long run."""
    return ["numpy", "FAST_RUN"] if SOAK else [["numpy", "FAST_RUN"][group % 2]]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("mode", "first"), [(mode, first) for k, first in enumerate(GROUPS) for mode in modes_of(k)]
)
def test_compiled_gradients_equal_differences(mode: str, first: int) -> None:
    wrong = fault(gradients, [grow(seed, smooth=True) for seed in range(first, first + TOGETHER)], mode)
    assert wrong is None, wrong


@pytest.mark.parametrize("first", GROUPS)
def test_second_derivatives_and_changes(first: int) -> None:
    for seed in range(first, first + TOGETHER):
        p = grow(seed, smooth=True)
        wrong = fault(forward, [p], "reference")
        assert wrong is None, wrong
        if seed % 3 == 0 and not truncates(p.body):
            wrong = fault(second, [p], "reference")
            assert wrong is None, wrong
