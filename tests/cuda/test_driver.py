"""The way through the driver, with a library that stands for it: calls, memory, failures, and what a call costs the host."""

from __future__ import annotations

import ctypes
import gc
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.cuda
import eqsat.tensor as T
from eqsat.base.configuration import config
from eqsat.cgen import find_compiler
from eqsat.cgen.cuda import device, driver
from eqsat.cgen.cuda.compile import find_compiler as find_device_compiler
from eqsat.errors import DeviceError

pytestmark = [pytest.mark.c, pytest.mark.cuda]
COUNTS = (
    "launches", "waits", "allocated", "freed", "words", "grid", "block", "modules",
    "managed", "trims", "bytes", "kept", "stream",
    "captured", "replayed", "graphs",
)  # fmt: skip


class StandIn:
    """The library, and what it has seen."""

    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path)

    def __getattr__(self, name: str) -> int:
        seen = (ctypes.c_int64 * len(COUNTS)).in_dll(self.library, "seen")
        return int(seen[COUNTS.index(name)])

    def limit(self, room: int) -> None:
        ctypes.c_int64.in_dll(self.library, "room").value = room

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
        found.set("sticky", 0)
        found.set("pointers_on", 0)
        found.limit(1 << 40)


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


def test_what_only_kernels_touch_lies_in_the_pool(stand_in: StandIn) -> None:
    x, s = T.matrix("x"), T.vector("s")
    shared = stand_in.managed
    f = eqsat.function([x], [T.softmax(x, axis=1), (x @ x.T).sum(0)], target="cuda")
    f(np.ones((30, 40)))
    assert stand_in.managed == shared and stand_in.bytes > 0
    before = stand_in.bytes
    g = eqsat.function([s], T.sort(s), target="cuda")  # the host sorts where the caller's arrays lie
    assert np.array_equal(g(np.array([3.0, 1.0, 2.0])), [1, 2, 3])
    assert stand_in.managed == shared and stand_in.bytes <= before
    h = eqsat.function([s], T.sort(T.exp(s)), target="cuda")  # a kernel writes what the host reads
    h(np.ones(3))
    assert stand_in.managed == shared + 1


def test_states_of_a_loop_stay_in_the_pool(stand_in: StandIn) -> None:
    x, n = T.vector("x"), T.lscalar("n")
    states, _ = eqsat.scan(lambda s: T.tanh(s.sum() + s), outputs_info=x, n_steps=n)
    f = eqsat.function([x, n], states[-1], target="cuda")
    f(np.ones(300_000), 3)  # gives back what nobody needs
    shared, waits = stand_in.managed, stand_in.waits
    assert shared == 0 and f(np.ones(300_000), 3).shape == (300_000,)
    assert stand_in.managed == shared
    assert stand_in.waits <= waits + 3  # for the number of steps and the result


def test_memory_that_moves_is_not_taken_beyond_what_is_left(stand_in: StandIn) -> None:
    s = T.vector("s")
    f = eqsat.function([s], T.sort(T.exp(s)), target="cuda")
    gc.collect()
    eqsat.cuda.release_memory()  # what other tests had
    stand_in.limit(stand_in.bytes + stand_in.kept + 100_000)
    with pytest.raises(MemoryError, match=r"no memory on the device for 160.0 kB"):
        f(np.ones(20_000))
    assert f(np.ones(10)).shape == (10,)


def test_a_full_device_is_emptied_then_told(stand_in: StandIn) -> None:
    x = T.vector("x")
    f, g = (eqsat.function([x], e, target="cuda") for e in (T.exp(x), T.sin(x)))
    gc.collect()
    eqsat.cuda.release_memory()
    f(np.ones(100_000))
    trims = stand_in.trims
    stand_in.limit(stand_in.bytes + stand_in.kept + 1_000_000)
    assert g(np.ones(100_000)).shape == (100_000,)  # in what the other function had
    assert stand_in.trims == trims + 1
    with pytest.raises(MemoryError) as error:
        g(np.ones(200_000))
    assert "no memory on the device for 1.6 MB" in str(error.value)
    assert "input 0 float64 of shape (200000,) takes 1.6 MB" in str(error.value)
    assert "release_memory" in str(error.value)
    assert g(np.ones(100)).shape == (100,)


def test_an_error_that_stays_says_so(stand_in: StandIn) -> None:
    x = T.vector("x")
    f = eqsat.function([x], T.sin(x) + 1, target="cuda")
    stand_in.set("sticky", 700)
    with pytest.raises(
        DeviceError, match=r"running a kernel: CUDA_ERROR_ILLEGAL_ADDRESS.*has to be started again"
    ):
        f(np.ones(5))
    stand_in.set("sticky", 0)
    stand_in.set("refuse_launch", 1)
    with pytest.raises(DeviceError) as error:
        f(np.ones(5))
    assert "started again" not in str(error.value)


def chain(x: Any, count: int) -> Any:
    for k in range(count):
        x = T.cumsum(x) * (k + 2)
    return x


def test_launches_that_come_again_are_a_graph(stand_in: StandIn) -> None:
    x = T.vector("x")
    f = eqsat.function([x], chain(x, 4), target="cuda")
    start = stand_in.launches
    f(np.ones(10))
    each = stand_in.launches - start
    assert each >= 4 and not stand_in.captured
    for k in range(1, 5):  # of the second call on
        f(np.full(10, k))
        assert stand_in.launches == start + each
        assert (stand_in.captured, stand_in.replayed, stand_in.graphs) == (each, k, 1)
    f(np.ones(20))  # other lengths
    assert stand_in.launches == start + 2 * each and stand_in.captured == each
    f(np.ones(10))
    del f
    gc.collect()
    eqsat.function([x], x + 1, target="cuda")(np.ones(1))
    assert stand_in.graphs == 0


def test_results_that_stay_lie_at_two_addresses_in_turn(stand_in: StandIn) -> None:
    x, w = T.vector("x"), eqsat.shared(np.ones(10), "w")
    f = eqsat.function([x], updates={w: chain(w, 4) + x}, target="cuda")
    for _ in range(5):
        f(np.ones(10))
    launches, replayed = stand_in.launches, stand_in.replayed
    for _ in range(6):
        f(np.ones(10))
    assert stand_in.launches == launches and stand_in.replayed == replayed + 6


def test_few_launches_and_no_graphs(stand_in: StandIn) -> None:
    x = T.vector("x")
    before = stand_in.captured
    f = eqsat.function([x], T.exp(x), target="cuda")
    with config.change_flags(cuda_graphs="off"):
        g = eqsat.function([x], chain(x, 4), target="cuda")
    for _ in range(4):
        f(np.ones(10)), g(np.ones(10))
    assert stand_in.captured == before


def test_a_child_of_a_fork_cannot_use_the_device(stand_in: StandIn) -> None:
    x = T.vector("x")
    f = eqsat.function([x], T.exp(x), target="cuda")
    f(np.ones(3))
    child = os.fork()
    if child == 0:
        try:
            f(np.ones(3))
        except DeviceError as error:
            os._exit(0 if "forked after CUDA was used" in str(error) else 2)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert f(np.ones(3)).shape == (3,)


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
