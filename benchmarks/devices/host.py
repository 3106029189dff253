"""What a call of a CUDA function costs the host, against a library that stands for the driver and does nothing."""

from __future__ import annotations

import ctypes
import subprocess
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
FEW, MANY = 10, 1010  # steps of a loop that launches kernels
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
    """Calls of functions for the stand-in, and one of the same for the processor."""
    x, m, n = T.fvector("x"), T.fmatrix("m"), T.lscalar("n")
    states, _ = eqsat.scan(
        lambda h: T.tanh(T.dot(h, h)), outputs_info=m, n_steps=n
    )  # too large for one kernel
    given, square = np.ones(300, "float32"), np.zeros((70, 70), "float32")
    one, one_c = (eqsat.function([x], x * 2, target=target) for target in ("cuda", "c"))
    loop = eqsat.function([m, n], states[-1], target="cuda")
    return {
        "one kernel": lambda: one(given),
        "the same on the processor": lambda: one_c(given),
        "few launches": lambda: loop(square, np.array(FEW)),
        "many launches": lambda: loop(square, np.array(MANY)),
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
        counts = [launches(found, made[name]) for name in ("few launches", "many launches")]
        one, one_c, few, many = least(list(made.values()), rounds)
        return {
            "call": one,
            "call on the processor": one_c,
            "launch": (many - few) / (counts[1] - counts[0]),
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
            f"| each launch, of {found['launches']:.0f} | {found['launch'] * 1e9:.1f} ns | {LAUNCH * 1e9:.0f} ns |",
            f"| function that is kept, beyond target c | {warm * 1e3:.1f} ms | 20 ms |",
        ]
    )
