"""Seconds in each stage of compiling the digits training step: cold, warm, and in a second process."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

CHILD = """
import json, sys, time
start = time.perf_counter()
sys.path.insert(0, sys.argv[1])
import numpy as np
numpy = time.perf_counter()
import eqsat
ready = time.perf_counter()
eqsat.config.cache_dir = sys.argv[2]
import digits
train = (np.zeros((1440, 64), "float32"), np.zeros(1440, "int32"))
built = []
for _ in range(int(sys.argv[3])):
    begin = time.perf_counter()
    step, classify, weights = digits.build(train)
    step(0)
    built.append({"total with the first call": time.perf_counter() - begin, **step.seconds, "cached": step.executable.from_cache})
print(json.dumps({"import numpy": numpy - start, "import eqsat": ready - numpy, "built": built}))
"""


def run(cache: str, times: int) -> dict:
    """Figures of one fresh process that builds the step one or more times."""
    examples = str(Path(__file__).resolve().parent.parent / "examples")
    command = [sys.executable, "-c", CHILD, examples, cache, str(times)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def show(title: str, rows: list[dict]) -> None:
    """Medians of a stage over runs."""
    print(title)
    for stage in rows[0]:
        if stage != "cached":
            print(f"  {stage:<28} {statistics.median(r.get(stage, 0.0) for r in rows):.3f} s")
    print(f"  {'from the cache':<28} {rows[-1]['cached']}")


def main() -> None:
    """Three runs of each kind; the building of the classifier and the first step are in the total."""
    cold, second, again = [], [], []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as cache:
            first = run(cache, 2)
            later = run(cache, 1)
            cold.append(first["built"][0])
            again.append(first["built"][1])
            second.append(later["built"][0])
    print(f"import numpy {first['import numpy']:.3f} s, import eqsat {first['import eqsat']:.3f} s")
    show("cold: empty cache, first compilation of the process", cold)
    show("warm: the same process builds it again", again)
    show("second process: cache filled by the first", second)


if __name__ == "__main__":
    main()
