"""Two threads beside one: every workload of ``peers.py`` in eqsat, on cores as they are and beside a busy neighbour.

A function with one thread and the same one with several take turns, call by call; a figure is the median time of the second
over that of the first, so more than 1 means that threads hurt. The neighbour is a loop that does nothing on the last core.
Results have to be the same to the last bit.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import eqsat

sys.path.insert(0, str(Path(__file__).resolve().parent))

BUSY = "import os\nos.sched_setaffinity(0, [max(os.sched_getaffinity(0))])\nwhile True: pass"


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="workloads with commas between; all by default")
    parser.add_argument("--budget", type=float, default=1.0, help="seconds of calls for each figure")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


@contextmanager
def neighbour(busy: bool) -> Iterator[None]:
    """A process that keeps a core busy, if it is wanted."""
    process = subprocess.Popen([sys.executable, "-c", BUSY]) if busy else None
    try:
        yield
    finally:
        if process is not None:
            process.kill()
            process.wait()


def in_turns(calls: list[Callable[[], Any]], budget: float) -> list[float]:
    """The median seconds of calls that alternate for some seconds, at least three times."""
    times: list[list[float]] = [[] for _ in calls]
    stop = time.perf_counter() + budget
    while time.perf_counter() < stop or len(times[0]) < 3:
        for call, found in zip(calls, times, strict=True):
            start = time.perf_counter()
            call()
            found.append(time.perf_counter() - start)
    return [statistics.median(found) for found in times]


def functions(name: str, threads: tuple[int, int]) -> list[Callable[[], Any]]:
    """Calls of a workload under two numbers of threads, whose results are the same."""
    from beside.catalogue import WORKLOADS
    from beside.libraries import flat, in_eqsat

    data, calls = WORKLOADS[name].data(), []
    for number in threads:
        with eqsat.config.change_flags(threads=number):
            calls.append(in_eqsat(WORKLOADS[name], data))
    one, several = ([np.asarray(r).tobytes() for r in flat(call())] for call in calls)
    if one != several:
        sys.exit(f"{name}: the results depend on the number of threads")
    return calls


def main() -> None:
    """Print a row for each workload, and which are slower with several threads."""
    from beside.catalogue import WORKLOADS

    asked = options()
    print("| workload | one thread | as it is | neighbour |\n|---|---|---|---|", flush=True)
    slower = []
    for name in asked.only.split(",") if asked.only else WORKLOADS:
        calls, cells = functions(name, (1, asked.threads)), []
        for busy in (False, True):
            with neighbour(busy):
                one, several = in_turns(calls, asked.budget)
            cells += [] if busy else [f"{one * 1e3:.3g} ms"]
            cells.append(f"{several / one:.2f}")
            if several > 1.05 * one:
                slower.append(f"{name} {several / one:.2f}{' beside a neighbour' if busy else ''}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    print(f"\nslower with {asked.threads} threads: {', '.join(slower) or 'none'} ({os.cpu_count()} cores)")


if __name__ == "__main__":
    main()
