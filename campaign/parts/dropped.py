"""Functions that are made, called and dropped: memory, mappings and open files must not grow with their number."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
import warnings

import eqsat
from campaign import plain
from campaign.children import in_child
from campaign.compilers import script
from campaign.program import Program
from campaign.trial import Finding, Trial
from eqsat import config

UNIT = "functions"
DISTINCT = 30  # programs of a trial, each compiled once, and made again out of the cache
TIMES = 25
WARM = 6  # programs before the first measure
MEGABYTES = 0.05  # that a function may leave behind


def trial(seed: int) -> Trial:
    """One child that makes and drops functions, most of them out of the cache."""
    made = tempfile.mkdtemp(prefix="campaign-")
    try:
        with config.change_flags(cc=script("-O0"), cache_dir=made):
            end = in_child(lambda: rounds(seed), 600)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    number = DISTINCT * TIMES
    result = Trial(number)
    bad = end.bad or wrong(end.value, number)
    if bad:
        result.failed = 1
        result.findings.append(Finding(f"dropped {bad.partition(':')[0]}", bad, f"dropped.trial({seed})"))
    return result


def rounds(seed: int) -> dict[str, float]:
    """How much of each grows after the first functions."""
    programs = [plain.grow(seed * 100 + k, 2) for k in range(DISTINCT)]
    for k in range(WARM):
        drop(plain.grow(seed * 100 + DISTINCT + k, 2))
    before = held()
    for _ in range(TIMES):
        for program in programs:
            drop(program)
    after = held()
    return {name: after[name] - before[name] for name in after}


def drop(program: Program) -> None:
    """Make a function, call it and forget it."""
    inputs, outputs, values = program.graph()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        eqsat.function(inputs, outputs, mode="FAST_COMPILE")(*values)


def held() -> dict[str, float]:
    """Mappings, open files and megabytes of this process."""
    gc.collect()
    with open("/proc/self/maps", encoding="ascii", errors="replace") as file:
        mappings = len(file.readlines())
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[1])
    return {"mappings": mappings, "files": len(os.listdir("/proc/self/fd")), "megabytes": pages * 4 / 1024}


def wrong(grown: dict[str, float], number: int) -> str | None:
    """What grows with the number of functions."""
    limits = {"mappings": DISTINCT, "files": DISTINCT / 2, "megabytes": MEGABYTES * number}
    over = [name for name, limit in limits.items() if grown[name] > limit]
    return f"{' and '.join(over)} grow: {grown} with {number} functions" if over else None
