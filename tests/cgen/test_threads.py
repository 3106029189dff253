"""Threads: results are the same for any number, one thread starts no other, children and callers beside one another have theirs."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.configuration import Config, config
from eqsat.cgen.runtime.team import most_threads
from eqsat.errors import ConfigError

DICE = np.random.default_rng(5)
X, M, N = T.dvector("x"), T.fmatrix("m"), T.fmatrix("n")
LONG = DICE.normal(size=700_001)
WIDE = DICE.normal(size=(1201, 803)).astype("float32")
FORMS: dict[str, tuple[list[Any], Any, list[Any]]] = {
    "elementwise": ([X], [T.exp(X) * X, X + 1], [LONG]),
    "fold": ([X], [T.sum(T.exp(-X * X)), T.max(X)], [LONG]),
    "rows": ([M], [T.sum(M * M, 1), T.softmax(M, 1)], [WIDE]),
    "columns": ([M], [T.sum(M * M, 0), T.cumsum(M, 1)], [WIDE]),
    "transposed": ([M], [T.exp(M.T), M[::-1, ::2] * 2], [WIDE]),
    "product": ([M, N], [T.dot(M, N), T.dot(M, N[:, 0]), T.dot(N[0], N.T)], [WIDE, WIDE.T.copy()]),
    "one column": ([M, N], [T.dot(M, N)], [WIDE, WIDE[0, :, None].copy()]),
    "nothing": ([M], [T.sum(M, 0), M * 2], [WIDE[:0]]),
}


def values(name: str, threads: int) -> list[bytes]:
    inputs, outputs, arrays = FORMS[name]
    with config.change_flags(threads=threads):
        f = eqsat.function(inputs, outputs, mode="FAST_COMPILE")
    return [np.asarray(v).tobytes() for v in f(*arrays)]


@pytest.mark.parametrize("name", FORMS)
def test_results_have_the_same_bits_for_any_number_of_threads(name: str) -> None:
    one = values(name, 1)
    assert all(values(name, threads) == one for threads in (2, 4))


def run(program: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


COUNT = """
import os, numpy as np, eqsat, eqsat.tensor as T
x = T.dvector("x")
a = np.linspace(0, 1, 500_000)
def more_threads(f):
    before = len(os.listdir("/proc/self/task"))
    f(a)
    return len(os.listdir("/proc/self/task")) - before
with eqsat.config.change_flags(threads=1):
    one = eqsat.function([x], T.exp(x) * x)
with eqsat.config.change_flags(threads=3):
    three = eqsat.function([x], T.exp(x) * x)
right = one(a)
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads are counted there")
def test_threads_are_started_when_a_function_may_use_them() -> None:
    said = run(COUNT + "print(more_threads(one), more_threads(three), more_threads(three))")
    assert said.split() == ["0", "2", "0"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads are counted there")
def test_a_forked_child_starts_threads_of_its_own() -> None:
    program = """
three(a)
if (child := os.fork()) == 0:
    good = more_threads(three) == 2 and (three(a) == right).all()
    if (grandchild := os.fork()) == 0:
        os._exit(0 if more_threads(three) == 2 and (three(a) == right).all() else 1)
    os._exit(0 if good and os.waitpid(grandchild, 0)[1] == 0 else 1)
assert os.waitpid(child, 0)[1] == 0
assert more_threads(three) == 0 and (three(a) == right).all()
"""
    run(COUNT + program)


def test_calls_beside_one_another_are_right() -> None:
    with config.change_flags(threads=3):
        f = eqsat.function([X], [T.exp(X), T.sum(X)])
    arrays = [LONG[k:].copy() for k in range(4)]
    right = [f(a) for a in arrays]
    wrong: list[Any] = []

    def work(k: int) -> Callable[[], None]:
        def call() -> None:
            for _ in range(10):
                found = f(arrays[k])
                if not all(np.array_equal(a, b) for a, b in zip(found, right[k], strict=True)):
                    wrong.append(k)

        return call

    threads = [threading.Thread(target=work(k)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_a_factorisation_has_the_same_bits_for_any_number_of_threads() -> None:
    """Threads of BLAS are not ours: their number, on which its results depend, has a flag of its own."""
    m = T.dmatrix("m")
    a = DICE.normal(size=(400, 400))
    found = set()
    for threads in (1, 2):
        with config.change_flags(threads=threads):
            found.add(eqsat.function([m], T.linalg.inv(m))(a).tobytes())
    assert len(found) == 1


def test_the_number_is_that_of_the_flag() -> None:
    assert most_threads(3) == 3
    assert Config({"EQSAT_FLAGS": "threads=2"}).threads == 2
    for wrong in (0, -1, 1.5, "many"):
        with pytest.raises(ConfigError, match=r"config\.threads does not take"):
            config.threads = wrong
    assert config.threads == "auto"


def test_by_default_it_is_that_of_openmp_or_of_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "5,2")
    assert most_threads("auto") == 5
    monkeypatch.setenv("OMP_NUM_THREADS", "all")
    cores = most_threads("auto")
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert most_threads("auto") == cores >= 1
