"""Threads that make functions and call them, some of them the same one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import eqsat
from campaign import plain
from campaign.children import in_child
from campaign.compilers import quick
from campaign.trial import Finding, Trial

UNIT = "calls"
THREADS = 4
CALLS = 50


def trial(seed: int) -> Trial:
    """One child with some threads."""
    result = Trial(THREADS * CALLS)
    with quick():
        end = in_child(lambda: threads(seed))
    bad = end.bad or end.value
    if bad:
        result.failed = 1
        result.findings.append(Finding(f"threads {bad[:80]}", f"in threads: {bad}", f"threads.trial({seed})"))
    return result


def threads(seed: int) -> str | None:
    """What is wrong in the first thread in which something is."""
    program = plain.grow(seed)
    inputs, outputs, values = program.graph()
    shared = eqsat.function(inputs, outputs, mode="FAST_RUN" if seed % 2 else "FAST_COMPILE")
    wanted = shared(*values)
    with ThreadPoolExecutor(THREADS) as pool:
        jobs = [pool.submit(calls, shared, values, wanted, seed, k) for k in range(THREADS)]
        return next((wrong for wrong in (job.result() for job in jobs) if wrong), None)


def calls(shared: Any, values: Any, wanted: Any, seed: int, thread: int) -> str | None:
    """Calls of the shared function, and one function of the thread's own in between."""
    for call in range(CALLS):
        if call == CALLS // 2:
            wrong = plain.outcome(
                plain.grow(10_000 + THREADS * seed + thread), ("numpy", "FAST_RUN")[thread % 2]
            )
            if wrong:
                return wrong
        for ours, want in zip(shared(*values), wanted):
            if not np.array_equal(ours, want, equal_nan=True):
                return f"call {call} gives {ours}, alone {want}"
    return None
