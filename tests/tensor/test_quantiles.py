"""Medians and quantiles against NumPy."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, BoundsError, DTypeError
from eqsat.gradient import verify_grad

rng = np.random.default_rng(3)
AXES: list[Any] = [None, 0, -1, (0, 2), (1, 2)]


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_equal_to_numpy(mode: str) -> None:
    kinds = ["float64", "float32", "int32"]
    inputs = [T.tensor(k, (None, None, None)) for k in kinds]
    qs = T.dvector("qs")
    calls: list[Any] = []
    for axis in AXES:
        for keep in (False, True):
            calls += [lambda m, x, q, a=axis, k=keep: m.median(x, axis=a, keepdims=k)]
            calls += [lambda m, x, q, a=axis, k=keep: m.quantile(x, q, axis=a, keepdims=k)]
    calls += [lambda m, x, q: m.percentile(x, 30, axis=1), lambda m, x, q: m.quantile(x, 0.25)]
    calls += [lambda m, x, q: m.quantile(x, [[0.1, 1], [0.5, 0]], axis=2, keepdims=True)]
    f = eqsat.function([*inputs, qs], [call(T, x, qs) for call in calls for x in inputs], mode=mode)
    q = np.array([0.0, 0.3, 0.5, 0.77, 1.0])
    for shape in [(3, 4, 5), (2, 3, 2), (1, 1, 1)]:
        values = [(rng.normal(size=shape) * 10).astype(k) for k in kinds]
        if shape[0] == 3:
            values[0][0, 0, 0], values[0][2, 2, 2] = np.nan, np.inf
        found = iter(f(*values, q))
        for call in calls:
            for value in values:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    wanted, have = call(np, value, q), next(found)
                narrow = have.dtype == "float32"  # elements of about 10 may cancel
                np.testing.assert_allclose(have, wanted, 1e-6 if narrow else 1e-13, 3e-6 if narrow else 1e-13)
                assert have.dtype == wanted.dtype and have.shape == np.shape(wanted)


def test_no_elements_and_bool() -> None:
    x, b = T.dmatrix("x"), T.vector("b", dtype="bool")
    f = eqsat.function([x, b], [T.median(x, 0), T.median(b)])
    np.testing.assert_array_equal(f(np.zeros((0, 2)), [True, False, True])[0], [np.nan, np.nan])
    assert f(np.zeros((2, 0)), [True, False])[1] == 0.5
    with pytest.raises(BoundsError):
        T.quantile(x, 0.5).eval({x: np.zeros((0, 2))})


def test_gradients() -> None:
    value = rng.permutation(20).reshape(4, 5) + 0.5
    verify_grad(lambda x: T.median(x, 0) * T.arange(5), [value], rng=rng)
    verify_grad(lambda x: T.quantile(x, [0.1, 0.55], axis=1), [value], rng=rng)


def test_what_is_refused() -> None:
    x, q = T.dvector("x"), T.dscalar("q")
    with pytest.raises(ArgumentError, match="quantile: q is not between 0 and 1"):
        T.quantile(x, 1.5)
    with pytest.raises(ArgumentError, match="percentile: there is no method 'lower'"):
        T.percentile(x, 5, method="lower")
    with pytest.raises(DTypeError, match="quantile: b is bool"):
        T.quantile(T.vector("b", dtype="bool"), 0.5)
    with pytest.raises(DTypeError, match="quantile: q is complex128"):
        T.quantile(x, T.zscalar())
    for bad in (-0.1, 1.01, np.nan):
        with pytest.raises(BoundsError):
            T.quantile(x, q).eval({x: [1.0, 2.0], q: bad})
