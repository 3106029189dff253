"""Small calls of BLAS and LAPACK run on one thread; a convolution calls none, and its tiles are spread over our threads."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.configuration import config
from eqsat.cgen.c import prelude
from eqsat.cgen.runtime import load
from eqsat.cgen.runtime.lapack import FEW, PRODUCT_OF, ROUTINES
from eqsat.cgen.runtime.load import LIBRARIES

GET, SET = ctypes.CFUNCTYPE(ctypes.c_int), ctypes.CFUNCTYPE(None, ctypes.c_int)
A, B = T.dmatrices("a", "b")
SMALL = {
    "solve": T.linalg.solve(A, B),
    "solve_triangular": T.linalg.solve_triangular(A, B),
    "det": T.linalg.det(A) + B.sum(),
    "inverse": T.linalg.inv(A) + B,
    "cholesky": T.linalg.cholesky(T.dot(A.T, A) + T.dot(B.T, B)),
    "eigh": T.linalg.eigh(A + A.T)[0] + B,
    "svd": T.linalg.svd(A)[1] + B,
    "qr": T.linalg.qr(A)[1] + B,
    "complex": T.abs(T.dot(A + 1j * B, B + 1j * A)),
}


def test_every_routine_says_what_it_multiplies() -> None:
    assert set(PRODUCT_OF) == {*ROUTINES, *prelude._BLAS} - {*LIBRARIES}
    for name, places in PRODUCT_OF.items():
        parameters = prelude._BLAS[name].split(", ")
        assert all(parameters[k].endswith("int *") for k in places), name


@pytest.fixture
def said() -> Iterator[list[int]]:
    """The numbers of threads that BLAS is told; it seems to have 7."""
    found: list[int] = []

    def tell(count: int) -> None:
        found.append(count)

    get, set_ = GET(lambda: 7), SET(tell)
    x = T.dmatrix("x")
    eqsat.function([x], T.linalg.det(x), mode="FAST_COMPILE")
    compiler = load._launchers[True]
    compiler.library.eq_blas_threads(get, set_)
    real = load._threads_of_blas
    load._threads_of_blas = lambda: (get, set_)
    yield found
    load._threads_of_blas = real
    compiler.library.eq_blas_threads(*real())


@pytest.mark.parametrize("name", sorted(SMALL))
def test_small_calls_are_alone(name: str, said: list[int]) -> None:
    f = eqsat.function([A, B], SMALL[name], mode="FAST_COMPILE")
    rng = np.random.default_rng(0)
    a, b = rng.random((20, 20)) + 20 * np.eye(20), rng.random((20, 20))
    f(a, b)
    assert said and said == [1, 7] * (len(said) // 2)


def test_a_large_call_has_all_threads(said: list[int]) -> None:
    n = round(FEW ** (1 / 3)) + 2
    f = eqsat.function([A, B], SMALL["solve_triangular"], mode="FAST_COMPILE")
    f(np.eye(n), np.eye(n))
    assert said == []


@pytest.mark.parametrize(("threads", "told"), [(1, [1, 7]), (3, [3, 7]), (9, [])])
def test_a_large_call_has_no_more_threads_than_its_function(
    threads: int, told: list[int], said: list[int]
) -> None:
    n = round(FEW ** (1 / 3)) + 2
    with config.change_flags(blas_threads=threads):
        f = eqsat.function([A, B], SMALL["solve_triangular"], mode="FAST_COMPILE")
        g = eqsat.function([A, B], SMALL["det"], mode="FAST_COMPILE")
    f(np.eye(n), np.eye(n))
    assert said == told
    g(np.eye(2), np.eye(2))
    assert said == [*told, 1, 7]
    del said[:]
    test_a_large_call_has_all_threads(said)


def test_functions_of_other_numbers_of_threads_beside_one_another() -> None:
    get, set_ = load._threads_of_blas()
    if get is None:
        pytest.skip("this BLAS has no number of threads")
    before = get()
    set_(4)
    n = round(FEW ** (1 / 3)) + 2
    functions = []
    for count in (1, 2, 3, "auto"):
        with config.change_flags(blas_threads=count):
            functions.append(eqsat.function([A, B], SMALL["solve"], mode="FAST_COMPILE"))
    a = np.random.default_rng(0).random((n, n)) + n * np.eye(n)
    wrong: list[bool] = []

    def call(f: Any) -> None:
        wrong.extend(not np.allclose(f(a, a), np.eye(n)) for _ in range(3))

    threads = [threading.Thread(target=call, args=(f,)) for f in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert get() == 4 and wrong == [False] * 12
    set_(before)


def test_a_convolution_calls_no_matrix_library(said: list[int]) -> None:
    x, w = T.dtensor4("x"), T.dtensor4("w")
    cost = T.nnet.conv2d(x, w).sum()
    f = eqsat.function([x, w], [T.nnet.conv2d(x, w), *T.grad(cost, [x, w])], mode="FAST_COMPILE")
    f(np.ones((40, 3, 40, 40)), np.ones((4, 3, 5, 5)))
    assert said == []


def test_threads_that_call_leave_the_number_as_it_was() -> None:
    get, set_ = load._threads_of_blas()
    if get is None:
        pytest.skip("this BLAS has no number of threads")
    before = get()
    set_(2)
    f = eqsat.function([A, B], SMALL["solve"], mode="FAST_COMPILE")
    a = np.random.default_rng(0).random((30, 30)) + 30 * np.eye(30)
    wrong: list[bool] = []

    def call() -> None:
        wrong.extend(not np.allclose(f(a, a), np.eye(30)) for _ in range(300))

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert get() == 2 and not any(wrong)
    set_(before)


CONVOLUTIONS = """
import hashlib, numpy as np, eqsat, eqsat.tensor as T
x, w = T.dtensor4("x"), T.dtensor4("w")
rng = np.random.default_rng(0)
for shape, kernel, groups in [((33, 4, 30, 30), (6, 4, 5, 5), 1), ((3, 4, 60, 60), (6, 2, 3, 3), 2), ((1, 2, 90, 90), (5, 2, 7, 7), 1)]:
    y = T.nnet.conv2d(x, w, num_groups=groups)
    f = eqsat.function([x, w], [y, *T.grad((y * T.sin(y)).sum(), [x, w])], mode="FAST_COMPILE")
    for value in f(rng.normal(size=shape), rng.normal(size=kernel)):
        print(hashlib.sha1(value.tobytes()).hexdigest())
"""


@pytest.mark.skipif(not config.openmp, reason="compiled without threads")
@pytest.mark.sweep
def test_a_convolution_has_the_same_bits_for_all_numbers_of_threads() -> None:
    found = set()
    for count in (1, 2, 5):
        run = subprocess.run(
            [sys.executable, "-c", CONVOLUTIONS],
            env={**os.environ, "OMP_NUM_THREADS": str(count)},
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(run.stdout)
    assert len(found) == 1 and len(found.pop().split()) == 9
