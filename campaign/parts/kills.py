"""Processes that are killed while they compile; the cache that they leave must serve the next one."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
import time

from campaign import plain
from campaign.children import Child, ending, in_child
from campaign.trial import Finding, Trial
from eqsat import config

UNIT = "kills"
PROGRAMS = 3
LATEST = 1.5  # seconds until the kill


def trial(seed: int) -> Trial:
    """Kill one process, then make the same functions in another one."""
    rng, result = random.Random(seed), Trial(1)
    folder = tempfile.mkdtemp(prefix="campaign-")
    try:
        with config.change_flags(cache_dir=os.path.join(folder, "cache")):
            child = Child(lambda: made(seed))
            with ending([child]):
                time.sleep(rng.uniform(0.02, LATEST))
                child.kill(group=rng.random() < 0.5)  # else the compiler goes on alone
                child.ended(10)
            after = in_child(lambda: made(seed))
        bad = after.bad or after.value
        if bad:
            result.failed = 1
            result.findings.append(
                Finding(f"kills {bad[:80]}", f"after a kill: {bad}", f"kills.trial({seed})")
            )
        result.count("temporary files left", left(folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return result


def made(seed: int) -> str | None:
    """Make and run some functions; what is wrong with the first that is."""
    for k in range(PROGRAMS):
        wrong = plain.outcome(plain.grow(PROGRAMS * seed + k), "FAST_RUN" if k % 2 else "FAST_COMPILE")
        if wrong:
            return wrong
    return None


def left(folder: str) -> int:
    """Files in a cache that are neither objects nor texts."""
    names = [name for _, _, files in os.walk(folder) for name in files]
    return sum(name.startswith("tmp") or name.endswith(".tmp") for name in names)
