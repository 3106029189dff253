"""Running sums, products and recurrences along any axis: side by side where the axis is not the last."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

pytestmark = pytest.mark.c


DTYPES = ["float32", "float64", "int32", "complex128", "bool"]


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_values(axis: int) -> None:
    xs = [T.tensor3(f"x_{dtype}", dtype) for dtype in DTYPES]
    f = eqsat.function(xs, [v for x in xs for v in (T.cumsum(x, axis), T.cumprod(x[::-1, :, ::-1], axis))])
    for lengths in ((4, 3, 5), (2, 2, 1100), (0, 2, 3), (2, 0, 3), (3, 2, 0), (1, 1, 1)):
        value = np.random.default_rng(0).uniform(-1, 1, lengths)
        data = [value > 0 if dtype == "bool" else (value * 3).astype(dtype) for dtype in DTYPES]
        found = f(*data)
        for k, (dtype, x) in enumerate(zip(DTYPES, data, strict=True)):
            rtol = 1e-4 if dtype == "float32" else 1e-10
            with np.errstate(all="ignore"):
                wanted = np.cumsum(x, axis), np.cumprod(x[::-1, :, ::-1], axis)
            for have, want in zip(found[2 * k : 2 * k + 2], wanted, strict=True):
                np.testing.assert_allclose(have, want, rtol=rtol, atol=1e-5, err_msg=f"{dtype}, {lengths}")


@pytest.mark.parametrize("axis", [0, 1])
def test_numbers_that_are_not_finite(axis: int) -> None:
    x = T.dmatrix("x")
    data = np.array([[1.0, np.inf, -0.0], [np.nan, -np.inf, -0.0], [2.0, 3.0, 1.0]])
    with np.errstate(all="ignore"):
        wanted = np.cumsum(data, axis)
    np.testing.assert_array_equal(eqsat.function([x], T.cumsum(x, axis))(data), wanted)
