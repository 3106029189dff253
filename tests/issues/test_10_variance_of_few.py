"""Variances of no more numbers than are taken off are those of NumPy: 0 / 0 is NaN, never -0."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_all_counts(mode: str, dtype: str) -> None:
    x = T.matrix("x", dtype=dtype)
    ways = [(axis, ddof) for axis in (0, 1, None) for ddof in (0, 1, 2, 3)]
    f = eqsat.function([x], [op(x, a, ddof=d) for a, d in ways for op in (T.std, T.var)], mode=mode)
    for shape in ((0, 3), (1, 3), (2, 3), (3, 0), (5, 2), (1, 1)):
        value = (np.arange(np.prod(shape)).reshape(shape) ** 2).astype(dtype)
        with np.errstate(all="ignore"), pytest.warns(RuntimeWarning):
            wanted = [op(value, a, ddof=d) for a, d in ways for op in (np.std, np.var)]
        for found, right in zip(f(value), wanted, strict=True):
            np.testing.assert_allclose(found, right, rtol=1e-5)
            assert np.array_equal(np.signbit(found[~np.isnan(found)]), np.signbit(right[~np.isnan(right)]))


def test_of_one_number_without_axes() -> None:
    x = T.dscalar("x")
    f = eqsat.function(
        [x], [op(x, ddof=d) for d in (0, 1, 2) for op in (T.std, T.var, T.nanvar)], mode="reference"
    )
    assert np.array_equal(f(2.0), [0, 0, 0] + [np.nan] * 6, equal_nan=True)
