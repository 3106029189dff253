"""``x[...]`` is NumPy's, for every mix of integers, slices, new axes and index arrays, read and written."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.errors import ArgumentError, BoundsError, DTypeError, RankError, ShapeError
from eqsat.graph.ops.subscript import FULL
from eqsat.graph.tensor_type import TensorType
from tests.reference import evaluate

SHAPE = (3, 4, 2)
VALUE = np.arange(24.0).reshape(SHAPE)


class Draw:
    """A random index: what NumPy gets, what eqsat gets, and the values of the symbols in it."""

    def __init__(self, seed: int, arrays: bool) -> None:
        self.rng = random.Random(seed)
        self.given: dict[Any, Any] = {}
        count = self.rng.randint(0, 3)
        kinds = ["int", "slice", "full"] + ["array"] * (2 if arrays else 0)
        self.wanted: list[Any] = []
        self.symbolic: list[Any] = []
        lead = self.rng.choice([(), (2,), (1,), (2, 1), (2, 2)])
        axes = list(range(3))
        dots = self.rng.random() < 0.3
        cut = self.rng.randint(0, count)
        for place in range(count):
            axis = axes[place] if not dots or place < cut else 3 - count + place
            self.add(self.rng.choice(kinds), SHAPE[axis], lead)
            if self.rng.random() < 0.2:
                self.put(None, None)
        if dots:
            nones = [k for k, e in enumerate(self.wanted) if e is not None]
            at = nones[cut] if cut < len(nones) else len(self.wanted)
            self.wanted.insert(at, Ellipsis)
            self.symbolic.insert(at, Ellipsis)

    def put(self, wanted: Any, symbolic: Any) -> None:
        self.wanted.append(wanted)
        self.symbolic.append(symbolic)

    def number(self, value: int) -> Any:
        """The value itself, a NumPy integer, a constant or an input variable with that value."""
        kind = self.rng.randint(0, 3)
        if kind < 2:
            return value if kind else np.int32(value)
        if kind == 2:
            return T.as_tensor_variable(value)
        v = T.iscalar()
        self.given[v] = np.int32(value)
        return v

    def bound(self, n: int) -> tuple[Any, Any]:
        value = self.rng.choice([None, self.rng.randint(-n - 2, n + 2)])
        return value, None if value is None else self.number(value)

    def add(self, kind: str, n: int, lead: tuple[int, ...]) -> None:
        if kind == "int":
            number = self.rng.randint(-n, n - 1)
            self.put(number, self.number(number))
        elif kind == "full":
            self.put(slice(None), slice(None))
        elif kind == "slice":
            (a, sa), (b, sb) = self.bound(n), self.bound(n)
            step = self.rng.choice([None, 1, 2, -1, -2])
            self.put(slice(a, b, step), slice(sa, sb, None if step is None else self.number(step)))
        else:
            shape = tuple(self.rng.choice([k, 1]) for k in lead)
            value = np.array(
                [self.rng.randint(-n, n - 1) for _ in range(int(np.prod(shape)))], "int64"
            ).reshape(shape)
            if self.rng.random() < 0.5:
                self.put(value, value.tolist() if shape else value)
            else:
                v = TensorType("int64", shape=[1 if k == 1 else None for k in shape])()
                self.given[v] = value
                self.put(value, v)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("arrays", [True, False])
def test_random_indices_are_numpys(arrays: bool, known: bool) -> None:
    for seed in range(200):
        draw = Draw(seed, arrays)
        x = TensorType("float64", shape=SHAPE if known else (None,) * 3)()
        wanted = VALUE[tuple(draw.wanted)]
        out = x[tuple(draw.symbolic)]
        found = evaluate([out], {x: VALUE, **draw.given})[0]
        np.testing.assert_array_equal(found, wanted, err_msg=f"{seed} {draw.wanted}")
        assert out.ndim == wanted.ndim


@pytest.mark.parametrize("arrays", [True, False])
def test_random_writes_are_numpys(arrays: bool) -> None:
    for seed in range(200):
        draw = Draw(seed, arrays)
        x = T.dtensor3()
        target = VALUE[tuple(draw.wanted)]
        lengths = [draw.rng.choice([n, 1]) for n in target.shape[draw.rng.randint(0, target.ndim) :]]
        value = np.random.default_rng(seed).integers(1, 9, lengths).astype("float64")
        y = TensorType("float64", shape=[1 if n == 1 else None for n in lengths])()
        part = x[tuple(draw.symbolic)]
        if any(
            n == 1 and k not in (1, None)
            for n, k in zip(target.shape[::-1], part.type.shape[::-1], strict=True)
        ):
            continue
        increased, replaced = VALUE.copy(), VALUE.copy()
        np.add.at(increased, tuple(draw.wanted), value)
        try:
            found = evaluate([T.inc_subtensor(part, y)], {x: VALUE, y: value, **draw.given})[0]
        except ShapeError:
            # a length that the value does not know to be 1 meets an axis whose type is 1
            assert any(n == 1 for n in part.type.shape)
            continue
        np.testing.assert_array_equal(found, increased, err_msg=f"{seed} {draw.wanted}")
        whole = np.random.default_rng(seed).integers(1, 9, target.shape).astype("float64")
        if not has_duplicates(draw.wanted):
            replaced[tuple(draw.wanted)] = whole
            found = evaluate([T.set_subtensor(part, whole)], {x: VALUE, **draw.given})[0]
            np.testing.assert_array_equal(found, replaced, err_msg=f"{seed} {draw.wanted}")


def has_duplicates(index: list[Any]) -> bool:
    places = np.arange(24).reshape(SHAPE)[tuple(index)]
    return len(np.unique(places)) != places.size


# ------------------------------------------------------------------------------------------- single cases


def test_a_whole_slice_is_a_part_that_can_be_written() -> None:
    x = T.dmatrix("x")
    value = np.ones((2, 3))
    for part in (x[:], x[...], x[:, :], x[None], x[:, None], x[None, 0:9]):
        assert evaluate([T.set_subtensor(part, 5.0)], {x: value})[0].tolist() == [[5.0] * 3] * 2
        assert evaluate([T.inc_subtensor(part, 5.0)], {x: value})[0].tolist() == [[6.0] * 3] * 2
    s = T.dscalar()
    assert evaluate([T.set_subtensor(s[()], 2.0)], {s: 1.0})[0] == 2


def test_writing_to_a_part_of_a_part_keeps_the_shape_of_the_part_that_was_indexed() -> None:
    x = T.dvector("x")
    y = x[1:]
    data = np.arange(4.0)
    assert evaluate([T.set_subtensor(y[[0, 1]], 9.0)], {x: data})[0].tolist() == [9, 9, 3]
    assert evaluate([T.set_subtensor(y[:], 9.0)], {x: data})[0].tolist() == [9, 9, 9]
    assert evaluate([T.inc_subtensor(y[None], 1.0)], {x: data})[0].tolist() == [2, 3, 4]
    assert evaluate([T.inc_subtensor(y[1:], 1.0)], {x: data})[0].tolist() == [1, 3, 4]


def test_writing_through_a_transpose_of_a_part() -> None:
    x, y = T.dmatrix("x"), T.dmatrix("y")
    data = np.arange(6.0).reshape(2, 3)
    out = T.set_subtensor(x[:, 1:].T, y)
    wanted = data.copy()
    wanted[:, 1:].T[...] = [[7, 8], [9, 10]]
    assert evaluate([out], {x: data, y: np.array([[7.0, 8], [9, 10]])})[0].tolist() == wanted.tolist()
    out = T.set_subtensor(x[[1], 1:].T, y)
    wanted[:] = data
    wanted[1, 1:] = [7, 9]
    assert evaluate([out], {x: data, y: np.array([[7.0], [9.0]])})[0].tolist() == wanted.tolist()
    dropped = T.addbroadcast(x[0:1], 0).dimshuffle(1)
    with pytest.raises(ArgumentError, match="first argument is not a part"):
        T.set_subtensor(dropped, 0.0)


def test_an_index_that_occurs_twice_is_added_twice_and_set_to_the_last() -> None:
    x = T.dvector()
    i = T.lvector()
    given = {x: np.zeros(3), i: np.array([1, 1, 2])}
    assert evaluate([T.inc_subtensor(x[i], 1.0)], given)[0].tolist() == [0, 2, 1]
    assert evaluate([T.set_subtensor(x[i], np.array([5.0, 6.0, 7.0]))], given)[0].tolist() == [0, 6, 7]


def test_bool_is_added_as_or() -> None:
    x = T.vector(dtype="bool")
    for part in (x[:2], x[[0, 1]]):
        out = evaluate([T.inc_subtensor(part, np.array([True, False]))], {x: np.array([True, True, False])})[
            0
        ]
        assert out.tolist() == [True, True, False]


def test_an_empty_list_picks_nothing() -> None:
    x = T.dmatrix()
    assert evaluate([x[[]]], {x: np.ones((2, 3))})[0].shape == (0, 3)


def test_known_bounds_give_known_lengths() -> None:
    x = TensorType("float32", shape=(5, None, 7))("x")
    assert x[1:3].type.shape == (2, None, 7)
    assert x[::-2, 0].type.shape == (3, 7)
    assert x[..., None, 2:-1].type.shape == (5, None, 1, 4)
    assert x[[0, 1]].type.shape == (2, None, 7)
    assert x[T.lscalar() :].type.shape == (None, None, 7)
    assert x[:, 2:2].type.shape == (5, 0, 7)


def test_iteration_and_unpacking_need_a_known_length() -> None:
    x = TensorType("float64", shape=(2,))("x")
    a, b = x
    assert [float(v) for v in evaluate([a, b], {x: [1.0, 2.0]})] == [1, 2]
    y = T.dvector("y")
    with pytest.raises(ArgumentError) as error:
        iter(y)
    line = y.made_at
    assert str(error.value) == (
        "y cannot be iterated over: its length is not known\n"
        f"  y    f64[?]   made at {line}\n"
        "  try  T.specify_shape(x, (3,)) where the length is always 3"
    )


def test_assignment_names_the_way_out() -> None:
    x = T.dvector("x")
    with pytest.raises(ArgumentError) as error:
        x[0] = 1.0
    assert str(error.value) == (
        "x cannot be assigned to: a graph has no memory\n"
        "  try  y = T.set_subtensor(x[...], value) or T.inc_subtensor(x[...], value)"
    )


WRONG: list[tuple[Any, type[Exception], str]] = [
    (lambda x: x[0, 0, 0], BoundsError, "x has 2 dimensions, the index names 3\n{x}\n  needs  at most 2"),
    (lambda x: x[3], BoundsError, "index 3 is outside axis 0 of x, which has length 3\n{x}"),
    (lambda x: x[..., ...], ArgumentError, "an index has more than one Ellipsis\n{x}"),
    (lambda x: x[True], DTypeError, "True is not an index of x\n{x}\n{needs}"),
    (lambda x: x["a"], DTypeError, "'a' is not an index of x\n{x}\n{needs}"),
    (lambda x: x[1.0], DTypeError, "1.0 is not an index of x\n{x}\n{needs}"),
    (lambda x: x[{}], DTypeError, "{{}} is not an index of x\n{x}\n{needs}"),
    (lambda x: x[0.5:], DTypeError, "0.5 is not an index of x\n{x}\n{needs}"),
    (lambda x: x[T.dscalar("s")], DTypeError, "s is not an index of x\n{x}\n{needs}"),
    (lambda x: x[: T.dscalar("s")], DTypeError, "s is not an index of x\n{x}\n{needs}"),
    (lambda x: x[::0], ShapeError, "the step of a slice is 0\n{x}"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_wrong_indices_are_refused_when_the_graph_is_built(number: int) -> None:
    build, kind, text = WRONG[number]
    x = TensorType("float64", shape=(3, None))("x")
    with pytest.raises(kind) as error:
        build(x)
    needs = "  needs  an integer, a slice, None, Ellipsis, an integer array or a bool mask of rank 1 or more"
    width = 5 if "needs" in text else 3
    assert str(error.value) == text.format(
        x=f"  {'x':<{width}}  f64[3, ?]   made at {x.made_at}", needs=needs
    )


def test_a_mask_of_another_length_is_refused() -> None:
    x, m = TensorType("float64", shape=(3, None))("x"), TensorType("bool", shape=(2,))("m")
    with pytest.raises(BoundsError) as error:
        x[m]
    assert str(error.value) == (
        "the mask has length 2 on its axis 0, x has 3 on its axis 0\n"
        f"  x      f64[3, ?]   made at {x.made_at}\n"
        f"  mask   bool[2]   made at {m.made_at}\n"
        "  needs  a mask with the lengths of the axes that it indexes"
    )
    with pytest.raises(BoundsError, match="x has 2 dimensions, the index names 3"):
        x[T.TensorType("bool", shape=(None, None))("m"), 0]
    with pytest.raises(DTypeError, match="b is not an index of x"):
        x[T.scalar("b", dtype="bool")]


def test_a_bound_that_is_not_a_scalar_is_refused() -> None:
    x, i = T.dvector("x"), T.lvector("i")
    with pytest.raises(RankError, match="the bound i of a slice is not a scalar\n  i    i64"):
        x[i:]


def test_index_arrays_whose_lengths_differ_are_refused() -> None:
    x = T.dmatrix("x")
    i, j = (TensorType("int64", shape=(n,))(name) for n, name in ((2, "i"), (3, "j")))
    with pytest.raises(ShapeError) as error:
        x[i, j]
    assert str(error.value) == (
        "index arrays: axis 0 has the lengths 2 and 3\n"
        f"  i    i64[2]   made at {i.made_at}\n  j    i64[3]   made at {j.made_at}"
    )


RUN_TIME: list[tuple[Any, Any, type[Exception], str]] = [
    (lambda x, i: x[5], 0, BoundsError, "index 5 is outside axis 0, which has length 3"),
    (lambda x, i: x[:, i], -3, BoundsError, "index -3 is outside axis 1, which has length 2"),
    (lambda x, i: x[:, [0, 7]], 0, BoundsError, "index 7 is outside axis 1, which has length 2"),
    (lambda x, i: T.set_subtensor(x[i], 0.0), 3, BoundsError, "index 3 is outside axis 0, which has length 3"),
    (lambda x, i: T.inc_subtensor(x[[5]], 0.0), 3, BoundsError, "index 5 is outside axis 0, which has length 3"),
    (lambda x, i: x[::i], 0, ShapeError, "the step of a slice is 0"),
    (lambda x, i: T.set_subtensor(x[::i], 0.0), 0, ShapeError, "the step of a slice is 0"),
    (lambda x, i: T.set_subtensor(x[i:], x), 1, ShapeError,
     "set_subtensor: axis 0 of the value has length 3, the part has 2"),
    (lambda x, i: T.inc_subtensor(x[i:], x[:1]), 1, ShapeError,
     "inc_subtensor: axis 0 of the value has length 1, the part has 2"),
    (lambda x, i: T.inc_subtensor(x[T.arange(i)], x), 1, ShapeError,
     "inc_subtensor: axis 0 of the value has length 3, the part has 1"),
    (lambda x, i: x[T.arange(i), T.arange(1, i)], 2, ShapeError, "index arrays: axis 0 has the lengths 2 and 1"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(RUN_TIME)))
def test_what_only_values_show_is_refused_at_run_time(number: int) -> None:
    build, index, kind, text = RUN_TIME[number]
    x, i = T.dmatrix("x"), T.lscalar("i")
    out = build(x, i)
    with pytest.raises(kind) as error:
        evaluate([out], {x: np.zeros((3, 2)), i: index})
    assert str(error.value) == text


def test_writes_that_cannot_fit_are_refused_when_the_graph_is_built() -> None:
    x = TensorType("float32", shape=(3, 2))("x")
    y, d, m = TensorType("float32", shape=(3,))("y"), T.dscalar("d"), T.fmatrix("m")
    part, whole = x[1], TensorType("int32", shape=(3, 2))("whole")[1]
    at = part.made_at
    cases: list[tuple[Any, type[Exception], str]] = [
        (lambda: T.set_subtensor(part, y), ShapeError,
         "set_subtensor: axis 0 of the value has length 3, the part has 2\n"
         f"  part  f32[2]   made at {at}\n  y     f32[3]   made at {y.made_at}"),
        (lambda: T.inc_subtensor(whole, d), DTypeError,
         "inc_subtensor: float64 does not fit into int32\n"
         f"  part  i32[2]   made at {whole.made_at}\n  y     f64[]   made at {d.made_at}\n  try   y.astype('int32')"),
        (lambda: T.set_subtensor(part, m), RankError,
         "set_subtensor: the value has 2 dimensions, the part 1\n"
         f"  part  f32[2]   made at {at}\n  y     f32[?, ?]   made at {m.made_at}"),
        (lambda: T.set_subtensor(x, 0), ArgumentError,
         "set_subtensor: the first argument is not a part of a tensor\n"
         f"  part  f32[3, 2]   made at {x.made_at}\n  try   T.set_subtensor(x[1:], y)"),
    ]  # fmt: skip
    for build, kind, text in cases:
        with pytest.raises(kind) as error:
            build()
        assert str(error.value) == text


def test_meanings_refuse_values_that_do_not_fit_by_themselves() -> None:
    from eqsat.graph.ops.gather import scatter_op
    from eqsat.graph.ops.index import put_op

    text = r"a value of shape \(3,\) does not fit the part of shape \(2,\)"
    with pytest.raises(ShapeError, match=text):
        put_op.bind(pattern=(FULL,), add=0).compute(np.zeros(2), np.zeros(3))
    with pytest.raises(ShapeError, match=text):
        scatter_op.bind(pattern=(0,), add=0).compute(np.zeros(2), np.zeros(3), np.array([0, 1]))
