"""Several folds over the first axes at once: few rows and many, tiles of columns and what is left of them, NaN, all dtypes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.base.configuration import config

SHAPES = [(3, 5000), (0, 40), (3, 0), (1, 1), (128, 511), (129, 513), (300, 1025), (2, 1024), (1, 2049)]
Folds = Callable[..., list[Any]]


def sums(x: Any, y: Any, axis: Any) -> list[Any]:
    return [(x * y).sum(axis), (x * x).sum(axis), (y * y).sum(axis), (x + y).sum(axis)]


def sums_and_extremes(x: Any, y: Any, axis: Any) -> list[Any]:
    return [(x * y).sum(axis), (x + y).max(axis), (x - y).min(axis)]


def drawn(dtype: str, *shape: int) -> np.ndarray:
    return (np.random.default_rng(shape[-1]).normal(size=shape) * 9).astype(dtype)


def agree(
    inputs: list[Any], folds: Folds, axis: Any, values: list[np.ndarray], threads: int = 1
) -> list[Any]:
    """The values of folds in C, compared with those of NumPy."""
    with config.change_flags(threads=threads):
        f = eqsat.function(inputs, folds(*inputs, axis), mode="FAST_COMPILE")
        got = f(*values)
    kinds = [np.asarray(g).dtype for g in got]
    wide = [v.astype("float64") if v.dtype.kind == "f" else v for v in values]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = folds(*wide, axis)
    for have, want, kind in zip(got, wanted, kinds, strict=True):
        tolerance = 1e-6 if kind == "float32" else 1e-12
        size = 1 + np.nansum(np.abs(want)) / max(want.size, 1)
        np.testing.assert_allclose(have, want, rtol=tolerance, atol=tolerance * 9 * size)
    return list(got)


@pytest.mark.c
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "int64"])
def test_sums_of_columns(dtype: str) -> None:
    inputs = [T.tensor(dtype, (None, None), name=n) for n in "xy"]
    f = eqsat.function(inputs, sums(*inputs, 0), mode="FAST_COMPILE")
    for shape in SHAPES:
        x = drawn(dtype, *shape)
        y = drawn(dtype, *shape[::-1]).T
        for a, b in ((x, y.copy()), (x, y), (x[::-1], y[:, ::-1]), (np.broadcast_to(x[:1], x.shape), y)):
            for have, want in zip(f(a, b), sums(a.astype("float64"), b.astype("float64"), 0), strict=True):
                np.testing.assert_allclose(have, want, rtol=1e-5 if dtype == "float32" else 1e-10, atol=2e-3)


@pytest.mark.c
@pytest.mark.parametrize("shape", [(3, 700), (130, 1100)])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_one_nan_stays_in_its_column(dtype: str, shape: tuple[int, int]) -> None:
    x, y = drawn(dtype, *shape), drawn(dtype, *shape) + 1
    x[1, 5], x[2, 650], y[0, 650] = np.nan, np.inf, -np.inf
    inputs = [T.tensor(dtype, (None, None), name=n) for n in "xy"]
    f = eqsat.function(inputs, sums_and_extremes(*inputs, 0), mode="FAST_COMPILE")
    with np.errstate(invalid="ignore"):
        wanted = sums_and_extremes(x, y, 0)
    for have, want in zip(f(x, y), wanted, strict=True):
        assert np.array_equal(np.isnan(have), np.isnan(want))
        np.testing.assert_allclose(have, want, rtol=1e-4, atol=1e-3)


@pytest.mark.c
@pytest.mark.parametrize("shape", [(3, 5000), (100, 600), (200, 700)])
def test_known_lengths(shape: tuple[int, int]) -> None:
    inputs = [T.tensor("float64", shape, name=n) for n in "xy"]
    agree(inputs, sums, 0, [drawn("float64", *shape), drawn("float64", *shape)])


@pytest.mark.c
def test_a_middle_axis_and_two_axes() -> None:
    inputs = [T.tensor("float64", (None, None, None), name=n) for n in "xy"]
    for shape in ((4, 3, 1500), (2, 150, 600), (0, 3, 4)):
        values = [drawn("float64", *shape), drawn("float64", *shape)]
        agree(inputs, sums, 1, values)
        agree(inputs, sums, (0, 1), values)


@pytest.mark.c
@pytest.mark.parametrize("shape", [(3, 400_001), (1201, 803), (140, 5000)])
def test_threads_do_not_change_a_bit(shape: tuple[int, int]) -> None:
    inputs = [T.tensor("float64", (None, None), name=n) for n in "xy"]
    values = [drawn("float64", *shape), drawn("float64", *shape)]
    one, *others = (
        [np.asarray(v).tobytes() for v in agree(inputs, sums, 0, values, threads)] for threads in (1, 2, 4)
    )
    assert all(other == one for other in others)


@pytest.mark.c
@pytest.mark.parametrize("rows", [0, 1, 2, 3, 16, 17])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "complex128"])
def test_few_rows_are_added_in_their_order(dtype: str, rows: int) -> None:
    """Columns that run together and what is left of them have the same bits, in rows as they lie and in those that lie across."""
    x = T.tensor(dtype, (None, None), name="x")
    f = eqsat.function([x], x.sum(0), mode="FAST_COMPILE")
    wide = {"float32": "float64", "int8": "int64"}.get(dtype, dtype)
    for columns in (1, 31, 32, 64, 257, 2049 + 33):
        values = drawn(dtype, rows, columns)
        wanted = np.zeros(columns, wide)
        for row in values:
            wanted += row
        got = f(values)
        assert np.array_equal(got, wanted.astype(got.dtype))
        assert np.array_equal(f(np.asfortranarray(values)), got)


@pytest.mark.c
@pytest.mark.parametrize("rows", [3, 16, 17])
def test_extremes_of_few_rows_spread_nan(rows: int) -> None:
    x = T.tensor("float64", (None, None), name="x")
    f = eqsat.function([x], [x.max(0), x.min(0)], mode="FAST_COMPILE")
    values = drawn("float64", rows, 4500)
    values[rows // 2, [0, 40, 4499]] = np.nan
    for have, want in zip(f(values), (values.max(0), values.min(0)), strict=True):
        assert np.array_equal(have, want, equal_nan=True)


@pytest.mark.c
def test_few_rows_of_several_matrices() -> None:
    x, y = T.dtensor3("x"), T.dvector("y")
    f = eqsat.function([x, y], [(x * y).sum(1), (x * x).sum(1)], mode="FAST_COMPILE")
    for shape in ((7, 3, 100), (2, 16, 2100), (1, 1, 32), (0, 3, 40), (5, 0, 40)):
        a, b = drawn("float64", *shape), drawn("float64", shape[-1])
        for have, want in zip(f(a, b), ((a * b).sum(1), (a * a).sum(1)), strict=True):
            np.testing.assert_allclose(have, want, rtol=1e-13, atol=1e-12)
