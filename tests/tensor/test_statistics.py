"""Norms, counts, averages and reductions that pass over NaN, against NumPy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, ShapeError
from tests.reference import numeric_gradient

HOLES = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, np.nan], [4.0, -5.0, 6.5]])
NANS = ["nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmax", "nanmin"]


@pytest.mark.filterwarnings(
    "ignore:Mean of empty", "ignore:Degrees of freedom", "ignore:All-NaN", "ignore:phase"
)
def test_nan_is_passed_over(seed_mode: str) -> None:
    x, i = T.dmatrix("x"), T.imatrix("i")
    ints = np.array([[1, 2, 3], [4, 5, 7], [0, 1, 1]], "int32")
    calls = list(itertools.product(NANS, (None, 0, 1), (False, True)))
    outs = [getattr(T, n)(v, axis=a, keepdims=k) for n, a, k in calls for v in (x, i)]
    found = iter(eqsat.function([x, i], outs, mode=seed_mode)(HOLES, ints))
    for n, a, k in calls:
        for value in (HOLES, ints):
            wanted, out = getattr(np, n)(value, axis=a, keepdims=k), next(found)
            np.testing.assert_allclose(out, wanted, rtol=1e-13)
            assert out.dtype == wanted.dtype and out.shape == wanted.shape


@pytest.mark.seed("D033")
def test_norm(seed_mode: str) -> None:
    x, i = T.dmatrix("x"), T.bmatrix("i")
    value = np.array([[3.0, -4.0, 0.5], [1.0, 2.0, -2.5]])
    orders: list[Any] = [1, 2, np.inf, -np.inf, 0, 3, 2.5]
    outs = [x.norm(p, axis=a) for p in orders for a in (0, 1)] + [x.norm(p) for p in orders]
    slopes = [T.grad((x.norm(p, axis=1) ** 2).sum(), x) for p in (1, 2, np.inf, 3)]
    found = eqsat.function([x, i], [*outs, *slopes, i.norm(2)], mode=seed_mode)(value, [[3], [4]])
    wanted = [np.linalg.norm(value, p, axis=a) for p in orders for a in (0, 1)]
    wanted += [np.linalg.norm(value.ravel(), p) for p in orders]
    for a, b in zip(found, wanted, strict=False):
        np.testing.assert_allclose(a, b, rtol=1e-14)
        assert a.shape == b.shape and a.dtype == b.dtype
    for p, slope in zip((1, 2, np.inf, 3), found[len(outs) :], strict=False):
        cost = (x.norm(p, axis=1) ** 2).sum()
        np.testing.assert_allclose(slope, numeric_gradient(cost, x, {x: value}), rtol=1e-4, atol=1e-8)
    assert found[-1] == 5 and found[-1].dtype == "float32"
    with pytest.raises(
        ArgumentError, match=r"norm: L is not 'fro'\n  x .*\n  needs  a number, also infinite"
    ):
        x.norm("fro")


def test_counts_ranges_and_averages(seed_mode: str) -> None:
    x, w, v = T.dmatrix("x"), T.dmatrix("w"), T.dvector("v")
    a = np.array([[3.0, 0.0, 0.5], [0.0, 2.0, -2.5]])
    b = np.array([[1.0, 2.0, 3.0], [0.5, 0.25, 1.0]])
    outs = [T.count_nonzero(x), T.count_nonzero(x, 0), T.ptp(x, 1), x.ptp(), T.average(x), T.average(x, 1, w),
            T.average(x, 1, v), *T.average(x, 0, w, returned=True), *T.average(x, 1, returned=True),
            T.average(x, 1, v, keepdims=True), T.var(x, 1, corrected=True), T.std(x, 0, ddof=1)]  # fmt: skip
    u = np.array([1.0, 2.0, 5.0])
    wanted = [np.count_nonzero(a), np.count_nonzero(a, 0), np.ptp(a, 1), np.ptp(a), np.average(a), np.average(a, 1, b),
              np.average(a, 1, u), *np.average(a, 0, b, returned=True), *np.average(a, 1, returned=True),
              np.average(a, 1, u, keepdims=True), a.var(1), a.std(0, ddof=1)]  # fmt: skip
    for out, theirs in zip(eqsat.function([x, w, v], outs, mode=seed_mode)(a, b, u), wanted, strict=True):
        np.testing.assert_allclose(out, theirs, rtol=1e-14)
        assert out.shape == np.shape(theirs)


def test_weights_that_fit_no_axis_are_refused() -> None:
    a, w = T.dmatrix("a"), T.dvector("w")
    with pytest.raises(ShapeError) as error:
        T.average(a, weights=w)
    assert str(error.value) == (
        f"average: the weights have neither the shape of a nor one axis\n"
        f"  a        f64[?, ?]   made at {a.made_at}\n  weights  f64[?]   made at {w.made_at}\n"
        "  needs    as many axes as a, or one axis and an integer for axis"
    )


def test_the_corrected_variance_of_a_large_mean() -> None:
    x = T.fvector("x")
    value = (1e6 + np.arange(1000) % 7).astype("float32")
    plain, corrected = eqsat.function([x], [x.var(), x.var(corrected=True)])(value)
    exact = value.astype("float64").var()
    assert abs(corrected - exact) <= abs(plain - exact) and abs(corrected - exact) < 1e-5 * exact


@pytest.mark.filterwarnings("ignore")
def test_infinite_and_complex_elements_beside_nan(seed_mode: str) -> None:
    x, z = T.dvector("x"), T.zmatrix("z")
    data = np.array([1.0, np.inf, np.nan, 2.0])
    both = np.array([[1 + 1j, np.nan, 2 - 3j], [0.5j, 1.0, -1.0]])
    names = ("nanmean", "nanvar", "nanstd")
    outs = [getattr(T, n)(v) for n in names for v in (x, z)] + [
        T.nanmean(x[2:3]),
        T.nanvar(z, axis=1, ddof=1),
    ]
    found = iter(eqsat.function([x, z], outs, mode=seed_mode)(data, both))
    for n in names:
        for value in (data, both):
            np.testing.assert_allclose(next(found), getattr(np, n)(value))
    assert np.isnan(next(found))
    np.testing.assert_allclose(next(found), np.nanvar(both, axis=1, ddof=1))


def test_covariances_of_complex_variables(seed_mode: str) -> None:
    z, rng = T.zmatrix("z"), np.random.default_rng(0)
    data = rng.normal(size=(2, 5)) + 1j * rng.normal(size=(2, 5))
    c, r = eqsat.function([z], [T.cov(z), T.corrcoef(z)], mode=seed_mode)(data)
    np.testing.assert_allclose(c, np.cov(data), atol=1e-12)
    np.testing.assert_allclose(r, np.corrcoef(data), atol=1e-12)
