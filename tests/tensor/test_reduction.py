"""Reductions are NumPy's over every kind of axis and dtype, and over nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import AxisError, DTypeError, ShapeError
from eqsat.graph.ops.reduce import max_op
from eqsat.graph.tensor_type import TensorType
from eqsat.tensor.reduction import reduced
from tests.reference import evaluate

AXES = [None, 0, 1, -1, (0, 2), [1, -1], (), (0, 1, 2)]
NAMES = ["sum", "prod", "mean", "var", "std", "max", "min", "any", "all"]
DTYPES = ["bool", "int8", "uint8", "int32", "uint64", "float32", "float64"]


def sample(dtype: str, shape: tuple[int, ...] = (2, 3, 2)) -> Any:
    return np.random.default_rng(7).integers(0, 4, shape).astype(dtype)


def numpy_of(name: str, value: Any, axis: Any, keepdims: bool) -> Any:
    if isinstance(axis, list):
        axis = tuple(axis)
    with np.errstate(all="ignore"):
        return np.asarray(getattr(np, name)(value, axis=axis, keepdims=keepdims))


def test_a_reduction_of_ones_own_takes_what_the_others_take() -> None:
    rows = [[7, 3], [4, 12]]
    for axis in (None, 0, -1, (0, 1), [0]):
        for keepdims in (False, True):
            found = reduced("largest", max_op, rows, axis, keepdims).eval()
            assert found.tolist() == numpy_of("max", np.array(rows), axis, keepdims).tolist()
    with pytest.raises(AxisError, match="largest"):
        reduced("largest", max_op, rows, axis=2)


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:Degrees of freedom")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_values_shapes_and_dtypes_over_all_axes(name: str, dtype: str) -> None:
    for axis in AXES:
        for keepdims in (False, True):
            x = TensorType(dtype, shape=(None, 3, None))("x")
            out = getattr(T, name)(x, axis, keepdims=keepdims)
            wanted = numpy_of(name, sample(dtype), axis, keepdims)
            found = evaluate([out], {x: sample(dtype)})[0]
            np.testing.assert_allclose(found, wanted, rtol=1e-6 if dtype == "float32" else 1e-13)
            assert found.shape == wanted.shape and found.dtype == wanted.dtype, (name, dtype, axis)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_places_of_extremes(name: str, dtype: str) -> None:
    x = T.tensor(dtype, (None,) * 3)
    value = sample(dtype)
    for axis in (None, 0, 1, -1):
        for keepdims in (False, True):
            found = evaluate([getattr(T, name)(x, axis, keepdims)], {x: value})[0]
            np.testing.assert_array_equal(found, getattr(np, name)(value, axis, keepdims=keepdims))
            assert found.dtype == "int64"
    flat = value.transpose(1, 0, 2).reshape(3, -1)
    np.testing.assert_array_equal(
        evaluate([getattr(T, name)(x, (0, 2))], {x: value})[0], getattr(np, name)(flat, axis=1)
    )
    s = T.tensor(dtype, ())
    assert evaluate([getattr(T, name)(s)], {s: np.ones((), dtype)})[0] == 0


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "any", "all", "var"])
@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:Degrees of freedom")
def test_nothing_is_reduced_to_the_neutral_element(name: str) -> None:
    x = T.dmatrix()
    for axis in (None, 0, 1):
        value = np.zeros((0, 3))
        found = evaluate([getattr(T, name)(x, axis)], {x: value})[0]
        np.testing.assert_array_equal(found, numpy_of(name, value, axis, False))


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_nothing_has_no_extreme(name: str) -> None:
    x = T.dmatrix()
    with pytest.raises(ShapeError) as error:
        evaluate([getattr(T, name)(x, 0)], {x: np.zeros((0, 3))})
    assert str(error.value) == f"{name}: an axis of length 0 has no {name}"
    assert evaluate([getattr(T, name)(x, 1)], {x: np.zeros((0, 3))})[0].shape == (0,)


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "max", "min", "argmax", "argmin", "any", "all"])
def test_nan_spreads_as_in_numpy(name: str) -> None:
    x = T.dmatrix()
    value = np.array([[1.0, np.nan, 3.0], [1.0, 5.0, 2.0], [np.nan, np.nan, 1.0]])
    for axis in (None, 0, 1):
        found = evaluate([getattr(T, name)(x, axis)], {x: value})[0]
        np.testing.assert_array_equal(found, getattr(np, name)(value, axis=axis))


def test_float32_is_accumulated_in_float64() -> None:
    x = T.fvector()
    value = np.full(100_000, 0.1, "float32")
    found = evaluate([x.sum(), x.mean()], {x: value})
    assert found[0] == np.float32(value.astype("float64").sum()) and found[1].dtype == "float32"


def test_a_dtype_may_be_chosen() -> None:
    x = T.bvector()
    value = np.array([100, 100], "int8")
    found = evaluate([x.sum(dtype="int8"), x.sum(dtype="float32"), T.mean(x, dtype="float32"), x.prod(dtype="int16")],
                     {x: value})  # fmt: skip
    assert [(v.dtype.name, float(v)) for v in found] == [
        ("int8", -56.0), ("float32", 200.0), ("float32", 100.0), ("int16", 10000.0)]  # fmt: skip


def test_wrong_axes_are_refused() -> None:
    x = T.dmatrix("x")
    at = f"  x      f64[?, ?]   made at {x.made_at}\n"
    for axis in (2, -3):
        with pytest.raises(AxisError) as error:
            x.sum(axis)
        assert str(error.value) == f"sum: x has no axis {axis}\n{at}  needs  -2 to 1"
    at = f"\n  x    f64[?, ?]   made at {x.made_at}"
    with pytest.raises(AxisError) as error:
        x.max((0, -2))
    assert str(error.value) == "max: the axes [0, -2] name one axis twice" + at
    for wrong in (1.0, "x", True):
        with pytest.raises(AxisError) as error:
            x.mean(wrong)
        assert str(error.value) == f"mean: an axis is an integer, not {wrong!r}" + at
    s = T.dscalar("s")
    with pytest.raises(AxisError, match=r"sum: s has no axis 0\n.*\n  needs  a tensor with axes"):
        s.sum(0)


# ------------------------------------------------------------------------------------------- softmax and kin


@pytest.mark.parametrize("axis", [-1, 0, (0, 1), None])
def test_softmax_and_kin_do_not_overflow(axis: Any) -> None:
    import scipy.special as special

    x = T.dmatrix()
    value = np.array([[1000.0, 1001.0, -1000.0], [-2000.0, 0.5, 3.0]])
    found = evaluate([T.softmax(x, axis), T.log_softmax(x, axis), T.logsumexp(x, axis)], {x: value})
    np.testing.assert_allclose(found[0], special.softmax(value, axis), rtol=1e-14, atol=1e-300)
    np.testing.assert_allclose(found[1], special.log_softmax(value, axis), rtol=1e-14)
    np.testing.assert_allclose(found[2], special.logsumexp(value, axis), rtol=1e-14)


def test_logsumexp_of_infinities_and_of_nothing() -> None:
    x = T.dvector()
    for value, wanted in (
        ([-np.inf, -np.inf], -np.inf),
        ([np.inf, 1.0], np.inf),
        ([], -np.inf),
        ([np.nan], np.nan),
    ):
        assert np.array_equal(evaluate([T.logsumexp(x)], {x: value})[0], wanted, equal_nan=True)


def test_softmax_of_integers_is_float64_and_of_a_scalar_one() -> None:
    i, s = T.lvector(), T.dscalar()
    assert T.softmax(i).dtype == "float64" and T.softmax(T.fvector()).dtype == "float32"
    assert evaluate([T.softmax(s, None), T.logsumexp(s)], {s: 5.0}) == [1, 5]


def test_a_first_number_that_the_dtype_does_not_hold_is_refused() -> None:
    x = T.tensor("uint8", (None,), "x")
    for made in (lambda: x.max(initial=300), lambda: T.min(x, initial=-1), lambda: T.prod(x, initial=-1)):
        with pytest.raises(DTypeError, match="out of bounds"):
            made()


def test_initial_is_a_number_that_counts_too() -> None:
    x = T.dmatrix("x")
    calls: list[Any] = [
        lambda m, a: m.max(a, initial=0.5),
        lambda m, a: m.min(a, initial=0.5),
        lambda m, a: m.sum(a, initial=2.0),
        lambda m, a: m.prod(a, initial=2.0),
    ]
    for axis in (None, 0, 1, (0, 1)):
        graphs = [call(x, axis) for call in calls]
        for mode in ("FAST_RUN", "numpy"):
            f = eqsat.function([x], graphs, mode=mode)
            for shape in ((2, 3), (0, 3), (3, 0)):
                v = np.random.default_rng(0).normal(size=shape)
                for call, found in zip(calls, f(v), strict=True):
                    np.testing.assert_allclose(found, call(v, axis))
    gradient = eqsat.grad(T.max(x, initial=0.5), x).eval({x: np.array([[0.1, 3.0]])})
    np.testing.assert_array_equal(gradient, [[0, 1]])
