"""Section F of the specification: every reduction over every kind of axis, on 1 to 4 axes and on nothing."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import DTypeError, ShapeError
from eqsat.graph.tensor_type import TensorType
from tests.reference import numeric_gradient

NAMES = [
    "max",
    "argmax",
    "max_and_argmax",
    "min",
    "argmin",
    "sum",
    "prod",
    "mean",
    "var",
    "std",
    "all",
    "any",
]
EXTREMES = ("max", "argmax", "max_and_argmax", "min", "argmin")
FORMS = ["axis=None", "axis=int", "axis=list", "keepdims"]
ROWS = {(name, form): f"F{1 + 4 * n + k:03}" for n, name in enumerate(NAMES) for k, form in enumerate(FORMS)}
SHAPES = {1: (5,), 2: (3, 4), 3: (2, 3, 4), 4: (2, 3, 2, 3)}
RANKS = [1, 2, 3, 4]
# rows of results that NumPy defines where a length is 0: nothing may be left out of a maximum
EMPTY = {1: [(0,)], 2: [(0, 3), (3, 0)], 3: [(0, 2, 3), (2, 0, 3)], 4: [(2, 0, 3, 1), (0, 2, 3, 1)]}


def data(shape: tuple[int, ...]) -> Any:
    value = np.random.default_rng(len(shape)).normal(size=shape)
    value[np.abs(value) < 0.3] = 0
    return value


def axes_of(form: str, ndim: int) -> list[Any]:
    """Axes of a form, as a user writes them."""
    if form == "axis=None":
        return [None]
    if form == "axis=int":
        return [*range(ndim), -1]
    if form == "axis=list":
        return [[0], [ndim - 1, 0], list(range(ndim))] if ndim > 1 else [[0], [-1]]
    return [None, -1, [0]] if ndim == 1 else [None, -1, [0, ndim - 1]]


def apply(name: str, x: Any, axis: Any, keepdims: bool) -> list[Any]:
    out = getattr(T, name)(x, axis=axis, keepdims=keepdims)
    if keepdims:
        reduced = range(x.ndim) if axis is None else np.atleast_1d(axis) % x.ndim
        first = out[0] if isinstance(out, (list, tuple)) else out
        assert all(first.broadcastable[a] for a in reduced)
        assert (x + T.cast(first, x.dtype)).ndim == x.ndim
    return list(out) if isinstance(out, (list, tuple)) else [out]


def place(function: Any, value: Any, axis: Any, keepdims: bool) -> Any:
    """NumPy's argmax over several axes: those moved to the end and flattened."""
    if not isinstance(axis, list):
        return function(value, axis=axis, keepdims=keepdims)
    axes = sorted({a % value.ndim for a in axis})
    kept = [a for a in range(value.ndim) if a not in axes]
    flat = value.transpose(kept + axes).reshape([value.shape[a] for a in kept] + [-1])
    found = function(flat, axis=-1)
    return found.reshape([1 if a in axes else n for a, n in enumerate(value.shape)]) if keepdims else found


def wanted(name: str, value: Any, axis: Any, keepdims: bool) -> list[Any]:
    if name == "max_and_argmax":
        return wanted("max", value, axis, keepdims) + wanted("argmax", value, axis, keepdims)
    if name.startswith("arg"):
        return [place(getattr(np, name), value, axis, keepdims)]
    axis = tuple(axis) if isinstance(axis, list) else axis
    with np.errstate(all="ignore"):
        return [getattr(np, name)(value, axis=axis, keepdims=keepdims)]


@functools.cache
def compiled(mode: str, ndim: int, form: str, extremes: bool) -> tuple[Any, dict[Any, slice]]:
    """One function with every reduction of a form, and where the results of each stand."""
    x = TensorType("float64", shape=(None,) * ndim)("x")
    outputs: list[Any] = []
    places = {}
    for name, axis in itertools.product(NAMES, axes_of(form, ndim)):
        if (name in EXTREMES) == extremes:
            outs = apply(name, x, axis, form == "keepdims")
            places[name, str(axis)] = slice(len(outputs), len(outputs) + len(outs))
            outputs += outs
    return eqsat.function([x], outputs, mode=mode), places


@functools.cache
def results(mode: str, ndim: int, form: str, extremes: bool, shape: tuple[int, ...]) -> Any:
    f, places = compiled(mode, ndim, form, extremes)
    found = f(data(shape))
    return {key: found[part] for key, part in places.items()}


@functools.cache
def one_axis(mode: str, ndim: int, kept: int) -> tuple[Any, list[Any]]:
    """All extremes over each single axis, and over two, that leaves the axis ``kept`` alone."""
    x = TensorType("float64", shape=(None,) * ndim)("x")
    axes: list[Any] = [a for a in range(ndim) if a != kept]
    axes += [list(axes)] if len(axes) > 1 else []
    calls = list(itertools.product(EXTREMES, axes))
    outputs = [v for name, axis in calls for v in apply(name, x, axis, False)]
    return eqsat.function([x], outputs, mode=mode), calls


CELLS = [
    pytest.param(*key, marks=pytest.mark.seed(row), id=f"{key[0]}-{key[1]}") for key, row in ROWS.items()
]


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:Degrees of freedom", "ignore:phase")
@pytest.mark.parametrize("name, form", CELLS)
@pytest.mark.sampled(16)
def test_reductions_are_numpy(name: str, form: str, seed_mode: str) -> None:
    for ndim in RANKS:
        shapes = [SHAPES[ndim]] + ([] if name in EXTREMES else EMPTY[ndim])
        for shape, axis in itertools.product(shapes, axes_of(form, ndim)):
            found = results(seed_mode, ndim, form, name in EXTREMES, shape)[name, str(axis)]
            for a, b in zip(found, wanted(name, data(shape), axis, form == "keepdims"), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-15)
                assert a.shape == np.shape(b) and a.dtype == np.asarray(b).dtype


@pytest.mark.parametrize("ndim", [2, 3])
def test_extremes_beside_an_axis_of_length_0(ndim: int, seed_mode: str) -> None:
    f, calls = one_axis(seed_mode, ndim, 0)
    shape = (0, *range(2, ndim + 1))
    found = iter(f(np.zeros(shape)))
    for name, axis in calls:
        for b in wanted(name, np.zeros(shape), axis, False) if not isinstance(axis, list) else [np.zeros(0)]:
            assert next(found).shape == b.shape
        if isinstance(axis, list) and name == "max_and_argmax":
            next(found)


@pytest.mark.parametrize("name", EXTREMES)
def test_nothing_has_no_extreme(name: str, seed_mode: str) -> None:
    x = T.dmatrix("x")
    out = getattr(T, name)(x, axis=0)
    f = eqsat.function([x], list(out) if isinstance(out, (list, tuple)) else out, mode=seed_mode)
    with pytest.raises(ShapeError, match=rf"^{name}: an axis of length 0 has no "):
        f(np.zeros((0, 3)))


@pytest.mark.seed("D018")
@pytest.mark.seed("D019")
@pytest.mark.seed("D020")
@pytest.mark.seed("D021")
@pytest.mark.seed("D022")
@pytest.mark.seed("D023")
@pytest.mark.seed("D024")
@pytest.mark.seed("D025")
@pytest.mark.seed("D026")
@pytest.mark.seed("D027")
@pytest.mark.seed("D028")
def test_methods_are_numpy_methods(seed_mode: str) -> None:
    x = T.dtensor3("x")
    value = data(SHAPES[3])
    calls = [
        (n, a, k)
        for n in NAMES
        for a in (None, 1, -1, [0, 2])
        for k in (False, True)
        if n != "max_and_argmax"
    ]
    calls = [c for c in calls if not (c[0].startswith("arg") and isinstance(c[1], list))]
    f = eqsat.function([x], [getattr(x, n)(axis=a, keepdims=k) for n, a, k in calls], mode=seed_mode)
    for (n, a, k), found in zip(calls, f(value), strict=True):
        theirs = getattr(value, n)(axis=tuple(a) if isinstance(a, list) else a, keepdims=k)
        np.testing.assert_allclose(found, theirs, rtol=1e-13)
        assert found.shape == np.shape(theirs) and found.dtype == np.asarray(theirs).dtype


@pytest.mark.seed("D025")
@pytest.mark.seed("D026")
@pytest.mark.seed("F061")
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std", "max", "min", "ptp"])
@pytest.mark.sampled(5)
def test_gradients_over_axes(name: str, seed_mode: str) -> None:
    x = T.dmatrix("x")
    value = np.array([[2.0, 3.0, 0.5, -1.2], [1.5, -1.0, 2.0, 0.7]])
    costs = [(getattr(T, name)(x, axis=axis) ** 2).sum() for axis in (None, 0, 1)]
    f = eqsat.function([x], [T.grad(c, x) for c in costs], mode=seed_mode)
    for cost, found in zip(costs, f(value), strict=True):
        np.testing.assert_allclose(found, numeric_gradient(cost, x, {x: value}), rtol=1e-4, atol=1e-8)


@pytest.mark.seed("F061")
@pytest.mark.seed("E025")
def test_gradient_of_prod_with_zeros(seed_mode: str) -> None:
    x = T.dmatrix("x")
    cost = (T.prod(x, axis=1) * T.arange(1, 5)).sum()
    value = np.array([[2.0, 3.0, 0.5], [0.0, -1.0, 2.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
    f = eqsat.function([x], T.grad(cost, x), mode=seed_mode)
    np.testing.assert_allclose(f(value), numeric_gradient(cost, x, {x: value}), rtol=1e-4, atol=1e-8)
    second = T.grad((T.grad(cost, x) ** 2).sum(), x)
    g = eqsat.function([x], second, mode=seed_mode)
    np.testing.assert_allclose(g(value[:2].repeat(2, 0)),
                               numeric_gradient((T.grad(cost, x) ** 2).sum(), x, {x: value[:2].repeat(2, 0)}),
                               rtol=1e-4, atol=1e-6)  # fmt: skip


@pytest.mark.seed("E025")
def test_products_without_zeros(seed_mode: str) -> None:
    x, y = T.dmatrix("x"), T.dmatrix("y")
    v = np.array([[2.0, 0.0, 3.0], [0.0, 0.0, 0.0], [1.0, 2.0, 4.0]])
    w = np.array([[5.0, 5.0, 0.0], [0.0, 1.0, 2.0], [1.0, 0.0, 3.0]])
    outs = [T.prod_without_zeros(x, 1), T.prod_without_zeros(x), T.mul_without_zeros(x, y)]
    cost = (T.prod_without_zeros(x, 1) * T.arange(1, 4)).sum()
    a, b, c, d = eqsat.function([x, y], [*outs, T.grad(cost, x)], mode=seed_mode)(v, w)
    assert a.tolist() == [6, 1, 8] and b == 48
    np.testing.assert_array_equal(c, np.where(v == 0, w, np.where(w == 0, v, v * w)))
    np.testing.assert_allclose(d, [[3, 0, 2], [0, 0, 0], [24, 12, 6]])


@pytest.mark.seed("F049")
def test_places_without_an_axis_are_those_of_the_flattened_tensor(seed_mode: str) -> None:
    x = T.dtensor3("x")
    value = data(SHAPES[3])
    found = eqsat.function([x], [T.argmax(x), T.argmin(x), T.max_and_argmax(x)[1]], mode=seed_mode)(value)
    assert found == [np.argmax(value), np.argmin(value), np.argmax(value)]


@pytest.mark.seed("F050")
def test_max_and_argmax_is_one_node_with_two_results(seed_mode: str) -> None:
    x = T.dmatrix("x")
    value = np.array([[1.0, 5.0, 2.0], [7.0, 3.0, 4.0]])
    pair = T.max_and_argmax(x, axis=1, keepdims=True)
    assert pair[0].owner is pair[1].owner and (pair[0].index, pair[1].index) == (0, 1)
    cost = (pair[0] ** 2 * (1 + pair[1])).sum()
    best, place, slope = eqsat.function([x], [*pair, T.grad(cost, x)], mode=seed_mode)(value)
    assert best.tolist() == [[5], [7]] and place.tolist() == [[1], [0]] and place.dtype == "int64"
    np.testing.assert_allclose(slope, numeric_gradient(cost, x, {x: value}), rtol=1e-4)
    through_place = T.grad((T.cast(pair[1], "float64") * 2).sum(), x, disconnected_inputs="ignore")
    assert not eqsat.function([x], through_place, mode=seed_mode)(value).any()


# --------------------------------------------------------------------------------------------------- dtypes

INTS = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("name", [pytest.param("sum", marks=pytest.mark.seed("F051")),
                                  pytest.param("prod", marks=pytest.mark.seed("F054"))])  # fmt: skip
def test_default_dtypes(name: str, seed_mode: str) -> None:
    dtypes = [*INTS, "float32", "float64", "complex64", "complex128"]
    inputs = [T.vector(d, dtype=d) for d in dtypes]
    outs = [getattr(T, name)(x) for x in inputs]
    values = [np.array([1, 2, 3, 120, 120]).astype(d) for d in dtypes]
    for x, v, found in zip(
        inputs, values, eqsat.function(inputs, outs, mode=seed_mode)(*values), strict=True
    ):
        kind = x.dtype if x.dtype[0] in "fc" else "uint64" if x.dtype[0] == "u" else "int64"
        assert found.dtype == kind == getattr(np, name)(v).dtype
        np.testing.assert_allclose(found, getattr(np, name)(v))


@pytest.mark.parametrize("name", [pytest.param("sum", marks=pytest.mark.seed("F052")),
                                  pytest.param("prod", marks=pytest.mark.seed("F055"))])  # fmt: skip
def test_a_chosen_dtype(name: str, seed_mode: str) -> None:
    i, f = T.bvector("i"), T.dvector("f")
    kinds = ["int8", "int32", "uint16", "float32", "float64", "complex64"]
    outs = [getattr(v, name)(dtype=k) for v in (i, f) for k in kinds]
    given = np.array([2, 3, 5, 7], "int8"), np.array([2.0, 3.0, 5.0, 7.0])
    found = eqsat.function([i, f], outs, mode=seed_mode)(*given)
    for out, (v, k) in zip(found, itertools.product(given, kinds), strict=True):
        assert out.dtype == k and out == getattr(np, name)(v.astype(k), dtype=k)


@pytest.mark.parametrize("name", [pytest.param("sum", marks=pytest.mark.seed("F053")),
                                  pytest.param("prod", marks=pytest.mark.seed("F056"))])  # fmt: skip
def test_the_accumulator_does_not_change_the_dtype(name: str, seed_mode: str) -> None:
    x, i, z = T.fvector("x"), T.bvector("i"), T.vector("z", dtype="complex64")
    reduce = getattr(T, name)
    outs = [reduce(x), reduce(x, acc_dtype="float64"), reduce(x, acc_dtype="float32"), reduce(i, acc_dtype="int64"),
            reduce(i, acc_dtype="float64"), reduce(z, acc_dtype="complex128"), reduce(x, dtype="float32", acc_dtype="float64"),
            reduce(z), reduce(i)]  # fmt: skip
    v = np.full(3000, np.float32(1.1 if name == "sum" else 1.001))
    ints = np.full(40, 100 if name == "sum" else 2, "int8")
    found = eqsat.function([x, i, z], outs, mode=seed_mode)(v, ints, v.astype("complex64"))
    assert [o.dtype.name for o in found] == [
        "float32", "float32", "float32", "int64", "int64", "complex64", "float32", "complex64", "int64"]  # fmt: skip
    exact = np.float32(getattr(np, name)(v.astype("float64")))
    assert found[0] == found[1] == found[6] == exact and found[5] == found[7] == exact
    assert found[3] == found[4] == found[8] == getattr(np, name)(ints.astype("int64"))
    with pytest.raises(DTypeError, match=rf"^{name}: x is float32, of which int64 loses a part\n") as error:
        reduce(x, acc_dtype="int64")
    assert f"{name}(x.astype('int64'))" in str(error.value)


@pytest.mark.seed("F057")
def test_float32_is_summed_in_float64(seed_mode: str) -> None:
    x = T.fvector("x")
    value = np.full(10_000_000, 0.1, "float32")
    found = eqsat.function([x], x.sum(), mode=seed_mode)(value)
    exact = float(value[0]) * len(value)
    assert found.dtype == "float32" and abs(float(found) - exact) < 1e-6 * exact


@pytest.mark.seed("F058")
@pytest.mark.seed("F059")
@pytest.mark.seed("F060")
def test_dtypes_of_the_mean(seed_mode: str) -> None:
    x, i = T.fvector("x"), T.ivector("i")
    outs = [x.mean(), x.mean(dtype="float32"), x.mean(dtype="float64"), x.mean(acc_dtype="float64"),
            i.mean(), i.mean(acc_dtype="float32"), i.mean(acc_dtype="int64"), i.mean(dtype="int32"), i.mean(dtype="float32")]  # fmt: skip
    v, ints = np.full(100_000, 0.1, "float32"), np.array([1, 2, 4], "int32")
    found = eqsat.function([x, i], outs, mode=seed_mode)(v, ints)
    assert [o.dtype.name for o in found] == [
        "float32",
        "float32",
        "float64",
        "float32",
        *["float64"] * 4,
        "float32",
    ]
    for o in found[:4]:
        assert abs(float(o) - float(v[0])) < 1e-8
    np.testing.assert_allclose(found[4:], 7 / 3, rtol=1e-7)
    with pytest.raises(DTypeError, match=r"mean: x is float32, of which int64 loses a part"):
        x.mean(acc_dtype="int64")
