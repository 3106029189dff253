"""Long vectors are sorted by the bytes of their elements: in the order and with the places that NumPy's stable sort gives."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

pytestmark = pytest.mark.c
DTYPES = ("float64", "float32", "int64", "int8", "uint16")


@cache
def both(dtype: str) -> Any:
    x = T.tensor(dtype, shape=(None, None))
    return eqsat.function([x], [T.sort(x, axis=1), T.argsort(x, axis=1)])


def vectors(dtype: str, n: int) -> dict[str, Any]:
    rng = np.random.default_rng(n)
    wide = rng.normal(size=n) * 1000
    special = wide.copy()
    for value in (np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf):
        special[rng.integers(0, n, n // 9)] = value
    found = {
        "wide": wide,
        "sorted": np.sort(wide),
        "falling": -np.sort(wide),
        "equal": np.full(n, 3.0),
        "few": rng.integers(0, 4, n),
        "near": 1 + wide * 1e-13,
        "tiny": wide * 1e-310,
        "ends": np.where(wide > 0, 2.0**62, -(2.0**62)) + wide,
    }
    if dtype[0] == "f":
        found["special"] = special
    with np.errstate(all="ignore"):
        return {name: v.astype(dtype) for name, v in found.items()}


@pytest.mark.parametrize("n", [1023, 1500])
@pytest.mark.parametrize("dtype", DTYPES)
def test_long_rows_are_sorted_as_numpy_does(dtype: str, n: int) -> None:
    for name, x in vectors(dtype, n).items():
        rows = np.stack([x, x[::-1]])
        values, places = both(dtype)(rows)
        np.testing.assert_array_equal(places, np.argsort(rows, axis=1, kind="stable"), name)
        wanted = np.take_along_axis(rows, places, axis=1)
        np.testing.assert_array_equal(values, wanted, name)
        np.testing.assert_array_equal(np.signbit(values), np.signbit(wanted), name) if dtype[
            0
        ] == "f" else None


@pytest.mark.parametrize("bins", [7, [-1.0, 0.0, 0.5, 3.0]])
@pytest.mark.parametrize("dtype", ["float64", "float32", "uint8"])
@pytest.mark.sampled(2)
def test_histograms_are_numpys(dtype: str, bins: Any) -> None:
    x = T.tensor(dtype, shape=(None,))
    w = T.dvector()
    rng = np.random.default_rng(0)
    options: Any
    for options in ({}, {"range": (-1.0, 2.0)}):
        if options and not isinstance(bins, int):
            continue
        f = eqsat.function(
            [x, w], [*T.histogram(x, bins, **options), T.histogram(x, bins, weights=w, **options)[0]]
        )
        for n in (0, 1, 5, 500):
            a = (rng.normal(size=n) * 2).astype(dtype)
            b = rng.normal(size=n)
            if n > 1 and dtype[0] == "f" and not (isinstance(bins, int) and not options):
                a[0], a[1] = np.nan, np.inf
            counts, edges, sums = f(a, b)
            given = a.astype("uint8") if dtype == "bool" else a
            wanted, wanted_edges = np.histogram(given, bins, **options)
            np.testing.assert_array_equal(counts, wanted)
            np.testing.assert_allclose(edges, wanted_edges, rtol=1e-6, atol=1e-6)
            np.testing.assert_allclose(sums, np.histogram(given, bins, weights=b, **options)[0], atol=1e-9)
