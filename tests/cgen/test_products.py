"""Products of matrices of every shape and layout, on every kind of processor that the compiler can write for."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.cgen import find_compiler
from eqsat.cgen.c.target import libraries_in
from eqsat.cgen.runtime import products
from eqsat.cgen.runtime.build import build

pytestmark = [pytest.mark.c, pytest.mark.sweep]
SIZES = [
    *(
        (1, 1, 1),
        (2, 2, 1),
        (3, 5, 7),
        (8, 48, 16),
        (9, 49, 17),
        (33, 65, 300),
        (7, 130, 260),
        (130, 100, 513),
    ),
    *(
        (1, 1, 70),
        (1, 5, 3),
        (5, 1, 3),
        (1, 300, 77),
        (300, 1, 77),
        (2, 3, 0),
        (0, 3, 2),
        (3, 0, 2),
        (257, 16, 2),
        (1, 23, 301),
        (301, 1, 23),
        (9, 1, 64),
        (1, 64, 9),
        (1, 141, 19),
        (13, 1, 141),
    ),
    *((10, 800, 5), (139, 801, 300)),  # rows side by side
]
CTYPES = {"float32": "float", "float64": "double"}


def layouts(a: np.ndarray) -> list[np.ndarray]:
    """The same values in rows, in columns, backwards in memory, and with gaps."""
    gaps = np.zeros((2 * a.shape[0] + 1, 3 * a.shape[1] + 1), a.dtype)
    gaps[1::2, 1::3] = a
    return [a, np.asfortranarray(a), a[::-1, ::-1].copy()[::-1, ::-1], gaps[1::2, 1::3]]


def close(found: np.ndarray, a: np.ndarray, b: np.ndarray, before: Any = 0.0) -> None:
    """Within what sums of so many terms may be off by."""
    exact = a.astype("float64") @ b.astype("float64") + before
    slack = 4 * np.finfo(a.dtype).eps * (np.abs(a).astype("float64") @ np.abs(b) + np.abs(before))
    assert (
        found.shape == exact.shape
        and (np.abs(found - exact) <= slack * max(a.shape[1], 1) ** 0.5 + 1e-300).all()
    )


def call(function: Any, a: np.ndarray, b: np.ndarray, out: np.ndarray, more: bool) -> None:
    """product(c, m, n, k, a, b, out) with strides in elements."""
    size, number = a.itemsize, ctypes.c_int64
    given = [(ctypes.c_void_p(v.ctypes.data), *(number(s // size) for s in v.strides)) for v in (a, b)]
    context = (number * 64)()
    lengths = map(number, (len(a), b.shape[1], a.shape[1]))
    rows = number(out.strides[0] // size)
    function(context, *lengths, *given[0], *given[1], ctypes.c_void_p(out.ctypes.data), rows, number(more))


@pytest.mark.parametrize("dtype", CTYPES)
@pytest.mark.parametrize("flags", ["", "-mno-avx512f", "-mno-avx", "-mno-fma"])
def test_every_layout_on_every_processor(dtype: str, flags: str, folder: str) -> None:
    compiler, ctype, rng = find_compiler(), CTYPES[dtype], np.random.default_rng(0)
    assert compiler is not None
    options = ["-O1", "-ffp-contract=fast", *flags.split()]
    library = ctypes.CDLL(build(products.text(ctype, openmp=False), compiler, options, folder).path)
    function = getattr(library, f"product_{ctype}")
    for m, n, k in SIZES:
        x, y = rng.normal(size=(m, k)).astype(dtype), rng.normal(size=(k, n)).astype(dtype)
        for a in layouts(x):
            for b in layouts(y):
                for gap, more in ((0, False), (0, True), (2, False), (2, True)):
                    room = rng.normal(size=(m, n + gap)).astype(dtype)
                    before = room.copy()
                    call(function, a, b, room[:, :n], more)
                    close(room[:, :n], x, y, before[:, :n] if more else 0.0)
                    np.testing.assert_array_equal(room[:, n:], before[:, n:])


@pytest.mark.parametrize("dtype", CTYPES)
def test_the_parts_of_threads_make_the_whole(dtype: str) -> None:
    """Large enough for several threads, by rows and by columns; the values are those of one thread."""
    x, y = T.tensor(dtype, (None, None)), T.tensor(dtype, (None, None))
    many = eqsat.function([x, y], x @ y)
    with eqsat.config.change_flags(openmp=False):
        one = eqsat.function([x, y], x @ y)
    loaded = products.product.is_loaded
    assert loaded(CTYPES[dtype], openmp=True) and loaded(CTYPES[dtype], openmp=False)
    rng = np.random.default_rng(0)
    for m, n, k in ((900, 40, 700), (40, 900, 700), (1, 3000, 900), (3000, 1, 900)):
        a, b = rng.normal(size=(m, k)).astype(dtype), rng.normal(size=(k, n)).astype(dtype)
        close(many(a, b), a, b)
        np.testing.assert_array_equal(many(a, b), one(a, b))


@pytest.mark.parametrize("dtype", CTYPES)
def test_a_matrix_times_its_own_transpose_has_the_bits_of_other_products(dtype: str) -> None:
    """Half of it is computed; sums run in one order, so that nothing but the time tells."""
    x, y = T.tensor(dtype, (None, None)), T.tensor(dtype, (None, None))
    own, two = eqsat.function([x], [x.T @ x, x @ x.T]), eqsat.function([x, y], x @ y)
    rng = np.random.default_rng(0)
    for m, n in ((2, 3), (5, 31), (130, 48), (300, 97), (801, 30), (257, 600)):
        a = rng.normal(size=(m, n)).astype(dtype)
        a[m // 2, n // 2] = np.nan
        for v in (a, np.asfortranarray(a), a[::-1, ::-1]):
            for found, left, right in zip(own(v), (v.T, v), (v, v.T), strict=True):
                np.testing.assert_array_equal(found, two(left, right.copy()))


def test_what_is_not_finite_stays_in_its_row_and_column() -> None:
    x, y = T.dmatrices("x", "y")
    f = eqsat.function([x, y], x @ y)
    a, b = np.ones((11, 9)), np.ones((9, 21))
    a[10, 3], b[4, 20] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(f(a, b), a @ b)


def test_a_program_of_real_products_needs_no_matrix_library() -> None:
    x, y = T.fmatrices("x", "y")
    assert "eq_blas_gem" not in (eqsat.function([x, y], [x @ y, T.dot(x, y[:, 0])]).c_source or "")
    z = T.zmatrix("z")
    assert "eq_blas_gemm" in (eqsat.function([z], z @ z).c_source or "")
    assert libraries_in([x @ y, T.dot(x, x.T).sum(), z @ z, T.exp(x)]) == [("product", "float")]
    loop, _ = eqsat.scan(lambda h: T.dot(h, T.dmatrix("w")), outputs_info=T.dvector("h"), n_steps=2)
    assert libraries_in([loop]) == [("product", "double")]


@pytest.mark.c
@pytest.mark.parametrize("shape", [(8, 8), (3, 40), (64, 5)])
def test_long_sums_of_floats_lose_no_more_than_those_of_numpy(shape: tuple[int, int]) -> None:
    x, y = T.fmatrix("x"), T.fmatrix("y")
    f = eqsat.function([x, y], x @ y)
    draw, k = np.random.default_rng(0), 200_000
    a, b = (draw.uniform(size=n).astype("float32") for n in ((shape[0], k), (k, shape[1])))
    wanted = a.astype("float64") @ b
    lost, usual = (np.abs(found / wanted - 1).max() for found in (f(a, b), a @ b))
    assert lost < 4 * usual + 1e-6, (lost, usual)
