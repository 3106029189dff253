"""eqsat on a GPU beside torch.compile, JAX and CuPy: share of the bandwidth of copies, loops, a training step.

All libraries compute the same programs on arrays that stay on the GPU, and take turns; results are compared with those
of the processor first. The share is that of the bytes which a program has to move, of the bandwidth at which the driver
copies within the GPU. A second table tells what a call costs the host; it needs no GPU.

    python benchmarks/cuda.py                                  both tables; without a GPU the second
    python benchmarks/cuda.py --device emulated --size tiny    all programs, on the emulated device
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # the others need memory too

GOALS = {"elementwise": 0.9, "rows": 0.85, "columns": 0.85, "groups": 0.85, "gather": 0.7}
COMPARED = ("elementwise", "rows", "columns", "groups")  # kinds of the geometric mean beside torch.compile


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="0", help="the number of the GPU, or emulated")
    parser.add_argument("--size", default="full", choices=("full", "tiny"))
    parser.add_argument("--only", default="", help="programs with commas between; all by default")
    parser.add_argument("--libraries", default="", help="libraries with commas between; all by default")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--budget", type=float, default=0.1, help="seconds of calls in a round")
    parser.add_argument("--host", action="store_true", help="only what a call costs the host")
    parser.add_argument("--json", type=Path, help="write the figures to a file")
    return parser.parse_args()


def burst(call: Callable[[], Any], wait: Callable[[], Any], budget: float) -> float:
    """Seconds of a call, of as many as the budget allows, which end together."""
    start = time.perf_counter()
    call()
    wait()
    once = time.perf_counter() - start
    number = max(1, int(budget / max(once, 1e-7)))
    start = time.perf_counter()
    for _ in range(number):
        call()
    wait()
    return (time.perf_counter() - start) / number


def measured(row: Any, libraries: list[str], asked: argparse.Namespace) -> dict[str, Any]:
    """The median seconds of each library; or what is wrong with it."""
    from beside.libraries import differ, flat
    from devices.libraries import LIBRARIES, as_numpy, in_eqsat

    data = row.work.data()
    right = [as_numpy(v) for v in flat(in_eqsat(row.work, data, "c")[0]())]
    made, found = {}, {}
    for name in libraries:
        if name in row.work.leave_out:
            continue
        try:
            call, wait = LIBRARIES[name](row.work, data)
            wrong = differ([as_numpy(v) for v in flat(call())], right, row.work.tolerance)
        except Exception as error:
            wrong = f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error) else ''}"
        if wrong:
            found[name] = {"wrong": wrong}
        else:
            made[name] = call, wait
    times: dict[str, list[float]] = {name: [] for name in made}
    for _ in range(asked.rounds):
        for name, (call, wait) in made.items():
            times[name].append(burst(call, wait, asked.budget))
    return found | {name: {"seconds": statistics.median(t)} for name, t in times.items()}


def line(row: Any, found: dict[str, Any], libraries: list[str], copies: float) -> str:
    """A line of the table."""
    cells = []
    for name in libraries:
        seconds = found.get(name, {}).get("seconds")
        cells.append("" if name not in found else "wrong" if seconds is None else f"{seconds * 1e3:.4g} ms")
    share = part_of_copies(row, found, copies)
    goal = f"{GOALS[row.kind]:.0%}" if row.kind in GOALS else ""
    ahead = beside(found, libraries[1:])
    cells += ["" if share is None else f"{share:.0%}", goal, "" if ahead is None else f"{ahead:.2f}"]
    return f"| {row.work.name} | {' | '.join(cells)} |"


def part_of_copies(row: Any, found: dict[str, Any], copies: float) -> float | None:
    """The share of the bandwidth of copies that eqsat reaches."""
    seconds = found.get("eqsat", {}).get("seconds")
    return row.moved / seconds / copies if seconds and row.moved and copies else None


def beside(found: dict[str, Any], others: list[str]) -> float | None:
    """Times as fast as the best of some libraries; None where there is none."""
    times = [found[name]["seconds"] for name in others if "seconds" in found.get(name, {})]
    ours = found.get("eqsat", {}).get("seconds")
    return min(times) / ours if ours and times else None


def host(rounds: int) -> dict[str, float]:
    """Print what a call costs the host: in a process of its own, where a library stands for the driver."""
    words = [sys.executable, str(Path(__file__).resolve().parent / "devices" / "host.py"), str(rounds)]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        print("what a call costs the host could not be measured", flush=True)
        return {}
    *lines, last = done.stdout.strip().splitlines()
    print("\n".join(lines), flush=True)
    found: dict[str, float] = json.loads(last)
    return found


def device_of(asked: argparse.Namespace) -> str:
    """Why there is no device to be measured; empty where there is one."""
    import eqsat
    from eqsat.cgen.cuda.driver import driver
    from eqsat.errors import DeviceError

    eqsat.config.cuda_device = asked.device if asked.device == "emulated" else int(asked.device)
    if asked.device == "emulated":
        return "" if asked.size == "tiny" else "the emulated device takes hours for these; --size tiny"
    try:
        driver().open(int(asked.device))
    except DeviceError as error:
        return str(error).splitlines()[0]
    return ""


def taking_part(asked: argparse.Namespace) -> list[str]:
    """The libraries that can be measured; the others are told."""
    from devices.libraries import LIBRARIES, on_gpu

    wanted = asked.libraries.split(",") if asked.libraries else list(LIBRARIES)
    if unknown := [name for name in wanted if name not in LIBRARIES]:
        sys.exit(f"no library is called {unknown[0]}; there are {', '.join(LIBRARIES)}")
    found = ["eqsat"]
    for name in wanted:
        if name != "eqsat":
            reason = (
                "is not measured beside the emulated device" if asked.device == "emulated" else on_gpu(name)
            )
            print(f"{name} {reason}: left out") if reason else found.append(name)
    return found


def main() -> None:
    """Measure and print."""
    from devices.workloads import SIZES, rows

    asked = options()
    figures: dict[str, Any] = {"host": host(asked.rounds)}
    reason = "only the host" if asked.host else device_of(asked)
    if reason:
        print(f"\nprograms are not measured: {reason}")
    else:
        figures["programs"] = programs(rows(SIZES[asked.size]), asked)
    if asked.json:
        asked.json.write_text(json.dumps(figures, indent=1))


def programs(known: dict[str, Any], asked: argparse.Namespace) -> dict[str, Any]:
    """Print the table of programs, and the figures of all together."""
    from eqsat.cgen.cuda.measure import copy_bandwidth

    names = asked.only.split(",") if asked.only else list(known)
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"no program is called {unknown[0]}; there are {', '.join(known)}")
    libraries = taking_part(asked)
    copies = 0.0 if asked.device == "emulated" else copy_bandwidth()
    print(f"\ncopies on the device: {copies / 1e12:.2f} TB/s read and written" if copies else "")
    print(f"| program | {' | '.join(libraries)} | share of copies | goal | eqsat / best other |")
    print("|---" * (len(libraries) + 4) + "|", flush=True)
    found = {}
    for name in names:
        found[name] = measured(known[name], libraries, asked)
        print(line(known[name], found[name], libraries, copies), flush=True)
        for library, row in found[name].items():
            if "wrong" in row:
                print(f"  {library}: {row['wrong']}", file=sys.stderr, flush=True)
    ratios = [r for name in names if known[name].kind in COMPARED and (r := beside(found[name], ["torch"]))]
    if ratios:
        mean = statistics.geometric_mean(ratios)
        print(
            f"\nbeside torch.compile: {mean:.2f} times as fast in the geometric mean, at least {min(ratios):.2f}"
        )
    return found


if __name__ == "__main__":
    main()
