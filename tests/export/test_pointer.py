"""Compiled functions as addresses of C functions, called by SciPy, by threads and by hand."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from scipy import LowLevelCallable, integrate

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError

SAMPLER = "int64(uint64, double*, double*, double*, void*)"


def density(n: int | None = None) -> Any:
    x = eqsat.TensorType("float64", shape=(n,))("x")
    return eqsat.function([x], [-T.sum(T.exp(x)), -T.exp(x)])


def called(c: Any, x: np.ndarray, length: int | None = None) -> tuple[int, float, np.ndarray]:
    value, slope = np.zeros(1), np.zeros(len(x))
    code = c(len(x) if length is None else length, x, value, slope, None)
    return code, float(value[0]), slope


@pytest.mark.parametrize("n", [None, 6])
def test_the_signature_of_samplers(n: int | None) -> None:
    f = density(n)
    x = np.linspace(-1, 1, 6)
    code, value, slope = called(f.c_function(SAMPLER), x)
    wanted = f(x)
    assert (code, value) == (0, float(wanted[0])) and slope.tobytes() == wanted[1].tobytes()


def test_scipy_integrates_by_the_pointer() -> None:
    x = T.dscalar("x")
    c = eqsat.function([x], T.exp(-x * x)).c_function("double(double)")
    pointer = LowLevelCallable(c.ctypes)
    assert integrate.quad(pointer, -np.inf, np.inf)[0] == pytest.approx(np.sqrt(np.pi), abs=1e-8)
    y = eqsat.TensorType("float64", shape=(2,))("y")
    plane = eqsat.function([y], y[0] * y[1]).c_function("double(int, double*)")
    assert integrate.nquad(LowLevelCallable(plane.ctypes), [(0, 1), (0, 2)])[0] == pytest.approx(1.0)


def test_results_in_another_order_and_their_lengths() -> None:
    x = eqsat.TensorType("float64", shape=(3,))("x")
    f = eqsat.function([x], [T.sum(x), 2 * x])
    c = f.c_function("int(size_t, size_t, double*, double*, double*)", results=[1, 0])
    twice, total = np.zeros(3), np.zeros(1)
    assert c(3, 3, np.arange(3.0), twice, total) == 0
    assert (twice.tolist(), total.tolist()) == ([0, 2, 4], [3])
    assert c(3, 4, np.arange(3.0), twice, total) == -3
    with pytest.raises(ArgumentError, match=r"results=\[0, 0\] is no order of 2 results"):
        f.c_function("int(double*, double*, double*)", results=[0, 0])


def test_lengths_that_the_type_does_not_have_are_refused() -> None:
    code, value, _ = called(density(6).c_function(SAMPLER), np.ones(6), 5)
    assert (code, value) == (-3, 0.0)
    x = eqsat.TensorType("float64", shape=(2,))("x")
    c = eqsat.function([x], T.sum(x)).c_function("double(int, double*)")
    assert np.isnan(c(3, np.ones(3)))
    with pytest.raises(ArgumentError, match="called with 1 values\n  needs  2"):
        c(3)


def test_errors_are_numbers() -> None:
    x = eqsat.TensorType("float64", shape=(2, 2))("x")
    c = eqsat.function([x], T.linalg.cholesky(x)).c_function("int(double*, double*)")
    out, bad = np.zeros((2, 2)), -np.eye(2)
    code = c(bad, out)
    assert code > 0 and c.message(code) == "cholesky: the matrix is not positive definite"
    assert c(4 * np.eye(2), out) == 0 and out.tolist() == [[2, 0], [0, 2]]


def test_results_that_are_not_finite_may_be_errors() -> None:
    f = density()
    x = np.array([0.0, 1000.0])
    assert called(f.c_function(SAMPLER), x)[:2] == (0, -np.inf)
    strict = f.c_function(SAMPLER, finite=True)
    code = called(strict, x)[0]
    assert code > 0 and strict.message(code) == "a result is not finite"
    assert called(strict, np.zeros(2))[0] == 0


def test_threads_call_at_once() -> None:
    c = density().c_function(SAMPLER)
    points = [np.random.default_rng(k).normal(size=50 * (k % 5)) for k in range(40)]
    wanted = [called(c, x) for x in points]
    with ThreadPoolExecutor(4) as pool:
        for got, one in zip(pool.map(lambda x: called(c, x), points * 5), wanted * 5, strict=True):
            assert got[:2] == one[:2] and got[2].tobytes() == one[2].tobytes()


def test_shared_variables_keep_their_values() -> None:
    x, w = T.dscalar("x"), eqsat.shared(np.arange(4.0), "w")
    c = eqsat.function([x], T.sum(w * x)).c_function("double(double)")
    w.set_value(np.zeros(7))
    assert c(2.0) == 12.0


def test_the_function_lives_as_long_as_the_address() -> None:
    c = density().c_function(SAMPLER)
    gc.collect()
    assert called(c, np.zeros(3))[:2] == (0, -3.0)
    assert int(c) == c.address and SAMPLER in repr(c)


@pytest.mark.parametrize(
    ("signature", "said"),
    [
        ("double", "is no signature"),
        ("int64(uint64, dable*)", "'dable\\*' is no type"),
        ("int64(uint64, float*, double*, double*)", "x is float64, not float32"),
        ("int64(uint64, double*)", "nothing stands for out0, out1"),
        ("int64(double*, double*, double*)", "0 integers do not fit 1 lengths"),
        ("int64(int, double*, double*, double*, double*)", "there are more pointers"),
        ("float(int, double*, double*, double*)", "no result is one number of float32"),
        ("int64(double, double*, double*, double*)", "float64 is the type of no argument"),
    ],
)
def test_signatures_that_do_not_fit(signature: str, said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        density().c_function(signature)


def test_functions_with_a_state_have_no_address() -> None:
    count = eqsat.shared(0, "count")
    f = eqsat.function([], count, updates=[(count, count + 1)])
    with pytest.raises(ArgumentError, match=r"updates count, and an address has no state"):
        f.c_function("void(int64*)")
