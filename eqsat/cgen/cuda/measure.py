"""Measures the constants of the cost model on the GPU of this process, with small kernels and the clock of the host."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from eqsat.cgen.c_files import sections
from eqsat.cgen.cuda.compile import compiled
from eqsat.cgen.cuda.costs import NEAR, Attributes, attributes_of, constants
from eqsat.cgen.cuda.driver import driver, wanted_number
from eqsat.errors import DeviceError

(MEASURED,) = sections(__file__, "measure.cu").values()
THREADS = 256
FAR = 1 << 28  # bytes that no cache holds
PIECE = 512  # bytes that a warp reads at once
OF_MEMORY = {
    "cuMemAlloc": "CUresult (*)(CUdeviceptr *, size_t)",
    "cuMemcpyDtoDAsync": "CUresult (*)(CUdeviceptr, CUdeviceptr, size_t, CUstream)",
}
Clock = Callable[[Callable[[], None]], float]


class Bench:
    """The GPU, two large pieces of its memory, and the kernels that are measured."""

    def __init__(self) -> None:
        self.driver = driver()
        self.gpu, _ = self.driver.open(wanted_number())
        more = {name: self.driver._function(name, kind) for name, kind in OF_MEMORY.items()}
        self.driver.functions.update(more)
        self.blocks = 8 * self.gpu.attributes["multiprocessors"]
        self.places = [self.driver.number("cuMemAlloc", FAR, kind="CUdeviceptr") for _ in range(2)]
        self.module = self.driver.ffi.new("CUmodule *")
        content = compiled(MEASURED, self.gpu.arch).content
        self.driver.call("cuModuleLoadData", self.module, self.driver.ffi.from_buffer(content))

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *error: object) -> None:
        for place in self.places:
            self.driver.call("cuMemFree", place)
        self.driver.call("cuModuleUnload", self.module[0])

    def wait(self) -> None:
        """Wait until everything has ended."""
        self.driver.call("cuStreamSynchronize", self.driver.ffi.NULL)

    def copy(self) -> None:
        """Begin a copy from one piece of memory to the other."""
        self.driver.call("cuMemcpyDtoDAsync", *self.places, FAR, self.driver.ffi.NULL)

    def launched(self, name: str, *numbers: int) -> Callable[[], None]:
        """A function that launches a kernel; the first argument is memory that it may write to, the others are given."""
        ffi = self.driver.ffi
        found = ffi.new("CUfunction *")
        self.driver.call("cuModuleGetFunction", found, self.module[0], name.encode())
        given = ffi.new("unsigned long long[]", [self.places[0], *numbers])
        size = ffi.new("size_t *", ffi.sizeof(given))
        words = [ffi.cast("void *", 1), ffi.cast("void *", given), ffi.cast("void *", 2), ffi.cast("void *", size), ffi.NULL]  # fmt: skip
        extra = ffi.new("void *[]", words)
        shape = (self.blocks, 1, 1, THREADS, 1, 1, 0, ffi.NULL, ffi.NULL, extra)

        def launch(_kept: Any = (given, size)) -> None:
            self.driver.call("cuLaunchKernel", found[0], *shape)

        return launch

    def seconds(self, begin: Callable[[], None], clock: Clock | None = None, number: int = 1) -> float:
        """Seconds of each of some launches or copies, which end together: the least of several runs."""

        def run() -> None:
            for _ in range(number):
                begin()
            self.wait()

        return (clock or least)(run) / number


def least(run: Callable[[], None]) -> float:
    """The least seconds of some runs, after one that does not count."""
    run()
    times = []
    for _ in range(7):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return max(min(times), 1e-9)


def copy_bandwidth() -> float:
    """Bytes per second that copies on the GPU of this process read and write.

    Errors   DeviceError where there is none
    """
    with Bench() as bench:
        return 2 * FAR / bench.seconds(bench.copy, number=8)


def measured(clock: Clock | None = None) -> Mapping[str, float]:
    """The constants of the cost model of the GPU of this process; what is not measured follows from its attributes.

    Errors   DeviceError where there is none
    """
    with Bench() as bench:
        gpu = attributes_of(bench.gpu.attributes)
        return fitted(gpu, bench.blocks, times(bench, gpu, clock))


def times(bench: Bench, gpu: Attributes, clock: Clock | None = None) -> dict[str, float]:
    """Seconds of each kernel that is measured."""
    memory = bench.places[1]

    def of(name: str, *numbers: int, number: int = 1) -> float:
        return bench.seconds(bench.launched(name, *numbers), clock, number)

    return {
        "nothing": of("eq_nothing", number=200),
        "copy": bench.seconds(bench.copy, clock, 8),
        "nearest": of("eq_reads", memory, near(gpu) // 16, 400, 1),
        "far": of("eq_reads", memory, far(gpu) // 16, 40, 0),
        "doubles": of("eq_doubles", 1 << 14, 1),
        "singles": of("eq_singles", 1 << 14, 1),
        "places": of("eq_places", memory, FAR // 4, 200),
    }


def near(gpu: Attributes) -> int:
    """Bytes that each block reads again and again, so that those of a multiprocessor fit into its cache."""
    return int(NEAR / 4 / 8) // PIECE * PIECE


def far(gpu: Attributes) -> int:
    """Bytes that all threads read again and again, which the second cache holds."""
    return int(gpu.second_cache / 4) // PIECE * PIECE


def fitted(gpu: Attributes, blocks: int, found: Mapping[str, float]) -> dict[str, float]:
    """The constants that give some times.

    Errors   DeviceError for times that no GPU has
    """
    usual = dict(constants(gpu))
    byte = found["copy"] / (2 * FAR)
    flops = 8.0 * (1 << 14) * THREADS * blocks
    launch = found["nothing"]
    flop = max(found["doubles"] - launch, 1e-9) / flops
    single = max(found["singles"] - launch, 1e-9) / flops
    nearest = max(found["nearest"] - launch, 1e-9) / (400.0 * near(gpu) * blocks)
    second = max(found["far"] - launch, 1e-9) / (40.0 * far(gpu))
    place = max(found["places"] - launch, 1e-9) / (200.0 * THREADS * blocks)
    made = {
        "byte": byte,
        "flop": flop,
        "single": min(1.0, single / flop),
        "blas_flop": flop,
        "waits": usual["waits"] * usual["flop"] / flop,  # the time of an operation is that of the clock
        "call": launch,
        "group": launch,
        "place": place,
        "nearest": min(1.0, nearest / byte),
        "far": min(1.0, second / byte),
        "near": min(1.0, (nearest + second) / 2 / byte),
    }
    for name in ("byte", "flop"):
        if not usual[name] / 20 <= made[name] <= usual[name] * 20:
            raise DeviceError(
                f"calibrate: {name} was measured as {made[name]:.3g} s, and the attributes of the GPU say {usual[name]:.3g} s",
                hint="run it again when the GPU has less to do",
            )
    return usual | made
