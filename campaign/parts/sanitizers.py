"""Random graphs compiled with the sanitizers of addresses and of undefined behaviour; a report ends the process."""

from __future__ import annotations

import random
from contextlib import nullcontext

from campaign.check import Reference, check_mode
from campaign.compilers import sanitized, sanitizer_environment, shared_out, small_blocks
from campaign.digest import finding
from campaign.parts import kernels
from campaign.parts.graphs import Grower
from campaign.trial import Trial

UNIT = "functions"
STEPS = 5
environment = sanitizer_environment


def trial(seed: int) -> Trial:
    """One function: of the whole surface, as written or rewritten, or of kernels of all forms."""
    return of_surface(seed) if seed % 2 else of_kernels(seed // 2)


def of_kernels(seed: int) -> Trial:
    """Fused kernels of a program, in blocks of few rows every other time."""
    result, program = Trial(1), kernels.grow(seed)
    with sanitized(), shared_out(), small_blocks() if seed % 2 else nullcontext():
        failure = kernels.failure_of(program)
        if failure is not None:
            result.failed = 1
            found = finding(program, failure, again=kernels.failure_of)
            result.findings += [found] if found else []
    return result


def of_surface(seed: int) -> Trial:
    """One function of the public surface."""
    result = Trial(1)
    grower = Grower(random.Random(seed + 70_000_000), Trial())
    made = [name for name in (grower.step() for _ in range(STEPS)) if name]
    program = grower.program(made or ["v0"])
    result.count("graphs", len(program.outputs))
    with sanitized():
        failure = check_mode(Reference(program, seed), "FAST_RUN" if seed % 8 == 1 else "FAST_COMPILE")
        if failure is not None:
            result.failed = 1
            found = finding(program, failure)
            result.findings += [found] if found else []
    return result
