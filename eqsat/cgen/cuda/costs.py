"""The constants of the cost model for a GPU: from the attributes of the one that is here, else of one that is recorded."""

from __future__ import annotations

from collections.abc import Mapping

from eqsat.base.configuration import config
from eqsat.base.values import dataclass
from eqsat.graph.dtypes import to_real


@dataclass(frozen=True)
class Attributes:
    """The attributes of a GPU that a driver tells: clocks in Hz, the width of its memory in bits, bytes of the second cache.

    ``ratio`` is how many times as many flops of floats as of doubles it does.
    """

    multiprocessors: int
    clock: float
    memory_clock: float
    bits: int
    second_cache: float
    ratio: int

    @property
    def bandwidth(self) -> float:
        """Bytes per second that memory moves at most."""
        return self.memory_clock * 2 * self.bits / 8  # two bits of each line in a cycle


RECORDED = {
    "sm_80": Attributes(108, 1.41e9, 1.215e9, 5120, 4e7, 2),  # A100, 40 GB
    "sm_89": Attributes(128, 2.52e9, 1.05e10, 384, 7.2e7, 64),  # RTX 4090
    "sm_90": Attributes(132, 1.98e9, 3.2e9, 6144, 5e7, 2),  # H200
    "sm_100": Attributes(148, 1.965e9, 4.0e9, 8192, 1.26e8, 2),  # B200
}
SUSTAINED = 0.9  # of the bandwidth, by copies
LANES = 128  # floats that a multiprocessor computes with in a cycle
BARRIER = 3e-7  # seconds, with the way to the second cache and back
RESIDENT = 8  # blocks of 256 threads on a multiprocessor
LIBRARY = 0.4  # of the time of our tiles, which a large product takes in cuBLAS
BEGINS = 3e-6  # seconds that cuBLAS takes longer to begin
NEAR = 2e5  # bytes of registers and first cache of a multiprocessor


def constants(gpu: Attributes, library: bool = False) -> Mapping[str, float]:
    """The constants of the cost model that follow from the attributes of a GPU; with a ``library`` for large products.

    A launch takes some microseconds; what is computed hides behind what is moved.

    >>> made = constants(RECORDED["sm_90"])
    >>> f"{made['byte']:.1e} {made['flop']:.1e} {made['single']}"
    '2.3e-13 6.0e-14 0.5'
    """
    flop = gpu.ratio / (gpu.multiprocessors * gpu.clock * LANES)
    return {
        "byte": 1 / (SUSTAINED * gpu.bandwidth),
        "flop": flop,
        "single": 1 / gpu.ratio,
        "blas_flop": LIBRARY * flop
        if library
        else flop,  # tiles of our own: an addition and a multiplication in one operation, half of the time spent on memory
        "call": 2.5e-6,
        "calls_left": 0.2,  # a call takes as long as a million flops: graphs are not priced by their number of ops
        "blas_call": 4e-6,
        "barrier": BARRIER,
        "blocks": gpu.multiprocessors,
        "visit": 2e-5,
        "serial": 1e-9,
        "waits": 6 / gpu.clock / flop,
        "step": BARRIER / (RESIDENT * gpu.multiprocessors),  # of a block of a group, beside others
        "group": 2.5e-6,
        "apart": 0.05,
        "row": 1e-11,
        "place": 32 / (SUSTAINED * gpu.bandwidth),  # a sector of memory
        "nearest": 0.1,
        "near": 0.2,
        "far": 0.4,
        "inner": NEAR * gpu.multiprocessors / 4,
        "cache": NEAR * gpu.multiprocessors,
        "outer": gpu.second_cache + NEAR * gpu.multiprocessors,
    }


def costs() -> Mapping[str, float]:
    """The constants for the GPU of this process, or for ``config.cuda_arch`` where there is none."""
    from eqsat.cgen.cuda.driver import present
    from eqsat.cgen.cuda.library import find_library

    if config.cuda_device != "emulated":
        facts = present()
        if facts is not None:
            return constants(attributes_of(facts), find_library() is not None)
    return constants(RECORDED.get(config.cuda_arch, RECORDED["sm_90"]))


def least_for_library(dtype: str) -> float:
    """The flops of a product from which on cuBLAS takes less time than tiles of our own, by the constants of the device."""
    model = costs()
    flop = model["flop"] * (model["single"] if to_real(dtype) == "float32" else 1)
    return BEGINS / ((1 - LIBRARY) * flop)


def attributes_of(facts: Mapping[str, int]) -> Attributes:
    """The attributes that a driver tells."""
    return Attributes(
        facts["multiprocessors"],
        facts["clock_khz"] * 1e3,
        facts["memory_clock_khz"] * 1e3,
        facts["bus_bits"],
        facts["second_cache"],
        max(facts["single_to_double"], 1),
    )
