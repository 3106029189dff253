"""Threads that help with kernels, one team for the process: part of the launcher, which gives every call its way to them.

A kernel is cut into more pieces than there are threads, by its lengths alone; a thread takes the next piece when it is done with
one, so that one whose core is busy takes few. The caller takes pieces, too, and waits for threads that have begun, never
for one that still sleeps: where another program has the core, a kernel takes as long as on one thread. That is what OpenMP
does not do, whose loops end when every thread has come. A call that finds the team at work, as when several threads of Python
call functions, runs on its own thread.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from eqsat.cgen.c_files import sections
from eqsat.cgen.runtime.build import cores

HEADERS, TEAM = sections(__file__, "team.c").values()


def most_threads(asked: int | str) -> int:
    """The number of threads that ``config.threads`` stands for; "auto" is that of the cores, or what OMP_NUM_THREADS says."""
    if asked != "auto":
        return int(asked)
    given = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    if given.isdigit() and int(given) > 0:
        return int(given)
    return cores()


class Threads(NamedTuple):
    """The most threads of the kernels of a function, and of the matrix routines that it calls: 0 for as many as their library is told."""

    kernels: int
    routines: int

    @classmethod
    def of(cls, kernels: int | str, routines: int | str, shared: bool) -> Threads:
        """Those that ``config.threads`` and ``config.blas_threads`` ask for; kernels printed for one thread have one."""
        return cls(most_threads(kernels) if shared else 1, 0 if routines == "auto" else int(routines))
