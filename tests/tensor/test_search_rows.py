"""Places among sorted elements are NumPy's: at both sides, for every length, with NaN on either side."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T


@pytest.mark.c
@pytest.mark.parametrize("dtype", ["float64", "uint8"])
def test_places_are_numpys(dtype: str) -> None:
    rows, values = T.tensor(dtype, shape=(None,)), T.tensor(dtype, shape=(None,))
    f = eqsat.function(
        [rows, values], [T.searchsorted(rows, values, side=side) for side in ("left", "right")]
    )
    rng = np.random.default_rng(0)
    for n in (*range(36), 1000):
        a, b = np.sort(rng.integers(0, 20, n)).astype(dtype), rng.integers(0, 22, 50).astype(dtype)
        if dtype == "float64" and n > 4:
            a[-2:], a[0], b[:2], b[3] = np.nan, -np.inf, np.nan, -0.0
        for side, found in zip(("left", "right"), f(a, b), strict=True):
            np.testing.assert_array_equal(found, np.searchsorted(a, b, side=side))  # type: ignore[call-overload]
