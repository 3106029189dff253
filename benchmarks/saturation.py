"""Processor seconds of making e-graphs, beside those of another checkout of eqsat, in alternating processes.

Counted is what lies between the tables of a graph and its saturated e-graph: the template with its rules, loading,
saturation and reading. ``first`` is the first function of a process, ``again`` the least of the later ones. With
``--against FOLDER``, a checkout of another commit (``git worktree add FOLDER COMMIT``), ratios are printed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GRAPHS = ("digits", "gru-grad", "transformer")
CHILD = """
import gc, importlib, json, sys, time, warnings
import numpy as np
warnings.simplefilter("ignore")
sys.path[:0] = sys.argv[1:3]
import eqsat
for name in ("eqsat.pipeline.program", "eqsat.program"):
    try:
        program = importlib.import_module(name).Program
        break
    except ImportError:
        pass
spent = []
inner = program.saturated

def apart(call):
    def run(*arguments):
        start = time.process_time()
        answer = call(*arguments)
        spent[-1] -= time.process_time() - start
        return answer
    return run

def saturated(self, *arguments):
    start = time.process_time()
    result = inner(self, *(apart(a) if callable(a) else a for a in arguments))
    spent[-1] += time.process_time() - start
    return result

program.saturated = saturated
eqsat.config.mode = "numpy"

def digits():
    import digits
    digits.build((np.zeros((1440, 64), "float32"), np.zeros(1440, "int32")))

def gru():
    from recurrent import in_eqsat, rows
    in_eqsat.build(next(row for name, row in rows.ROWS.items() if name.startswith("gru-grad")))

def transformer():
    from transformer import Size, build
    build(Size(layers=2), Size(layers=2).parameters())

build = {"digits": digits, "gru-grad": gru, "transformer": transformer}[sys.argv[3]]
for _ in range(int(sys.argv[4])):
    gc.collect()
    spent.append(0.0)
    build()
print(json.dumps({"first": spent[0], "again": min(spent[1:])}))
"""


def run(folder: Path, graph: str, times: int) -> dict[str, float]:
    """Figures of one fresh process that imports eqsat from a folder."""
    paths = [str(ROOT / "benchmarks"), str(ROOT / "examples")]
    command = [sys.executable, "-c", CHILD, *paths, graph, str(times)]
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment = {**kept, "PYTHONPATH": str(folder), "EQSAT_FLAGS": "cache=False"}
    # it runs in that folder, since Python looks for modules where it runs before it looks into PYTHONPATH
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, cwd=folder)
    return json.loads(done.stdout)


def main() -> None:
    """Alternate between the checkouts; the least of the runs of each counts, since others only add to it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--against", type=Path, help="the folder of another checkout")
    parser.add_argument("--runs", type=int, default=3, help="processes of each checkout")
    options = parser.parse_args()
    folders = [ROOT, *([options.against.resolve()] if options.against else [])]
    for graph in GRAPHS:
        runs = [[run(folder, graph, 4) for folder in folders] for _ in range(options.runs)]
        for which in ("first", "again"):
            least = [min(figures[k][which] for figures in runs) for k in range(len(folders))]
            ratio = f"   {least[0] / least[1]:.2f} of the other" if len(least) > 1 else ""
            print(f"{graph:<12} {which:<6} {'  '.join(f'{s:.3f} s' for s in least)}{ratio}", flush=True)


if __name__ == "__main__":
    main()
