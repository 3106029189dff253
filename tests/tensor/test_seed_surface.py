"""Rows of the specification on shapes, rearranging, joining, creation and sorting, in three modes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, AxisError, RankError, ShapeError
from tests.reference import evaluate, numeric_gradient

RNG = np.random.default_rng(8)
V, A, C = RNG.normal(size=4), RNG.normal(size=(3, 4)), RNG.normal(size=(2, 3, 4))
D = RNG.normal(size=(2, 3, 4, 5))
S = np.array(1.5)


def equal(found: Any, wanted: Any) -> None:
    """Values, dtype and shape."""
    wanted = np.asarray(wanted)
    assert found.dtype == wanted.dtype and found.shape == wanted.shape, (found, wanted)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def inputs(*values: Any) -> list[Any]:
    return [T.tensor(v.dtype.name, (None,) * v.ndim) for v in values]


def holders(value: Any) -> tuple[Any, list[Any]]:
    """An input, a constant and a shared variable with one value."""
    (x,) = inputs(value)
    return x, [x, T.constant(value), eqsat.shared(value)]


def check_gradient(build: Callable[..., Any], *values: Any) -> None:
    xs = inputs(*values)
    out = build(*xs)
    weights = np.cos(np.arange(evaluate([out], dict(zip(xs, values, strict=True)))[0].size) + 1.0)
    cost = (out.flatten() * weights).sum()
    given = dict(zip(xs, values, strict=True))
    for x, dx in zip(xs, evaluate(T.grad(cost, xs), given), strict=True):
        np.testing.assert_allclose(dx, numeric_gradient(cost, x, given), rtol=1e-4, atol=1e-7)


def row(name: str, build: Any, wanted: Any, *values: Any, grad: bool = True) -> Any:
    return pytest.param(build, wanted, values, grad, marks=pytest.mark.seed(name), id=f"{name}-{len(values)}")


METHODS = [
    row("D004", lambda x: [x.reshape((2, 6)), x.reshape((-1, 3)), x.reshape(T.stack([x.shape[0] * 2, 2]), ndim=2)],
        lambda x: [x.reshape(2, 6), x.reshape(-1, 3), x.reshape(6, 2)], A),
    row("D005", lambda x: [x.dimshuffle(1, 0), x.dimshuffle((0, "x", 1)), x.dimshuffle("x", 0, 1), x.dimshuffle(1, "x", 0)],
        lambda x: [x.T, x[:, None], x[None], x.T[:, None]], A),
    row("D006", lambda x: [x.dimshuffle("x")], lambda x: [x.reshape(1)], S),
    row("D007", lambda x: [x.dimshuffle(0, 1)], lambda x: [x], A),
    row("D008", lambda x: [x.dimshuffle(1, 0)], lambda x: [x.T], A),
    row("D009", lambda x: [x.dimshuffle("x", 0)], lambda x: [x[None]], V),
    row("D010", lambda x: [x.dimshuffle(0, "x")], lambda x: [x[:, None]], V),
    row("D011", lambda x: [x.dimshuffle(2, 0, 1)], lambda x: [x.transpose(2, 0, 1)], C),
    row("D012", lambda x: [x.dimshuffle(0, "x", 1)], lambda x: [x[:, None]], A),
    row("D013", lambda x: [x.dimshuffle(1, "x", 0)], lambda x: [x.T[:, None]], A),
    row("D015", lambda x: [x.flatten(2)], lambda x: [x.reshape(2, 60)], D),
    row("D016", lambda x: [x.ravel()], lambda x: [x.ravel()], C),
    row("D032", lambda x: [x.copy()], lambda x: [x], A),
    row("D036", lambda x: [x.sort(), x.sort(0, "mergesort"), x.sort(None, "heapsort"), x.sort(1, "quicksort")],
        lambda x: [np.sort(x), np.sort(x, 0), np.sort(x, None), np.sort(x, 1)], A),
    row("D037", lambda x: [x.argsort(), x.argsort(0, "mergesort"), x.argsort(None)],
        lambda x: [np.argsort(x), np.argsort(x, 0), np.argsort(x, None)], A, grad=False),
    row("D040", lambda x: [x.repeat(2), x.repeat(3, 1), x.repeat([0, 2, 1], axis=0), x.repeat(x.shape[0], 0)],
        lambda x: [x.repeat(2), x.repeat(3, 1), x.repeat([0, 2, 1], axis=0), x.repeat(3, 0)], A),
    row("D044", lambda x: [x.zeros_like(), x.zeros_like(x, "int8")],
        lambda x: [np.zeros_like(x), np.zeros_like(x, "int8")], A, grad=False),
]  # fmt: skip
FUNCTIONS = [
    row("E002", lambda x: [T.reshape(x, (3, -1)), T.reshape(x, [x.shape[1], x.shape[0]])],
        lambda x: [x.reshape(3, -1), x.reshape(4, 3)], A),
    row("E003", lambda x: [T.shape_padleft(x, 2), T.shape_padleft(x)], lambda x: [x[None, None], x[None]], A),
    row("E004", lambda x: [T.shape_padright(x)], lambda x: [x[..., None]], A),
    row("E007", lambda x: [T.flatten(x, outdim=2)], lambda x: [x.reshape(2, 60)], D),
    row("E008", lambda x: [T.zeros_like(x)], lambda x: [np.zeros_like(x)], A, grad=False),
    row("E009", lambda x: [T.ones_like(x)], lambda x: [np.ones_like(x)], A, grad=False),
    row("E010", lambda a, b: [T.fill(a, b)], lambda a, b: [np.full_like(a, b)], A, S),
    row("E011", lambda v, s: [T.alloc(v, 2, v.shape[0]), T.alloc(s, v.shape[0], 3)],
        lambda v, s: [np.tile(v, (2, 1)), np.full((4, 3), s)], V, S),
    row("E014", lambda a, b: [T.stack(a, b), T.stack([a, b]), T.stack(a[0, 0], b[0, 0], a[1, 1])],
        lambda a, b: [np.stack([a, b]), np.stack([a, b]), np.array([a[0, 0], b[0, 0], a[1, 1]])], A, A + 1),
    row("E015", lambda x, y, v: [T.concatenate([x, y]), T.concatenate([x, y], axis=1),
                                 T.concatenate([x, y], axis=T.cast(x.shape[0] - 2, "int64")),
                                 T.concatenate([x, y[0].dimshuffle("x", 0), T.shape_padright(v).T])],
        lambda x, y, v: [np.concatenate([x, y]), np.concatenate([x, y], 1), np.concatenate([x, y], 1),
                         np.concatenate([x, y[:1], v[None]])], A, A * 2, V),
    row("E016", lambda x: [T.stacklists([[x[0, 0], x[0, 1]], [x[1, 0], x[1, 1]]]), T.stacklists([[x, x], [x, x]])],
        lambda x: [x[:2, :2], np.array([[x, x], [x, x]])], RNG.normal(size=(4, 4))),
    row("E018", lambda x, y: [T.join(0, x, y), T.join(1, x, y), T.join([x, y], -1)],
        lambda x, y: [np.concatenate([x, y]), np.concatenate([x, y], 1), np.concatenate([x, y], -1)], A, A * 2),
    row("E019", lambda x: T.split(x, [1, 3], 2, axis=1) + T.split(x, T.stack([x.shape[0] - 1, 1]), 2),
        lambda x: np.split(x, [1], 1) + np.split(x, [2]), A),
    row("E020", lambda x: [T.tile(x, (2, 3)), T.tile(x, 2), T.tile(x, (2, 1, x.shape[0]))],
        lambda x: [np.tile(x, (2, 3)), np.tile(x, 2), np.tile(x, (2, 1, 3))], A),
    row("E021", lambda x: [T.specify_shape(x, (3, 4)), T.specify_shape(x, (None, 4))], lambda x: [x, x], A),
    row("E023", lambda x: [T.Rebroadcast((0, True))(x[:1]), T.Rebroadcast((0, False))(x[:1])],
        lambda x: [x[:1], x[:1]], A),
    row("E026", lambda s: [T.tensor_from_scalar(T.scalar_from_tensor(s) * 2), T.scalar_from_tensor(s)],
        lambda s: [s * 2, s], S),
]  # fmt: skip


@pytest.mark.parametrize("build, wanted, values, grad", METHODS)
def test_methods_of_every_kind_of_tensor(
    build: Any, wanted: Any, values: Any, grad: bool, seed_mode: str
) -> None:
    x, kinds = holders(values[0])
    outs = [v for kind in kinds for v in build(kind)]
    found = eqsat.function([x], outs, mode=seed_mode)(values[0])
    for value, expected in zip(found, wanted(values[0]) * 3, strict=True):
        equal(value, expected)
        assert not np.shares_memory(value, values[0])
    if grad and seed_mode == "reference":
        for k in range(len(outs) // 3):
            check_gradient(lambda v, k=k: build(v)[k], values[0])


@pytest.mark.parametrize("build, wanted, values, grad", FUNCTIONS)
def test_functions(build: Any, wanted: Any, values: Any, grad: bool, seed_mode: str) -> None:
    xs = inputs(*values)
    outs = build(*xs)
    found = eqsat.function(xs, outs, mode=seed_mode, on_unused_input="ignore")(*values)
    for value, expected in zip(found, wanted(*values), strict=True):
        equal(value, expected)
    for k in range(len(outs) if grad and seed_mode == "reference" else 0):
        out = sum(o.sum() for o in build(*xs))
        given = dict(zip(xs, values, strict=True))
        cost = (build(*xs)[k] ** 2).sum() + 0 * out
        for x, dx in zip(xs, evaluate(T.grad(cost, xs), given), strict=True):
            np.testing.assert_allclose(dx, numeric_gradient(cost, x, given), rtol=1e-4, atol=1e-6)


@pytest.mark.seed("D001", "D002", "D003")
def test_type_ndim_and_dtype() -> None:
    for x in (T.fmatrix(), T.constant(A.astype("float32")), eqsat.shared(A.astype("float32"))):
        assert isinstance(x.type, T.TensorType) and x.ndim == x.type.ndim == 2
        assert x.dtype == x.type.dtype == "float32"
    assert T.fmatrix().type == T.fmatrix


@pytest.mark.seed("D004", "E002")
def test_reshape_refuses() -> None:
    x, shape = T.dmatrix(), T.lvector()
    with pytest.raises(ArgumentError, match="number of dimensions is not known"):
        x.reshape(shape)
    with pytest.raises(ShapeError, match="12 elements do not fit"):
        x.reshape((5, 2)).eval({x: A})


@pytest.mark.seed("D014")
def test_dropping_axes(seed_mode: str) -> None:
    row, matrix = T.drow(), T.dmatrix()
    equal(row.dimshuffle(1).eval({row: A[:1]}, mode=seed_mode), A[0])
    with pytest.raises(ShapeError, match="axis 0 is dropped"):
        matrix.dimshuffle(1)
    with pytest.raises(ShapeError, match="axis 0 is dropped"):
        T.constant(A).dimshuffle(1)
    with pytest.raises(ShapeError, match="axis 0 is dropped"):
        eqsat.shared(A).dimshuffle(1)


@pytest.mark.seed("D043")
def test_scalar_constants() -> None:
    three = T.constant(3)
    for v in (three, T.cast(three, "float64"), T.fill(T.dmatrix(), three), three.dimshuffle("x", "x"),
              T.cast(T.alloc(three, T.lscalar(), 2), "int64")):  # fmt: skip
        found = v.get_scalar_constant_value()
        assert found == 3 and found.dtype == v.dtype and T.get_constant_value(v) == 3
    for v in (T.dscalar("x"), T.dscalar("x") + 1, T.constant([1, 2]), eqsat.shared(3.0)):
        with pytest.raises(T.NotScalarConstantError, match="is not a constant scalar"):
            v.get_scalar_constant_value()


@pytest.mark.seed("E001")
def test_shape(seed_mode: str) -> None:
    x, known = T.dmatrix(), T.tensor("float64", (3, 4))
    f = eqsat.function([x], [T.shape(x), x.shape[1]], mode=seed_mode)
    equal(f(A)[0], np.array(A.shape))
    assert f(A)[1] == 4 and T.shape(x).type.short() == "i64[2]"
    assert isinstance(T.shape(known), T.Constant) and T.shape(known).data.tolist() == [3, 4]


@pytest.mark.seed("E005", "E006")
def test_broadcasting_forgotten_and_promised(seed_mode: str) -> None:
    row, x = T.drow(), T.dmatrix()
    loose, tight = T.unbroadcast(row, 0), T.addbroadcast(x, 0)
    assert loose.broadcastable == (False, False) and tight.broadcastable == (True, False)
    f = eqsat.function([row, x], [loose, tight], mode=seed_mode)
    for value in f(A[:1], A[:1]):
        equal(value, A[:1])
    with pytest.raises(ValueError, match="axis 0 has length 3, not 1"):
        f(A[:1], A)


@pytest.mark.seed("E011", "E021")
def test_lengths_that_do_not_fit(seed_mode: str) -> None:
    x, n = T.dvector(), T.lscalar()
    with pytest.raises(ShapeError, match="axis 0 of the value has length 4, not 5"):
        eqsat.function([x, n], T.alloc(x, n), mode=seed_mode)(V, 5)
    y = T.specify_shape(x, (5,))
    assert y.type.shape == (5,)
    with pytest.raises(ShapeError, match="axis 0 has length 4, not 5"):
        eqsat.function([x], y, mode=seed_mode)(V)


@pytest.mark.seed("E017")
def test_arange(seed_mode: str) -> None:
    a, b, c = T.lscalars("a", "b", "c")
    outs = [T.arange(9).reshape((3, 3)), T.arange(a), T.arange(a, b), T.arange(a, b, c), T.arange(2, 9, 3)]
    found = eqsat.function([a, b, c], outs, mode=seed_mode)(2, 11, 4)
    wanted = [
        np.arange(9).reshape(3, 3),
        np.arange(2),
        np.arange(2, 11),
        np.arange(2, 11, 4),
        np.arange(2, 9, 3),
    ]
    for value, expected in zip(found, wanted, strict=True):
        equal(value, expected)


@pytest.mark.seed("E026")
def test_a_scalar_has_no_axes() -> None:
    with pytest.raises(RankError, match=r"scalar_from_tensor: .* has 1 dimensions, not 0"):
        T.scalar_from_tensor(T.dvector())


@pytest.mark.seed("E015", "E019")
def test_joining_and_splitting_refuse() -> None:
    x, axis = T.dmatrix(), T.lscalar()
    with pytest.raises(AxisError, match="there is no axis 2"):
        T.concatenate([x, x], axis).eval({x: A, axis: 2}, mode="reference")
    with pytest.raises(ShapeError, match="sizes of the parts sum to 2, the axis has length 3"):
        T.split(x, [1, 1], 2)[0].eval({x: A}, mode="reference")
