"""The way through the driver, with a library that stands for it: calls, memory, failures, and what a call costs the host."""

from __future__ import annotations

import ctypes
import gc
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.configuration import config
from eqsat.cgen import find_compiler
from eqsat.cgen.cuda import device, driver
from eqsat.cgen.cuda.compile import find_compiler as find_device_compiler
from eqsat.errors import DeviceError

pytestmark = [pytest.mark.c, pytest.mark.cuda]
COUNTS = ("launches", "waits", "allocated", "freed", "words", "grid", "block", "modules")


class StandIn:
    """The library, and what it has seen."""

    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path)

    def __getattr__(self, name: str) -> int:
        seen = (ctypes.c_int64 * len(COUNTS)).in_dll(self.library, "seen")
        return int(seen[COUNTS.index(name)])

    def set(self, name: str, value: int) -> None:
        ctypes.c_int.in_dll(self.library, name).value = value


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> str:
    compiler = find_compiler()
    if compiler is None or find_device_compiler() is None:
        pytest.skip("needs a C compiler, and NVRTC or nvcc")
    path = tmp_path_factory.mktemp("driver") / "libstand_in.so"
    source = Path(__file__).with_name("stand_in.c")
    subprocess.run(
        [compiler, "-O1", "-w", "-shared", "-fPIC", "-fvisibility=hidden", str(source), "-o", str(path)],
        check=True,
    )
    return str(path)


@pytest.fixture
def stand_in(library: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    made = driver.Driver(library)
    monkeypatch.setattr(device, "driver", lambda: made)
    monkeypatch.setattr(device, "_open", {})
    with config.change_flags(cuda_device=0, cache=False):
        found = StandIn(library)
        yield found
        found.set("refuse_launch", 0)


def test_a_call_goes_through_the_driver(stand_in: StandIn) -> None:
    x = T.matrix("x")
    f = eqsat.function([x], T.exp(x).sum(1), target="cuda")
    before = stand_in.launches, stand_in.modules
    assert f(np.ones((3, 4))).shape == (3,)
    assert stand_in.launches > before[0] and stand_in.block == 256 and stand_in.words >= 4
    del f
    gc.collect()
    assert stand_in.modules == before[1] - 1


def test_a_launch_that_fails_is_an_error_with_the_words_of_the_driver(stand_in: StandIn) -> None:
    x = T.vector("x")
    f = eqsat.function([x], T.sin(x), target="cuda")
    stand_in.set("refuse_launch", 700)
    with pytest.raises(
        DeviceError, match="launching a kernel: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access"
    ):
        f(np.ones(5))
    stand_in.set("refuse_launch", 0)
    assert f(np.ones(5)).shape == (5,)


def test_memory_is_given_back_and_does_not_grow(stand_in: StandIn) -> None:
    x = T.vector("x")
    eqsat.function([x], x - 1, target="cuda")(np.ones(1))
    alive = stand_in.allocated - stand_in.freed
    f = eqsat.function([x], [T.exp(x[::-1]).sum(), T.cos(x) * 2], target="cuda")
    for n in (10, 1000, 3):
        f(np.ones(n))
    kept = stand_in.allocated
    for _ in range(2000):
        f(np.ones(1000))
    assert stand_in.allocated == kept
    del f
    gc.collect()
    eqsat.function([x], x + 1, target="cuda")(
        np.ones(1)
    )  # what nobody needs is given back with the next call
    assert stand_in.allocated - stand_in.freed <= alive + 4


def test_an_old_driver_is_told_by_what_it_lacks(library: str) -> None:
    found = StandIn(library)
    found.set("lacks", 1)
    try:
        with pytest.raises(
            DeviceError, match="driver is too old: it has no cuMemAllocManaged; version 12 or newer"
        ):
            driver.Driver(library)
    finally:
        found.set("lacks", 0)


def test_a_missing_library_and_a_wrong_number(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DeviceError, match=r"no CUDA device \(/nowhere/libcuda.so cannot be opened\)"):
        driver.Driver("/nowhere/libcuda.so")
    with config.change_flags(cuda_device=3):
        f = eqsat.function([x := T.vector("x")], x * 2, target="cuda")
        with pytest.raises(DeviceError, match=r"config\.cuda_device is 3, and this machine has 1"):
            f(np.ones(2))


def test_import_opens_neither_cffi_nor_the_driver() -> None:
    code = "import sys, eqsat, eqsat.tensor; assert 'cffi' not in sys.modules, 'cffi'; assert 'eqsat.cgen.cuda' not in sys.modules"
    subprocess.run([__import__("sys").executable, "-c", code], check=True)
