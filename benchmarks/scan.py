"""Loops in eqsat, in NumPy and, where the extra ``bench`` installs them, in jax.lax.scan and PyTensor, side by side.

For each row, each library's median time of a call, all taking turns in one process after their values have been
compared; the time of a step; eqsat's time over the library's; and, each from a process of its own that begins with
empty caches, the seconds of the first call (build, compile, run; not the import) and the peak of its memory over what
it was after the import, data and compilation included. Sizes and dtype are the same for all. Threads are as each
library has them by default, on all CPUs; ``--threads 1`` gives every library one CPU.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", default="", help="names with commas between; all by default")
    parser.add_argument("--libraries", default="", help="names with commas between; all by default")
    parser.add_argument("--fast", action="store_true", help="tiny sizes: see whether everything runs")
    parser.add_argument("--warm", action="store_true", help="leave out the first calls and the memory")
    parser.add_argument("--threads", type=int, default=0, help="CPUs for every library; all by default")
    parser.add_argument("--json", type=Path, help="write the figures to a file")
    return parser.parse_args(arguments)


def measure(row: Any, libraries: dict[str, Any], asked: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Figures of a row by library."""
    from recurrent.libraries import alone, run_seconds
    from recurrent.rows import small

    sized = small(row) if asked.fast else row
    rounds, budget = (2, 0.0) if asked.fast else (7, 0.1)
    found = {
        name: {"seconds": seconds, "step_ns": seconds / sized.steps * 1e9}
        for name, seconds in run_seconds(sized, libraries, rounds, budget).items()
    }
    if not asked.warm:
        for name in found:
            found[name].update(alone(row, name, asked.fast))
    show(sized, found)
    return found


def show(row: Any, found: dict[str, dict[str, float]]) -> None:
    """A heading, and a line for each library."""
    print(f"\n{row.name}: {row.title()}")
    ours = found.get("eqsat", {}).get("seconds")
    for name, figures in found.items():
        line = f"  {name:<9} {figures['seconds'] * 1e3:10.3f} ms {figures['step_ns']:12.1f} ns/step"
        if ours is not None:
            line += f"   eqsat/{name:<8} {ours / figures['seconds']:8.3f}"
        if "first" in figures:
            line += f"   first call {figures['first']:6.2f} s   memory {figures['memory'] / 1e6:8.1f} MB"
        print(line, flush=True)


def main() -> None:
    """Measure the rows that are asked for."""
    asked = options()
    if asked.threads:
        from common.cold import use_threads

        use_threads(asked.threads)
    from recurrent.libraries import NAMES, present
    from recurrent.rows import ROWS

    names = asked.rows.split(",") if asked.rows else list(ROWS)
    if unknown := [name for name in names if name not in ROWS]:
        sys.exit(f"no row is called {', '.join(unknown)}; there are {', '.join(ROWS)}")
    libraries, missing = present(asked.libraries.split(",") if asked.libraries else NAMES)
    for library in libraries.values():
        print(library.about)
    for name, why in missing.items():
        print(f"{name} is left out: {why}; pip install 'eqsat[bench]' brings it")
    cpus = len(os.sched_getaffinity(0))
    print(f"{cpus} CPU{'s' * (cpus > 1)}; each library has its own number of threads by default")
    start = time.perf_counter()
    rows = {name: measure(ROWS[name], libraries, asked) for name in names}
    print(f"\n{time.perf_counter() - start:.0f} s")
    if asked.json:
        about = {name: library.about for name, library in libraries.items()}
        asked.json.write_text(json.dumps({"cpus": cpus, "libraries": about, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
