"""Functions that are made and dropped leave nothing: no mapping of their shared objects, no memory, no open file."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import shutil
import sys
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat import config
from eqsat.cgen.runtime import load

pytestmark = [
    pytest.mark.c,
    pytest.mark.skipif(sys.platform != "linux", reason="mappings are read from /proc"),
]
X = T.dvector("x")


@pytest.fixture(autouse=True)
def place(tmp_path: Path) -> Iterator[Path]:
    """A cache of its own, by which mappings are told from others; the first object with OpenMP, which stays, is there."""
    make(99.0)
    with config.change_flags(cache_dir=str(tmp_path / "cache")):
        yield tmp_path


def make(k: float) -> Any:
    return eqsat.function([X], T.exp(X) + k)


def right(f: Any, k: float) -> bool:
    return bool(np.allclose(f([0.0, 1.0]), np.exp([0.0, 1.0]) + k))


def mapped(place: Path) -> int:
    """Objects of the cache that are in this process."""
    gc.collect()
    lines = Path("/proc/self/maps").read_text().splitlines()
    return len({line.split()[-1] for line in lines if str(place) in line})


@pytest.mark.sweep
def test_an_object_goes_with_the_last_that_uses_it(place: Path) -> None:
    first = make(0.5)
    base = mapped(place)
    same, other = make(0.5), make(1.5)
    copied, pickled = copy.copy(first), pickle.loads(pickle.dumps(first))
    raw = other.executable.call
    assert mapped(place) == base + 1, "equal text is one object"
    del first, copied
    assert mapped(place) == base + 1 and right(same, 0.5) and right(pickled, 0.5)
    del other
    assert mapped(place) == base + 1 and raw(np.zeros(1))[0].tolist() == [2.5], "its callable is still there"
    del raw
    assert mapped(place) == base
    del same, pickled
    assert mapped(place) == base - 1
    assert right(make(0.5), 0.5) and right(make(1.5), 1.5)


def test_results_and_errors_outlive_their_function(place: Path) -> None:
    y = T.dvector("y")
    f = eqsat.function([X, y], [X + y, T.as_tensor_variable(np.arange(3.0)), X[1:]])
    results = f([1.0, 2.0], [3.0, 4.0])
    with pytest.raises(eqsat.errors.EqsatError) as error:
        f([1.0, 2.0], [3.0])
    gone, said = weakref.ref(f), str(error.value)
    del f, error
    gc.collect()
    assert gone() is None
    assert [r.tolist() for r in results] == [[4, 6], [0, 1, 2], [2]] and "2" in said


@pytest.mark.sweep
def test_parts_of_a_call_and_loops_are_released(place: Path) -> None:
    """Functions of several segments, of loops, of profiles, of variants and without knowledge of NumPy's struct."""

    class Twice(eqsat.Op):
        __props__ = ()

        def make_node(self, x: Any) -> eqsat.Apply:
            return eqsat.Apply(self, [x], [x.type()])

        def perform(self, node: eqsat.Apply, inputs: Any, output_storage: Any) -> None:
            output_storage[0][0] = inputs[0] * 2

    make(0.0)
    before = mapped(place)
    loop = eqsat.scan(lambda a, s: T.tanh(s + a), X, T.constant(0.5))[0][-1]
    made = [
        eqsat.function([X], T.exp(Twice()(T.exp(X) + 3.5)) + 1.25),
        eqsat.function([X], loop),
        eqsat.function([X], T.exp(X) + 2.25, profile=True),
    ]
    for f in made:
        f([0.1, 0.2])
    str(made[2].profile)
    assert mapped(place) > before
    del f, made
    assert mapped(place) <= before + 1, "what is shown at the end of the process stays"


@pytest.mark.sweep
def test_without_the_struct(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load.layout, "table", lambda: None)
    before = mapped(place)
    f = make(7.5)
    assert right(f, 7.5) and mapped(place) > before
    del f
    assert mapped(place) <= before + 1, "the launcher may have come"


@pytest.mark.sweep
def test_threads_that_drop_what_others_call(place: Path) -> None:
    """A function is dropped by one thread while others are inside; also with threads of OpenMP."""
    failed: list[BaseException] = []
    wide = np.ones(200_000)

    def work(number: int) -> None:
        try:
            for k in range(6):
                f = make(number + k / 8)
                callers = [threading.Thread(target=lambda f=f: [f(wide) for _ in range(5)]) for _ in range(2)]
                for caller in callers:
                    caller.start()
                del f
                for caller in callers:
                    caller.join()
        except BaseException as error:
            failed.append(error)

    make(0.0)(wide)
    before = mapped(place)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == [] and mapped(place) <= before + 1


@pytest.mark.sweep
def test_many(place: Path) -> None:
    """A compiler that copies an object makes many objects in a short time."""
    f = make(0.5)
    right(f, 0.5)
    (file,) = [p for p in (place / "cache").glob("*.so") if b"eq_segment_0" in p.read_bytes()]
    shutil.copy(file, place / "object")
    script = place / "cc"
    script.write_text(f'#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\nexec cp {place}/object "$2"\n')
    script.chmod(0o700)
    with config.change_flags(cc=str(script)):
        for k in range(20):
            right(make(100 + k), 0.5)
        counts = figures(place)
        for k in range(150):
            assert right(eqsat.function([X], T.exp(X) + (200 + k), mode="FAST_COMPILE"), 0.5)
        after = figures(place)
    assert after[0] == counts[0] and after[1] <= counts[1] and after[2] < counts[2] + 20, (counts, after)


def figures(place: Path) -> tuple[int, int, int]:
    """Objects of the cache, open files and megabytes of this process."""
    count = mapped(place)
    status = Path("/proc/self/status").read_text().splitlines()
    resident = next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))
    return count, len(os.listdir("/proc/self/fd")), resident // 1024
