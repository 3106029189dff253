"""Processes that take turns: each computes one workload in one library, so that no pool of threads disturbs another."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from beside.workload import Workload

ROOT = Path(__file__).resolve().parents[2]
WARM = Workload("warm", "", {}, lambda m, x: m.exp(x) + x.sum(), 1.0)
"""Loads what the first function of a process loads, so that ``first`` is that of a new function in a warm process."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def work(name: str, library: str, cold: bool) -> None:
    """The process of one library: says ``ready`` or why not, then answers each line with the seconds of a burst."""
    from beside.catalogue import WORKLOADS
    from beside.libraries import LIBRARIES, differ, in_numpy, takes_part

    made = WORKLOADS[name]
    data = made.data()
    right = in_numpy(made, data)()
    __import__(LIBRARIES[library][1])
    if cold and takes_part(library, WARM):
        LIBRARIES[library][0](WARM, {"x": np.ones(3)})()
    start = time.perf_counter()
    call = LIBRARIES[library][0](made, data)
    found = call()
    first = time.perf_counter() - start
    wrong = differ(found, right, made.tolerance)
    del found, right
    play(call, {"first": first, "wrong": wrong})


def play(call: Callable[[], Any], ready: dict[str, Any]) -> None:
    """Say that a process is ready, then answer each line with the seconds of a call in a burst."""
    print(json.dumps(ready), flush=True)
    for line in sys.stdin:
        budget, spent, times = float(line), 0.0, []
        while spent < budget or len(times) < 3:
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
            spent += times[-1]
        print(json.dumps(statistics.median(times)), flush=True)


class Player:
    """A process at work."""

    def __init__(self, program: list[str], threads: int) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "benchmarks")])}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # no library compiles its own files in every process
        if threads:
            environment |= dict.fromkeys(THREADS, str(threads))
            environment["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=" + ("false" if threads == 1 else "true")
        self.process = subprocess.Popen(
            [sys.executable, *program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.first, self.wrong = 0.0, ""
        self.ready: dict[str, Any] = {}

    def begin(self) -> None:
        """Wait until it is ready; ``wrong`` says what is not."""
        said = self.read()
        if said is None:
            self.wrong = "it ended"
        else:
            self.ready, self.first, self.wrong = said, said["first"], said["wrong"]

    def burst(self, seconds: float) -> float:
        """The median time of calls for some seconds."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        found = self.read()
        return float("nan") if found is None else float(found)

    def read(self) -> Any:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            try:
                return json.loads(line)
            except ValueError:
                continue  # some library talks
        return None

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def rounds(players: dict[str, Player], options: Any) -> dict[str, list[float]]:
    """The seconds of a call in each round, by library, of those that are not wrong; then all processes end."""
    times: dict[str, list[float]] = {name: [] for name, player in players.items() if not player.wrong}
    for _ in range(options.rounds):
        for name, found in times.items():
            found.append(players[name].burst(options.budget))
    for player in players.values():
        player.end()
    return times


def figures(work: Workload, libraries: list[str], options: Any) -> dict[str, dict[str, Any]]:
    """By library: the median time, how many times as fast as NumPy it was in the same round, and the first call."""
    players = {}
    for name in libraries:
        program = ["-m", "beside.turns", work.name, name, *(["cold"] if options.cold else [])]
        player = players[name] = Player(program, options.threads)
        player.begin()
    times = rounds(players, options)
    found: dict[str, dict[str, Any]] = {}
    for name, player in players.items():
        if player.wrong:
            found[name] = {"wrong": player.wrong}
            continue
        speed = [n / t for n, t in zip(times["numpy"], times[name], strict=True)]
        found[name] = {
            "seconds": statistics.median(times[name]),
            "speed": statistics.median(speed),
            "first": player.first,
        }
    return found


if __name__ == "__main__":
    work(sys.argv[1], sys.argv[2], "cold" in sys.argv[3:])
