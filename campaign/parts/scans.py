"""Random scan programs, several in a function, against loops over arrays; every fourth seed their gradients."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from campaign.check import told
from campaign.compilers import quick
from campaign.scans.checks import check
from campaign.scans.programs import Program
from campaign.scans.random_programs import grow, slopes
from campaign.scans.shrinking import shrink
from campaign.scans.slopes import gradients
from campaign.trial import Finding, Trial
from eqsat.pipeline.modes import get_mode

UNIT = "scans"
TOGETHER = 5  # programs in a function
FIRST = 1_000_000  # seed of the first program: those of the tests come before
MODES = ("numpy", "FAST_RUN", "numpy", "FAST_COMPILE", "numpy", "numpy", "FAST_RUN excluding fusion")


def mode_called(name: str) -> Any:
    plain, _, without = name.partition(" excluding ")
    return get_mode(plain).excluding(without) if without else plain


def trial(seed: int) -> Trial:
    """A few programs in one mode."""
    slopes_too = seed % 4 == 3
    numbers = range(FIRST + seed * TOGETHER, FIRST + (seed + 1) * TOGETHER)
    programs = [grow(n, smooth=slopes_too) for n in numbers]
    mode = ("numpy" if seed % 8 == 3 else "FAST_RUN") if slopes_too else MODES[seed % len(MODES)]
    run = gradients if slopes_too else check
    result = Trial(len(programs))
    result.count(mode, len(programs))
    if slopes_too:
        result.count("gradients", len(programs))
    with quick():
        error = problem(run, programs, mode)
        if error is not None:
            result.failed = 1
            result.findings.append(finding(run, programs, mode, error))
    return result


def problem(run: Callable[..., None], programs: Sequence[Program], mode: str) -> Exception | None:
    try:
        run(programs, mode_called(mode))
    except Exception as error:
        return error
    return None


def finding(run: Callable[..., None], programs: Sequence[Program], mode: str, error: Exception) -> Finding:
    """The smallest program that ends in the same class of error."""
    kind = type(error)
    alone = [p for p in programs if type(problem(run, [p], mode)) is kind]
    what = " ".join(str(error).split())[:500]
    if not alone:
        names = ", ".join(p.seed for p in programs)
        return Finding(
            f"{mode} scans together {kind.__name__}",
            f"{mode}: only together: {names}: {what}",
            text(run, programs, mode),
        )
    small = shrink(alone[0], lambda p: sloped(run, p) and type(problem(run, [p], mode)) is kind)
    last = problem(run, [small], mode) or error
    key = f"{mode} scan {kind.__name__} {len(small.body)} {sorted({s.op for s in small.body if hasattr(s, 'op')})}"
    shown = told(last) if kind is not AssertionError else " ".join(str(last).split())[:500]
    return Finding(key, f"{mode}: {shown}\n{small}", text(run, [small], mode))


def sloped(run: Callable[..., None], p: Program) -> bool:
    return run is check or slopes(p)


KIND = re.compile(r"kind=(\w+)\[([^\]]*)\]")  # which prints itself shorter than Python


def kind(found: re.Match[str]) -> str:
    dims = tuple(d for d in found[2].split(", ") if d)
    return f"kind=Kind({found[1]!r}, {dims!r})"


def text(run: Callable[..., None], programs: Sequence[Program], mode: str) -> str:
    """Python that runs programs again."""
    lines = [f"from {run.__module__} import {run.__name__}", "from campaign.parts.scans import mode_called"]
    lines.append("from campaign.scans.programs import Input, Kind, Let, Loop, Program, Result, Rows")
    made = ",\n    ".join(KIND.sub(kind, repr(p)) for p in programs)
    return "\n".join([*lines, f"{run.__name__}([\n    {made}\n], mode_called({mode!r}))"])
