"""Networks of torch with random weights, through eqsat and beside torch, torch.compile and onnxruntime.

    python benchmarks/models.py --only resnet,bert --ways "eqsat,torch"

Each network is compiled in each way in a process of its own, with empty caches of eqsat and torch. ``first`` is the time from the network to
its first results, imports and tracing by torch included, ``again`` the same in a second process, each with the CPU time of that process;
``memory`` is the most that a call holds beyond what was held before it, and ``differs`` the largest difference from torch's results in the
measure of the largest one. Needs the extras torch and onnx, and onnxruntime.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

NAMES = ("resnet", "mobilenet", "vit", "bert", "gpt2")
WAYS = ("eqsat", "eqsat onnx", "torch", "inductor", "onnxruntime")


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", default=",".join(NAMES), help="networks with commas between; all by default"
    )
    parser.add_argument("--ways", default=",".join(WAYS), help="ways with commas between; all by default")
    parser.add_argument("--calls", type=int, default=10, help="of which the median is taken")
    parser.add_argument("--play", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


def play(name: str, way: str, calls: int) -> dict[str, Any]:
    """The figures of one network in one way, in this process."""
    from common.memory import more
    from common.timing import medians
    from models.ways import distance, maker

    make, wanted = maker(name, way)
    start, cpu = time.perf_counter(), time.process_time()
    call = make()
    found = call()
    first, used = time.perf_counter() - start, time.process_time() - cpu
    memory = more(call, 2)
    (seconds,) = medians([call], calls)
    return {
        "first": first,
        "cpu": used,
        "memory": memory,
        "seconds": seconds,
        "differs": distance(found, wanted),
    }


def measured(name: str, way: str, calls: int) -> dict[str, Any]:
    """The figures of a first process and the time of a second one; or why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "EQSAT_FLAGS": f"cache_dir={folder}",
            "TORCHINDUCTOR_CACHE_DIR": f"{folder}/torch",
        }
        command = [sys.executable, __file__, "--play", name, way, "--calls", str(calls)]
        found: list[dict[str, Any]] = []
        for _ in range(2):
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            if done.returncode:
                return {"wrong": (done.stderr.strip().splitlines() or ["no result"])[-1][:120]}
            found.append(json.loads(done.stdout.splitlines()[-1]))
    return {**found[0], "again": found[1]["first"], "again_cpu": found[1]["cpu"]}


def line(name: str, way: str, row: dict[str, Any]) -> str:
    """A row of the table."""
    if "wrong" in row:
        return f"{name:<10} {way:<12} {row['wrong']}"
    times = f"{row['seconds'] * 1e3:9.1f} {row['first']:7.1f} {row['again']:7.2f} {row['cpu']:6.1f} {row['again_cpu']:6.2f}"
    return f"{name:<10} {way:<12}{times} {row['memory'] / 2**20:8.0f} {row['differs']:9.1e}"


def main() -> None:
    """Measure, and print a table."""
    asked = options()
    if missing := [name for name in ("torch", "onnx", "onnxruntime") if find_spec(name) is None]:
        sys.exit(f"{', '.join(missing)}: not installed; the extras torch and onnx bring torch and onnx")
    if asked.play:
        print(json.dumps(play(*asked.play, asked.calls)))
        return
    print(
        f"{'network':<10} {'way':<12}{'ms':>9} {'first s':>7} {'again s':>7} {'cpu s':>6} {'cpu s':>6} {'MiB':>8} {'differs':>9}"
    )
    for name in asked.only.split(","):
        for way in asked.ways.split(","):
            print(line(name, way, measured(name, way, asked.calls)), flush=True)


if __name__ == "__main__":
    main()
