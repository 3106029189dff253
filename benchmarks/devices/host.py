"""What a call of a CUDA function costs the host, against a library that stands for the driver and does nothing."""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
import tempfile
import time
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import eqsat
import eqsat.tensor as T
from eqsat.base.configuration import config
from eqsat.cgen import find_compiler
from eqsat.cgen.cuda import device, driver

SOURCE = Path(__file__).resolve().parents[2] / "tests" / "cuda" / "stand_in.c"
FEW, MANY = 10, 510  # steps of a loop that launches kernels
LONG = 300_000  # numbers that one block would take longer with
CALL, LAUNCH = 3e-7, 1e-8  # seconds that a call and a launch may cost


class StandIn:
    """The library in place of the driver of this process."""

    def __init__(self, folder: str) -> None:
        path = Path(folder) / "libstand_in.so"
        compiler = find_compiler()
        if compiler is None:
            raise SystemExit("there is no C compiler")
        words = ["-O2", "-w", "-shared", "-fPIC", "-fvisibility=hidden", str(SOURCE), "-o", str(path)]
        subprocess.run([compiler, *words], check=True)
        self.library = ctypes.CDLL(str(path))
        made = driver.Driver(str(path))
        device.driver = lambda: made  # type: ignore[assignment]
        device._open.clear()

    @property
    def launches(self) -> int:
        """Launches so far."""
        return ctypes.c_int64.in_dll(self.library, "seen").value


def programs() -> dict[str, Callable[[], Any]]:
    """Calls of functions for the stand-in, of one for the processor, and of one whose launches are not replayed as graphs."""
    import eqsat.cuda

    x, n = T.vector("x", "float32"), T.lscalar("n")
    states, _ = eqsat.scan(lambda s: T.tanh(s.sum() + s), outputs_info=x, n_steps=n)
    short, long = np.ones(300, "float32"), np.ones(LONG, "float32")
    there, far = eqsat.cuda.asarray(short), eqsat.cuda.asarray(long)
    one, kept, on_c = (
        eqsat.function([x], y, target=target)
        for y, target in ((x * 2, "cuda"), ((x * 2).transfer("cuda"), "cuda"), (x * 2, "c"))
    )
    replayed = eqsat.function([x, n], states[-1].transfer("cuda"), target="cuda")
    with config.change_flags(cuda_graphs="off"):
        plain = eqsat.function([x, n], states[-1].transfer("cuda"), target="cuda")
    few, many = np.array(FEW), np.array(MANY)
    return {
        "one": lambda: one(short),
        "one on c": lambda: on_c(short),
        "kept": lambda: kept(there),
        "few": lambda: plain(far, few),
        "many": lambda: plain(far, many),
        "few again": lambda: replayed(far, few),
        "many again": lambda: replayed(far, many),
    }


def launches(found: StandIn, call: Callable[[], Any]) -> int:
    """Launches of a call."""
    before = found.launches
    call()
    return found.launches - before


def figures(rounds: int) -> dict[str, float]:
    """Seconds of a call with one launch, of the same on the processor, and of a launch more; and of making a function."""
    with tempfile.TemporaryDirectory() as folder, config.change_flags(cuda_device=0):
        found = StandIn(folder)
        made = programs()
        counts = [launches(found, made[name]) for name in ("few", "many")]
        times = dict(zip(made, least([*made.values()], rounds), strict=True))
        more = counts[1] - counts[0]
        return {
            "call": times["one"],
            "call on the processor": times["one on c"],
            "call that stays": times["kept"],
            "launch": (times["many"] - times["few"]) / more,
            "launch of a graph": (times["many again"] - times["few again"]) / more,
            "launches": float(counts[1]),
            **{f"made for {target}": making(target) for target in ("c", "cuda")},
        }


def least(calls: list[Callable[[], Any]], rounds: int) -> list[float]:
    """The least seconds of each call, over rounds in which all take turns: other programs only ever add to a time."""
    found = [float("inf")] * len(calls)
    for _ in range(rounds):
        for k, call in enumerate(calls):
            number = 200 if found[k] > 1e-5 else 20_000
            found[k] = min(found[k], *(t / 20 for t in timeit.repeat(call, number=20, repeat=number // 20)))
    return found


def making(target: str) -> float:
    """Seconds to make a function that is kept: the least of some."""
    x = T.matrix("x")
    times = []
    for _ in range(4):
        start = time.perf_counter()
        eqsat.function([x], T.softmax(x, axis=1), target=target)
        times.append(time.perf_counter() - start)
    return min(times[1:])


def table(found: dict[str, float]) -> str:
    """The figures with what they may be."""
    beyond = found["call"] - found["call on the processor"]
    warm = found["made for cuda"] - found["made for c"]
    return "\n".join(
        [
            "| host, against a driver that does nothing | measured | at most |",
            "|---|---|---|",
            f"| call with one launch | {found['call'] * 1e6:.2f} µs | |",
            f"| the same, target c | {found['call on the processor'] * 1e6:.2f} µs | |",
            f"| call beyond target c | {beyond * 1e6:.2f} µs | {CALL * 1e6:.1f} µs |",
            f"| call with one launch, in and out on the device | {found['call that stays'] * 1e6:.2f} µs | |",
            f"| each launch of a graph that is replayed | {found['launch of a graph'] * 1e9:.1f} ns | |",
            f"| each launch, of {found['launches']:.0f} | {found['launch'] * 1e9:.1f} ns | {LAUNCH * 1e9:.0f} ns |",
            f"| function that is kept, beyond target c | {warm * 1e3:.1f} ms | 20 ms |",
        ]
    )


if __name__ == "__main__":
    measured = figures(int(sys.argv[1]))
    print(table(measured))
    print(json.dumps(measured))
