"""Workloads in eqsat, NumPy, JAX, torch.compile and Numba, side by side.

Each workload is one program over the functions of a library, so that all compute the same; for NumPy gradients are
written by hand, and Numba gets loops where they are natural. Every library computes in a process of its own, its results
are compared with NumPy's, and then all take turns: the figures are medians over rounds, ratios those within a round.
``--cold`` tells the seconds of the first call of a new function, in a warm process and with empty caches.
Libraries that are not installed are left out: the extra ``peers`` brings them.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="workloads with commas between; all by default")
    parser.add_argument("--libraries", default="", help="libraries with commas between; all by default")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--budget", type=float, default=0.3, help="seconds of calls in a round")
    parser.add_argument(
        "--threads", type=int, default=0, help="threads of every library; as each has them by default"
    )
    parser.add_argument("--cold", action="store_true", help="first calls: empty caches")
    parser.add_argument("--list", action="store_true", help="name the workloads")
    parser.add_argument("--json", type=Path, help="write the figures to a file")
    return parser.parse_args()


def mean(values: list[float]) -> float:
    """Geometric mean; NaN of nothing."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def line(name: str, found: dict[str, Any], libraries: list[str]) -> str:
    """A row of the table."""
    cells = [f"{found['numpy']['seconds'] * 1e3:.3g} ms" if "seconds" in found.get("numpy", {}) else "wrong"]
    for library in libraries[1:]:
        figures = found.get(library)
        cells.append("" if figures is None else "wrong" if "wrong" in figures else f"{figures['speed']:.2f}")
    ahead = beside(found)
    cells.append("" if ahead is None else f"**{ahead:.2f}**")
    return f"| {name} | " + " | ".join(cells) + " |"


def beside(found: dict[str, Any]) -> float | None:
    """Speed of eqsat over that of the best other library; None where one of them is missing."""
    speeds = {name: f["speed"] for name, f in found.items() if "speed" in f}
    others = [speed for name, speed in speeds.items() if name != "eqsat"]
    return speeds["eqsat"] / max(others) if "eqsat" in speeds and others else None


def chosen(what: str, words: str, known: Iterable[str]) -> list[str]:
    """Names with commas between, all that are known where there are none; ends the program for one that is not known."""
    names = words.split(",") if words else list(known)
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"no {what} is called {', '.join(unknown)}; there are {', '.join(known)}")
    return names


def main() -> None:
    """Measure, print a table, and the figures of all workloads together."""
    from beside.catalogue import WORKLOADS
    from beside.libraries import LIBRARIES, takes_part
    from beside.turns import figures

    asked = options()
    if asked.list:
        print("\n".join(f"{w.name:<20} {w.about}" for w in WORKLOADS.values()))
        return
    names = chosen("workload", asked.only, WORKLOADS)
    libraries = [
        "numpy",
        *(name for name in chosen("library", asked.libraries, LIBRARIES) if name != "numpy"),
    ]
    print(f"| workload | NumPy | {' | '.join(libraries[1:])} | eqsat / best other |")
    print("|---" * (len(libraries) + 2) + "|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        if asked.cold:
            os.environ["EQSAT_FLAGS"] = f"cache_dir={folder}"
        found = {}
        for name in names:
            taking = [k for k in libraries if takes_part(k, WORKLOADS[name])]
            found[name] = figures(WORKLOADS[name], taking, asked)
            print(line(name, found[name], libraries), flush=True)
            for library, row in found[name].items():
                if "wrong" in row:
                    print(f"  {library}: {row['wrong']}", file=sys.stderr, flush=True)
    summary(found, asked.cold)
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1))


def summary(found: dict[str, Any], cold: bool) -> None:
    """Print the figures of all workloads together."""
    ratios = {name: r for name, row in found.items() if (r := beside(row)) is not None}
    if ratios:
        behind = ", ".join(
            f"{name} {r:.2f}" for name, r in sorted(ratios.items(), key=lambda p: p[1]) if r < 0.97
        )
        print(
            f"\neqsat beside the best other library: {mean(list(ratios.values())):.2f} times as fast in the geometric mean"
        )
        print(
            f"{sum(r >= 0.97 for r in ratios.values())} of {len(ratios)} at 0.97 or above; behind: {behind or 'none'}"
        )
    if cold:
        both = [
            (row["eqsat"]["first"], row["jax"]["first"])
            for row in found.values()
            if "first" in row.get("eqsat", {}) and "first" in row.get("jax", {})
        ]
        if both:
            print(
                f"first calls: {mean([a / b for a, b in both]):.2f} times the seconds of JAX; largest difference {max(a - b for a, b in both):.2f} s"
            )


if __name__ == "__main__":
    main()
