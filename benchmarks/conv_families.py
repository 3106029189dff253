"""Convolutions of each family beside PyTorch and JAX: milliseconds of one thread's processor time, forward and both gradients.

Strides, gaps, groups, few channels, many, one axis. Values are compared before anything is timed, and the least of some
rounds in turn counts, so that other work on the machine changes little.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
Call = Callable[[], Any]


@dataclass(frozen=True)
class Family:
    """Shapes of images and filters, and how the filters go over the images."""

    images: tuple[int, ...]
    filters: tuple[int, ...]
    stride: int = 1
    pad: int = 0
    gap: int = 1
    groups: int = 1

    @property
    def spatial(self) -> int:
        """The number of axes that filters go along."""
        return len(self.images) - 2


FAMILIES = {
    "3x3, 32 channels": Family((16, 32, 32, 32), (32, 32, 3, 3), pad=1),
    "3x3, 64 channels": Family((16, 64, 16, 16), (64, 64, 3, 3), pad=1),
    "3x3, 256 channels": Family((16, 256, 4, 4), (256, 256, 3, 3), pad=1),
    "1x1": Family((16, 96, 16, 16), (64, 96, 1, 1)),
    "3 channels": Family((16, 3, 32, 32), (32, 3, 3, 3), pad=1),
    "5x5, 16 channels": Family((16, 16, 28, 28), (16, 16, 5, 5), pad=2),
    "stride 2": Family((16, 32, 32, 32), (64, 32, 3, 3), 2, 1),
    "1x1, stride 2": Family((16, 64, 32, 32), (128, 64, 1, 1), 2),
    "7x7, stride 2": Family((8, 3, 64, 64), (32, 3, 7, 7), 2, 3),
    "dilated": Family((16, 32, 28, 28), (32, 32, 3, 3), pad=2, gap=2),
    "4 groups": Family((16, 64, 28, 28), (64, 16, 3, 3), pad=1, groups=4),
    "32 groups": Family((16, 128, 16, 16), (128, 4, 3, 3), pad=1, groups=32),
    "depthwise": Family((16, 96, 32, 32), (96, 1, 3, 3), pad=1, groups=96),
    "depthwise, stride 2": Family((16, 96, 32, 32), (96, 1, 3, 3), 2, 1, groups=96),
    "depthwise 5x5": Family((16, 96, 14, 14), (96, 1, 5, 5), pad=2, groups=96),
    "one axis": Family((16, 32, 256), (64, 32, 5), pad=2),
    "one axis, long": Family((8, 1, 16384), (8, 1, 31), pad=15),
    "one axis, depthwise": Family((16, 128, 256), (128, 1, 4), pad=3, groups=128),
}


def in_eqsat(f: Family, x: np.ndarray, w: np.ndarray, y: np.ndarray) -> list[Call]:
    """The convolution and its gradients; lengths are not told."""
    import eqsat
    import eqsat.tensor as T

    a, b, d = (T.tensor("float32", (None,) * (f.spatial + 2), name=name) for name in ("x", "w", "d"))
    conv = T.nnet.conv2d if f.spatial == 2 else T.nnet.conv1d
    every = {"subsample": (f.stride,) * f.spatial, "filter_dilation": (f.gap,) * f.spatial}
    out = conv(a, b, border_mode=f.pad, filter_flip=False, num_groups=f.groups, **every)
    to_x, to_w = T.grad((out * d).sum(), [a, b])
    forward = eqsat.function([a, b], out)
    back = [eqsat.function([a, b, d], g, on_unused_input="ignore") for g in (to_x, to_w)]
    return [lambda: forward(x, w), *((lambda g=g: g(x, w, y)) for g in back)]


def in_jax(f: Family, x: np.ndarray, w: np.ndarray, y: np.ndarray) -> list[Call]:
    """The same, jitted."""
    import jax

    axes = ("NCHW", "OIHW", "NCHW") if f.spatial == 2 else ("NCH", "OIH", "NCH")
    pads = [(f.pad, f.pad)] * f.spatial

    def conv(a: Any, b: Any) -> Any:
        stride, gap = (f.stride,) * f.spatial, (f.gap,) * f.spatial
        return jax.lax.conv_general_dilated(
            a, b, stride, pads, rhs_dilation=gap, dimension_numbers=axes, feature_group_count=f.groups
        )

    given = [jax.device_put(v) for v in (x, w, y)]
    made = [
        jax.jit(lambda a, b, d: conv(a, b)),
        jax.jit(lambda a, b, d: jax.vjp(lambda v: conv(v, b), a)[1](d)[0]),
        jax.jit(lambda a, b, d: jax.vjp(lambda v: conv(a, v), b)[1](d)[0]),
    ]
    return [lambda g=g: g(*given).block_until_ready() for g in made]


def in_torch(f: Family, x: np.ndarray, w: np.ndarray, y: np.ndarray) -> list[Call]:
    """The same by the library's own functions."""
    import torch

    torch.set_num_threads(1)
    a, b, d = map(torch.from_numpy, (x, w, y))
    every = [[k] * f.spatial for k in (f.stride, f.pad, f.gap)]
    forward = torch.nn.functional.conv2d if f.spatial == 2 else torch.nn.functional.conv1d

    def back(k: int) -> Any:
        wanted = [k == 0, k == 1, False]
        rest = (False, [0] * f.spatial, f.groups, wanted)
        return torch.ops.aten.convolution_backward(d, a, b, None, *every, *rest)[k]

    return [lambda: forward(a, b, None, *every, f.groups), lambda: back(0), lambda: back(1)]


def least(calls: list[Call], rounds: int) -> list[float]:
    """The least milliseconds of each, in turns."""
    found = [float("inf")] * len(calls)
    for _ in range(rounds):
        for k, call in enumerate(calls):
            for _ in range(1 if found[k] > 50 else 4):
                start = time.process_time_ns()
                call()
                found[k] = min(found[k], (time.process_time_ns() - start) / 1e6)
    return found


def compare(name: str, f: Family, rounds: int) -> None:
    """Three rows of the table."""
    rng = np.random.default_rng(0)
    x, w = (rng.normal(size=n).astype("float32") for n in (f.images, f.filters))
    y = rng.normal(size=in_torch(f, x, w, x)[0]().shape).astype("float32")
    libraries = [make(f, x, w, y) for make in (in_eqsat, in_jax, in_torch)]
    for part, calls in zip(("forward", "to x", "to w"), zip(*libraries, strict=True), strict=True):
        ours, *others = (np.asarray(call()) for call in calls)
        for other in others:
            np.testing.assert_allclose(ours, other, rtol=1e-3, atol=1e-4 * float(np.abs(other).max()))
        times = least(list(calls), rounds)
        cells = " | ".join(f"{t:.3f}" for t in times)
        print(f"| {name} | {part} | {cells} | **{min(times[1:]) / times[0]:.2f}** |", flush=True)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="families with semicolons between; all by default")
    parser.add_argument("--rounds", type=int, default=4)
    asked = parser.parse_args()
    if any(os.environ.get(name) != "1" for name in THREADS):  # read when libraries are loaded
        flags = {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false", **dict.fromkeys(THREADS, "1")}
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **flags})
    print("| family | | eqsat | JAX | PyTorch | best other / eqsat |\n|---|---|---|---|---|---|", flush=True)
    for name, family in FAMILIES.items():
        if not asked.only or name in asked.only.split(";"):
            compare(name, family, asked.rounds)


if __name__ == "__main__":
    main()
