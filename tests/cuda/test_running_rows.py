"""Running reductions along rows of all lengths: by warps, by blocks, by chunks, with wide accesses and without."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.configuration import config
from tests.cuda.orders import in_both_orders

pytestmark = [pytest.mark.c, pytest.mark.cuda]
LENGTHS = (
    0,
    1,
    2,
    3,
    5,
    32,
    33,
    128,
    129,
    255,
    257,
    511,
    513,
    1000,
    1023,
    1024,
    1025,
    2047,
    2048,
    2049,
    5000,
)


@pytest.fixture(autouse=True)
def emulated() -> Iterator[None]:
    with config.change_flags(cuda_device="emulated"):
        yield


def drawn(dtype: str, *shape: int) -> np.ndarray:
    return (np.random.default_rng(sum(shape)).normal(size=shape) * 3).astype(dtype)


def wanted(f: Any, value: np.ndarray, dtype: str, axis: int = 1) -> np.ndarray:
    """The result in longer numbers."""
    more = {"float32": "float64", "complex64": "complex128"}.get(dtype, dtype)
    with np.errstate(all="ignore"):
        return np.asarray(f(value.astype(more), axis=axis, dtype=more))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32", "complex64", "complex128"])
@pytest.mark.sampled(2)
def test_sums(dtype: str) -> None:
    x = T.tensor(dtype, (None, None), name="x")
    f = eqsat.function([x], [T.cumsum(x, 1), T.cumsum(x[:, 1:], 1), T.cumsum(x[:, ::-1], 1)], target="cuda")
    assert f.cuda_source is not None and "__shfl_up_sync" in f.cuda_source
    for n in LENGTHS:
        value = drawn(dtype, 9 if n < 300 else 2, n)
        views = (value, value[:, 1:], value[:, ::-1])
        for have, view in zip(in_both_orders(f, [value]), views, strict=True):
            close = 1e-5 if dtype in ("float32", "complex64") else 1e-11
            np.testing.assert_allclose(have, wanted(np.cumsum, view, dtype), rtol=close, atol=close * n)


def test_products_extremes_and_others() -> None:
    x = T.fmatrix("x")
    outputs = [T.cumprod(x, 1), T.cumprod(x, 0), T.cumsum(x, 0)]
    f = eqsat.function([x], outputs, target="cuda")
    reference = eqsat.function([x], outputs, mode="reference")
    for n in LENGTHS:
        value = np.exp(drawn("float32", 3, n) / 60).astype("float32")
        for have, w in zip(in_both_orders(f, [value]), reference(value), strict=True):
            np.testing.assert_allclose(have, w, rtol=1e-4)


@pytest.mark.parametrize("n", [40, 700, 3000])
def test_bits_depend_on_lengths_alone(n: int) -> None:
    x = T.fmatrix("x")
    f = eqsat.function([x], T.cumsum(x, 1), target="cuda")
    g = eqsat.function([x], T.cumsum(x[:, 3:], 1), target="cuda")
    value = drawn("float32", 4, n + 3)
    assert f(value[:, 3:].copy()).tobytes() == g(value).tobytes()


def in_order(value: np.ndarray, product: bool) -> np.ndarray:
    """The results one after the other, in the numbers' own precision."""
    found = value.copy()
    with np.errstate(all="ignore"):
        for k in range(1, value.shape[1]):
            found[:, k] = found[:, k - 1] * value[:, k] if product else found[:, k - 1] + value[:, k]
    return found


@pytest.mark.parametrize("n", [7, 200, 1024, 2500])
def test_numbers_that_are_not_ordinary(n: int) -> None:
    x = T.dmatrix("x")
    f = eqsat.function([x], [T.cumsum(x, 1), T.cumprod(x, 1)], target="cuda")
    value = 1 + drawn("float64", 8, n) / 100
    middle = n // 2
    value[0, middle] = np.nan
    value[1, [middle, -1]] = np.inf, -np.inf
    value[2, [1, middle]] = 1.7e308, 1.7e308
    value[2, -1] = -1.7e308
    value[3, middle] = 0
    value[4, 0] = np.nan
    value[5, [0, 1, -1]] = 1e-200, 1e-200, 1e300
    value[6, [0, -1]] = -np.inf, np.inf
    value[7, :] = -0.0
    have = in_both_orders(f, [value])
    for h, product in zip(have, (False, True), strict=True):
        np.testing.assert_allclose(h, in_order(value, product), rtol=1e-12)
    assert np.signbit(have[0][7]).all()


def test_few_long_rows_are_cut_into_chunks() -> None:
    x, v = T.fmatrix("x"), T.dvector("v")
    f = eqsat.function([x, v], [T.cumsum(x, 1), T.cumsum(v), T.cumsum(v[1:]), T.cumprod(v)], target="cuda")
    for n in (16_384, 30_001, 40_000):
        value, line = drawn("float32", 2, n), 1 + drawn("float64", n) / 1e4
        for bad in (False, True):
            if bad:
                value[1, n // 2], line[n // 3] = np.inf, 0
            have = in_both_orders(f, [value, line])
            np.testing.assert_allclose(have[0], wanted(np.cumsum, value, "float32"), rtol=1e-4, atol=1e-2)
            np.testing.assert_allclose(have[1], np.cumsum(line), rtol=1e-10)
            np.testing.assert_allclose(have[2], np.cumsum(line[1:]), rtol=1e-10)
            np.testing.assert_allclose(have[3], np.cumprod(line), rtol=1e-8)
