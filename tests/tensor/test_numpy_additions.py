"""Functions of NumPy that are made of others: of NaN, of phases, of pieces, of divisors, of the array API standard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, AssertError

MODES = ("reference", "FAST_RUN")
INTEGERS = ("int8", "uint8", "int32", "int64", "uint64")
ENDS = np.array([1.5, -2.25, np.inf, -np.inf, np.nan, 0.0, -0.0, 3.0])


def holes(dtype: str = "float64") -> Any:
    """Numbers, some of which are NaN, with one row of nothing else."""
    x = (3 * np.random.default_rng(1).normal(size=(4, 5))).astype(dtype)
    x[0, 1] = np.nan
    x[2] = np.nan
    return x


def check(build: Callable[..., Any], numpy: Callable[..., Any], *values: Any) -> None:
    """The value in both modes against NumPy's, with its dtype, shape and the signs of zeros."""
    inputs = [T.tensor(dtype=v.dtype.name, shape=(None,) * v.ndim) for v in values]
    out = build(*inputs)
    with np.errstate(all="ignore"):
        want = numpy(*values)
    wanted = [np.asarray(w) for w in (want if isinstance(want, tuple) else [want])]
    for mode in MODES:
        f = eqsat.function(inputs, list(out) if isinstance(out, tuple) else [out], mode=mode)
        for got, w in zip(f(*values), wanted, strict=True):
            assert got.dtype == w.dtype and got.shape == w.shape
            close = 1e-5 if w.dtype == np.float32 else 1e-12
            np.testing.assert_allclose(got, w, rtol=close, atol=close)
            if w.dtype.kind == "f":
                assert (np.signbit(got) == np.signbit(w))[w == 0].all()


@pytest.mark.parametrize(("axis", "dtype"), [(None, "float64"), (0, "float64"), (1, "float32")])
@pytest.mark.filterwarnings("ignore:All-NaN")
def test_medians_and_quantiles_that_pass_over_nan(axis: int | None, dtype: str) -> None:
    x = holes(dtype)
    check(lambda v: T.nanmedian(v, axis), lambda v: np.nanmedian(v, axis), x)
    q = np.array([0.1, 0.5, 1.0], dtype)
    check(
        lambda v: (T.nanquantile(v, 0.3, axis), T.nanpercentile(v, q * 100, axis, keepdims=True)),
        lambda v: (np.nanquantile(v, 0.3, axis), np.nanpercentile(v, q * 100, axis, keepdims=True)),
        x,
    )


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_sums_and_places_that_pass_over_nan(axis: int | None) -> None:
    x = holes()
    check(lambda v: T.nancumsum(v, axis), lambda v: np.nancumsum(v, axis), x)
    check(lambda v: T.nancumprod(v, axis), lambda v: np.nancumprod(v, axis), x)
    for mode in MODES:
        if axis == 1:
            with pytest.raises(AssertError, match="nanargmax: some elements over the axis are all NaN"):
                T.nanargmax(T.constant(x), axis).eval(mode=mode)
    x[2, 0] = 1.0
    check(lambda v: T.nanargmax(v, axis), lambda v: np.nanargmax(v, axis), x)
    check(lambda v: T.nanargmin(v, axis), lambda v: np.nanargmin(v, axis), x)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_divisors_and_multiples(dtype: str) -> None:
    a = np.array([-128, 127, 0, 12, -18, 0, 7]).astype(dtype)
    b = np.array([0, -128, 0, 18, 24, 5, -1]).astype(dtype)
    check(T.gcd, np.gcd, a, b)
    check(T.lcm, np.lcm, a, b)


def test_numbers_in_parts() -> None:
    check(T.modf, np.modf, ENDS)
    check(T.logaddexp2, np.logaddexp2, ENDS, ENDS[::-1].copy())
    x = np.linspace(-3, 3, 7)
    three = [lambda t: -t, lambda t: 2 * t, 7]
    check(
        lambda v: T.piecewise(v, [v < 0, v > 1], three), lambda v: np.piecewise(v, [v < 0, v > 1], three), x
    )
    check(lambda v: T.piecewise(v, v < 0, [1]), lambda v: np.piecewise(v, v < 0, [1]), x)
    with pytest.raises(ArgumentError, match="1 conditions for 3 functions"):
        T.piecewise(x, [x < 0], [1, 2, 3])


@pytest.mark.parametrize("axis", [0, 1])
def test_angles_without_jumps(axis: int) -> None:
    p = np.cumsum(3 * np.random.default_rng(0).normal(size=(3, 20)), 1)
    for value in (p, p.astype("float32"), np.zeros((2, 0)), np.array([[0.0, 2, 0, -2, 2, 6]])):
        check(lambda v: T.unwrap(v, axis=axis), lambda v: np.unwrap(v, axis=axis), value)
    check(lambda v: T.unwrap(v, 4.0, axis, period=4), lambda v: np.unwrap(v, 4.0, axis, period=4), p)


def test_running_sums_and_products_of_the_standard() -> None:
    x = np.random.default_rng(0).normal(size=(2, 3))
    zero, one = np.zeros((2, 1)), np.ones((2, 1))
    check(lambda v: T.cumulative_sum(v, axis=1), lambda v: np.cumsum(v, 1), x)
    behind = lambda v: np.concatenate([zero, np.cumsum(v, 1)], 1)
    check(lambda v: T.cumulative_sum(v, axis=1, include_initial=True), behind, x)
    behind = lambda v: np.concatenate([one, np.cumprod(v, 1)], 1)
    check(lambda v: T.cumulative_prod(v, axis=1, include_initial=True), behind, x)
    with pytest.raises(ArgumentError, match="axis is missing"):
        T.cumulative_sum(x)


def test_products_and_norms_of_the_standard() -> None:
    rng = np.random.default_rng(0)
    a, v, w = rng.normal(size=(2, 3, 4)), rng.normal(size=4), rng.normal(size=(2, 3))
    check(T.matvec, lambda a, v: a @ v, a, v)
    check(T.vecmat, lambda w, a: (w[:, None] @ a)[:, 0], w, a)
    assert [part.type.shape for part in T.unstack(T.tensor(dtype="float64", shape=(2, None)))] == [
        (None,),
        (None,),
    ]
    with pytest.raises(ArgumentError, match="the length of axis 0 is not known"):
        T.unstack(T.dmatrix())
    flat = lambda a: np.moveaxis(a, 1, 0).reshape(3, -1)
    of_vectors, of_matrices = (1, 2, np.inf, 3), ("fro", "nuc", 1, 2, -2, np.inf)
    check(
        lambda a: tuple(T.linalg.vector_norm(a, axis=(0, 2), ord=order) for order in of_vectors),
        lambda a: tuple(np.linalg.norm(flat(a), order, axis=1) for order in of_vectors),
        a,
    )
    check(
        lambda a: tuple(T.linalg.matrix_norm(a, ord=order, keepdims=True) for order in of_matrices),
        lambda a: tuple(np.linalg.norm(a, order, axis=(1, 2), keepdims=True) for order in of_matrices),
        a,
    )


def test_gradients() -> None:
    x = np.random.default_rng(3).normal(size=(2, 5))
    T.verify_grad(lambda v: T.nanquantile(v, [0.3, 0.9], 1), [x])
    T.verify_grad(lambda v: T.unwrap(3 * v), [x])
    T.verify_grad(lambda v: T.logaddexp2(v, 2 * v), [x])
    T.verify_grad(lambda v: T.modf(v)[0], [x])
