"""Elements at places that an op finds, elements that a mask selects, one-hot rows and shares: all ops that declare it, and a user's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ShapeError
from eqsat.graph.declare import OPS, Cost, Declaration, forget_op, structural
from eqsat.graph.ops.gather import gather_op
from eqsat.graph.parameters import AXES
from eqsat.rules.schemes import picked_places, selected, shares
from eqsat.rules.schemes.reductions import element, fold_of
from eqsat.rules.schemes.scheme import Scheme
from eqsat.verify import verify
from eqsat.verify.result import KEPT
from tests.rules.helpers import assert_best, optimise

SCHEMES = [*picked_places.RULES, *selected.RULES, *shares.RULES]
x, y, A, s = T.dvector("x"), T.dvector("y"), T.dmatrix("A"), T.dscalar("s")
i = T.lvector("i")
FINDING = sorted(name for name, d in OPS.items() if d.places_of)
VALUES = {
    "none": [],
    "one": [3.0],
    "equal": [2.0, 2.0, 1.0],
    "zeros": [0.0, -0.0, 0.0],
    "infinite": [np.inf, 1.0, -np.inf],
    "nan": [1.0, np.nan, 5.0, np.nan],
}


@pytest.fixture
def ours() -> Iterator[list[Declaration]]:
    """Ops of the user: the last of the greatest elements, the middle place and element, and shares of 2."""

    def declare(name: str, meaning: Any, dtypes: str, **fields: Any) -> Declaration:
        made = structural(
            "block",
            name=name,
            signature="x->x[axes:=1]" if name != "doubled_shares" else "x->x",
            dtypes=dtypes,
            parameters={"axes": AXES},
            cost=lambda op, ins, out: Cost(flops=50 * float(np.prod(ins[0]))),
            **fields,
        )(meaning)
        assert isinstance(made, Declaration)
        return made

    def nearest(x: Any, *, axes: tuple[int, ...]) -> Any:
        (axis,) = axes
        return np.argmin(np.abs(x), axis=axis, keepdims=True).astype(np.int64)

    def least(x: Any, *, axes: tuple[int, ...]) -> Any:
        return np.take_along_axis(x, nearest(x, axes=axes), axes[0])

    def doubled_shares(x: Any, *, axes: tuple[int, ...]) -> Any:
        e = np.exp(x - np.max(x, axis=axes, keepdims=True, initial=-np.inf))
        return (2 * e / np.sum(e, axis=axes, keepdims=True)).astype(x.dtype)

    yield [
        declare("nearest_value", least, "f->f"),
        declare("nearest_place", nearest, "f->int64", places_of="nearest_value"),
        declare("doubled_shares", doubled_shares, "f->f", total=2.0),
    ]
    for name in ("nearest_value", "nearest_place", "doubled_shares"):
        forget_op(name)


def along(d: Declaration, v: Any, axis: int) -> Any:
    """An op along an axis, however its parameter is called."""
    return d(v, axes=(axis,)) if "axes" in d.parameters else d(v, axis=axis)


def check_places(d: Declaration) -> None:
    """No place is found where only the elements there are read."""
    rows, columns = T.arange(A.shape[0]), T.arange(A.shape[1])
    found, turned = along(d, A, 1), along(d, A, 0)
    written = [
        gather_op(A, rows.dimshuffle(0, "x"), found, pattern=(0, 1)),
        gather_op(A, turned, columns.dimshuffle("x", 0), pattern=(0, 1)),
    ]
    if "axes" in d.parameters:
        written += [
            A[rows, found.dimshuffle(0)],
            A[turned.dimshuffle(1), columns],
            x[along(d, x, 0).dimshuffle()],
        ]
    else:
        written += [x[along(d, x, 0)]]
    for one in written:
        best = optimise(one)
        assert best.ops().keys() <= {d.places_of, "subtensor"}, str(best)


@pytest.mark.parametrize("name", FINDING)
def test_elements_at_places(name: str) -> None:
    check_places(OPS[name])


def test_elements_at_places_of_an_op_of_the_user(ours: list[Declaration]) -> None:
    check_places(OPS["nearest_place"])


def test_schemes_hold_for_an_op_of_the_user(ours: list[Declaration]) -> None:
    made = [r for one in SCHEMES for d in ours for r in one.rules(d)]
    assert len(made) > 5
    for r in made:
        found = verify(r, 12, proof=False)
        assert found.verdict == KEPT, str(found)


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES.keys())
@pytest.mark.parametrize("mode", ["numpy", "FAST_RUN"])
def test_values_at_places(values: list[float], mode: str) -> None:
    v = np.array(values)
    f = eqsat.function([x], [x[T.argsort(x)], T.sort(x[::-1])], mode=mode)
    for found in f(v):
        np.testing.assert_array_equal(found, np.sort(v))
    for place, extreme in ((T.argmax, np.max), (T.argmin, np.min)):
        g = eqsat.function([x], x[place(x)], mode=mode)
        if v.size:
            np.testing.assert_array_equal(g(v), extreme(v))
        else:
            with pytest.raises(ValueError):
                g(v)


def test_other_places_are_left() -> None:
    for one in (
        x[T.argsort(y)],
        x[T.argmax(y)],
        A[T.arange(A.shape[1]), T.argmax(A, axis=0)],
        A[T.argsort(A[0])],
    ):
        assert optimise(one).ops().keys() & {"argsort", "argmax"}, str(optimise(one))


def test_a_sort_takes_elements_in_any_order() -> None:
    for one in (x[::-1], T.roll(x, 3), x[T.argsort(x)]):
        assert_best(T.sort(one), T.sort(x))
    assert_best(T.sort(A[:, ::-1], axis=1), T.sort(A, axis=1))
    assert optimise(T.sort(A[::-1], axis=1)).ops()["subtensor"] == 1


# ------------------------------------------------------------------------------------------------- masks


@pytest.mark.parametrize("name", sorted(d.name for d in selected.of_selected.ops()))
def test_reductions_of_selected_elements(name: str) -> None:
    d = OPS[name]
    for shape in ((None,), (7,), (4, 5)):
        v = T.TensorType({"bool": "bool"}.get(element(d).domain, "float64"), shape=shape)("v")
        mask = T.TensorType("bool", shape=shape)("mask")
        found = optimise(d(v[mask], axes=(0,)))
        assert not found.ops().keys() & {"nonzero", "gather"}, str(found)
        values = np.random.default_rng(0).normal(size=[n or 6 for n in shape]).astype(v.type.dtype)
        f = eqsat.function([v, mask], d(v[mask], axes=(0,)))
        for kept in (values > 0, values == 7, values == values):
            want = d.meaning(values[kept], axes=(0,))
            np.testing.assert_allclose(f(values, kept), want, rtol=1e-12)
    assert fold_of(d).neutral is not None


def test_selected_elements_are_counted() -> None:
    mask = T.TensorType("bool", shape=(None,))("mask")
    assert_best(x[mask].shape[0], T.sum(mask))
    assert not optimise(T.mean(x[x > 0])).ops()["nonzero"]
    f = eqsat.function([x, mask], [T.sum(x[mask]), x[mask].shape[0]])
    assert [float(v) for v in f([1.0, np.nan, np.inf], [True, False, False])] == [1.0, 1.0]
    with pytest.raises(ShapeError, match="the lengths 1 in mask and 2 in x"):
        f([1.0, 2.0], [True])


# ------------------------------------------------------------------------------------------- one-hot rows


def test_one_hot_rows() -> None:
    hot, rows = T.eye(A.shape[1])[i], T.arange(A.shape[0])
    assert_best(T.sum(hot * A, axis=1), A[rows, i], by="one-hot-weighted-sum")
    assert "eq" not in optimise(T.sum(hot, axis=1)).ops()
    f = eqsat.function([A, i], [T.sum(hot * A, axis=1), T.sum(hot, axis=1)])
    for value in ([[1.0, -np.inf], [5.0, 6.0]], [[1.0, 2.0], [3.0, 4.0]]):
        np.testing.assert_array_equal(f(value, [0, -1])[0], [value[0][0], value[1][1]])
    assert f([[1.0, 2.0]], [1])[1].tolist() == [1.0]
    with pytest.raises(IndexError):
        f([[1.0, 2.0]], [2])


@pytest.mark.parametrize("mode", ["numpy", "FAST_RUN"])
def test_the_gradient_of_a_cross_entropy_by_picking_is_one_softmax(mode: str) -> None:
    loss = -T.sum(T.log(T.softmax(A, axis=1))[T.arange(A.shape[0]), i])
    slope = T.grad(loss, A)
    found = optimise(slope).ops()
    assert found["softmax"] == found["scatter"] == 1 and not found.keys() & {"sum", "mul"}, found
    values, labels = np.array([[1000.0, 0.0, -5.0], [0.0, 1.0, 2.0]]), np.array([2, 0])
    e = np.exp(values - values.max(1, keepdims=True))
    want = e / e.sum(1, keepdims=True) - np.eye(3)[labels]
    np.testing.assert_allclose(eqsat.function([A, i], slope, mode=mode)(values, labels), want, atol=1e-15)
    for few in (values[:1], values[:0]):
        f = eqsat.function([A, i], slope, mode=mode)
        np.testing.assert_allclose(f(few, labels[: len(few)]), want[: len(few)], atol=1e-15)


# ------------------------------------------------------------------------------------------------- shares


def test_shares_add_up(ours: list[Declaration]) -> None:
    v = T.TensorType("float64", shape=(4, 5))("v")
    for d in (OPS["softmax"], OPS["doubled_shares"]):
        for axes in ((1,), (0, 1)):
            for of in (A, v):
                found = optimise(T.sum(d(of, axes=(1,)), axis=axes)).ops()
                assert d.name not in found, found
        # over another axis they do not
        assert d.name in optimise(T.sum(d(A, axes=(1,)), axis=0)).ops()
        assert d.name in optimise(T.sum(d(A, axes=(0, 1)), axis=0)).ops()


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (2, 5)])
@pytest.mark.parametrize("mode", ["numpy", "FAST_RUN"])
def test_sums_of_shares(shape: tuple[int, int], mode: str) -> None:
    f = eqsat.function([A], [T.sum(T.softmax(A, axis=1), axis=1), T.sum(T.softmax(A, axis=1))], mode=mode)
    rows, whole = f(np.full(shape, 7.0))
    assert rows.tolist() == [float(shape[1] > 0)] * shape[0] and whole == sum(rows)


@pytest.mark.sweep
@pytest.mark.parametrize("one", SCHEMES, ids=lambda one: one.name)
def test_every_instance_keeps_its_promise(one: Scheme) -> None:
    for r in one.every():
        found = verify(r, 12, proof=False)
        assert found.verdict == KEPT, str(found)
