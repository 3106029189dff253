"""Exponentials of our own: as near to the true value as promised, the same bits at every place of an array."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import eqsat
import eqsat.tensor as T

SPECIAL = [
    0.0,
    -0.0,
    np.inf,
    -np.inf,
    np.nan,
    88.7,
    88.8,
    -87.5,
    -100.0,
    -103.9,
    -104.1,
    1e30,
    -1e30,
    709.7,
    709.8,
]


@pytest.mark.c
@pytest.mark.parametrize(("dtype", "reach"), [("float32", 87.0), ("float64", 708.0)])
def test_exponentials_are_near_the_true_ones(dtype: str, reach: float) -> None:
    x = T.vector("x", dtype=dtype)
    f = eqsat.function([x], T.exp(x))
    assert "eq_exp" in f.c_source
    rng = np.random.default_rng(0)
    for width in (1e-3, 1.0, 10.0, reach):
        value = rng.uniform(-width, width, 50_000).astype(dtype)
        true = np.exp(value.astype(np.longdouble))
        unit = np.spacing(np.abs(true).astype(dtype))
        assert float(np.max(np.abs(f(value) - true) / unit)) <= 1.2


@pytest.mark.c
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_special_numbers_have_their_exponentials(dtype: str) -> None:
    x = T.vector("x", dtype=dtype)
    value = np.array([*SPECIAL, *np.linspace(-746, -700, 30)]).astype(dtype)
    with np.errstate(all="ignore"):
        right = np.exp(value.astype(np.longdouble)).astype(dtype)
    np.testing.assert_allclose(eqsat.function([x], T.exp(x))(value), right, rtol=1e-6, atol=1e-44)


@pytest.mark.c
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_place_in_an_array_does_not_matter(dtype: str) -> None:
    x = T.vector("x", dtype=dtype)
    f = eqsat.function([x], T.exp(x) * 3)
    value = np.random.default_rng(1).normal(size=100).astype(dtype)
    whole = f(value)
    for start in range(20):
        for stop in range(start, 40):
            assert f(value[start:stop]).tobytes() == whole[start:stop].tobytes()


@pytest.mark.c
def test_a_text_with_many_exponentials_calls_those_of_the_library() -> None:
    names = [T.dvector(f"x{k}") for k in range(9)]
    f = eqsat.function(names, [T.sum(T.exp(x) + k) for k, x in enumerate(names)])
    assert "eq_exp" not in f.c_source


@pytest.mark.c
def test_the_complement_of_erf_is_near_the_true_one() -> None:
    """In float32, tails with subnormal numbers included; without a branch, so that GELU and its slope are vectors."""
    x = T.fvector("x")
    f = eqsat.function([x], T.erfc(x))
    assert "eq_erfcf" in f.c_source
    rng = np.random.default_rng(1)
    for low, high in ((-1e-3, 1e-3), (-4.0, 1.0), (1.0, 9.0), (9.0, 10.4), (-12.0, 12.0)):
        value = rng.uniform(low, high, 50_000).astype("float32")
        true = special.erfc(value.astype("float64"))
        unit = np.spacing(np.abs(true).astype("float32"))
        assert np.max(np.abs(f(value).astype("float64") - true) / unit) < 6
    odd = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 20.0, -20.0, 1e-40, 3e38, -3e38], "float32")
    np.testing.assert_array_equal(f(odd), [np.nan, 0, 2, 1, 1, 0, 2, 1, 0, 2])
