"""Random graphs compiled with the sanitizers of addresses and of undefined behaviour; a report ends the process."""

from __future__ import annotations

import random

from campaign.check import Reference, check_mode
from campaign.compilers import sanitized, sanitizer_environment
from campaign.digest import finding
from campaign.parts.graphs import Grower
from campaign.trial import Trial

UNIT = "functions"
STEPS = 5
environment = sanitizer_environment


def trial(seed: int) -> Trial:
    """One function, as written or rewritten."""
    result = Trial(1)
    grower = Grower(random.Random(seed + 70_000_000), Trial())
    made = [name for name in (grower.step() for _ in range(STEPS)) if name]
    program = grower.program(made or ["v0"])
    result.count("graphs", len(program.outputs))
    with sanitized():
        failure = check_mode(Reference(program, seed), "FAST_RUN" if seed % 4 == 0 else "FAST_COMPILE")
        if failure is not None:
            result.failed = 1
            found = finding(program, failure)
            result.findings += [found] if found else []
    return result
