"""Creating variables, row by row of the specification: constructors, types, shared values, constants."""

from __future__ import annotations

import functools
import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat import config, shared
from eqsat.errors import ArgumentError, DTypeError, EqsatError, RankError, ShapeError
from eqsat.graph.dtypes import REAL
from eqsat.graph.tensor_type import TensorType

seed = pytest.mark.seed
DTYPES = {
    "b": "int8",
    "w": "int16",
    "i": "int32",
    "l": "int64",
    "d": "float64",
    "f": "float32",
    "c": "complex64",
    "z": "complex128",
}
TWELVE = [*REAL[1:], "complex64", "complex128"]
PATTERNS: dict[str, tuple[bool, ...]] = {
    "scalar": (),
    "vector": (False,),
    "row": (True, False),
    "col": (False, True),
    "matrix": (False, False),
    "tensor3": (False,) * 3,
    "tensor4": (False,) * 4,
}
PLURAL = {"scalar": "scalars", "vector": "vectors", "row": "rows", "col": "cols", "matrix": "matrices"}


def rows(first: int, cases: list[Any]) -> list[Any]:
    """Cases with the ids of consecutive rows."""
    return [
        pytest.param(*(c if isinstance(c, tuple) else (c,)), marks=seed(f"B{first + k:03}"))
        for k, c in enumerate(cases)
    ]


@pytest.mark.parametrize("rank", rows(1, list(PATTERNS)))
def test_by_rank(rank: str, seed_mode: str) -> None:
    make, pattern = getattr(T, rank), PATTERNS[rank]
    assert make("x").name == "x" and make().name is None and make(name="n", dtype="int32").dtype == "int32"
    for name in ("float32", "float64"):
        with config.change_flags(floatX=name):
            x = make("x")
        assert (x.dtype, x.ndim, x.broadcastable) == (name, len(pattern), pattern)
    f, given = echo_by_rank(seed_mode)[rank]
    np.testing.assert_array_equal(f(given), given)


@functools.cache
def echo_by_rank(mode: str) -> dict[str, tuple[Any, Any]]:
    """A function that gives its argument back, and an argument, for each rank."""
    inputs = {rank: getattr(T, rank)("x") for rank in PATTERNS}
    given = {rank: example(PATTERNS[rank], "float64") for rank in PATTERNS}
    whole = eqsat.function(list(inputs.values()), list(inputs.values()), mode=mode)

    def one(rank: str) -> Any:
        place = list(inputs).index(rank)
        return lambda value: whole(*(value if r == rank else given[r] for r in given))[place]

    return {rank: (one(rank), given[rank]) for rank in PATTERNS}


def example(pattern: tuple[bool, ...], dtype: str, start: int = 0) -> Any:
    shape = [1 if one else n for one, n in zip(pattern, (3, 2, 4, 2), strict=False)]
    values = (start + np.arange(int(np.prod(shape)))).reshape(shape)
    return (values * (1 + 2j) if dtype.startswith("complex") else values).astype(dtype)


TYPED = list(itertools.product(DTYPES, PATTERNS))


@functools.cache
def echo(mode: str) -> Any:
    """One function of all typed constructors: it gives its arguments back."""
    inputs = [getattr(T, letter + rank)("a") for letter, rank in TYPED]
    return eqsat.function(inputs, inputs, mode=mode)


@pytest.mark.parametrize("letter, rank", rows(8, TYPED))
def test_typed(letter: str, rank: str, seed_mode: str) -> None:
    kind, dtype, pattern = getattr(T, letter + rank), DTYPES[letter], PATTERNS[rank]
    a = kind("a")
    assert (a.dtype, a.broadcastable, a.name, a.type) == (dtype, pattern, "a", kind)
    f, place = echo(seed_mode), TYPED.index((letter, rank))
    given = [example(PATTERNS[r], DTYPES[k], 1) for k, r in TYPED]
    found = f(*given)[place]
    np.testing.assert_array_equal(found, given[place])
    assert found.dtype == dtype and found.shape == given[place].shape

    def refuses(value: Any, error: type[Exception]) -> None:
        with pytest.raises(error, match=re.escape(f"input a: expected {kind.short()}, got ")):
            f(*given[:place], value, *given[place + 1 :])

    wider = np.array("text") if dtype == "complex128" else np.full(given[place].shape, 0.1 + 0.1j)
    refuses(wider, DTypeError)
    refuses(given[place][None], RankError)
    if True in pattern:
        refuses(np.zeros((3, 3), dtype), ShapeError)


PLURALS = [*itertools.product("ilfd", PLURAL)]


@pytest.mark.parametrize("letter, rank", rows(64, PLURALS))
def test_typed_plurals(letter: str, rank: str) -> None:
    make, kind = getattr(T, letter + PLURAL[rank]), getattr(T, letter + rank)
    three, two = make(3), make("x", "y")
    assert [v.name for v in three] == [None] * 3 and [v.name for v in two] == ["x", "y"]
    assert all(v.type == kind for v in (*three, *two)) and len(set(map(id, (*three, *two)))) == 5


@seed("B084")
def test_untyped_plurals_of_one_text(seed_mode: str) -> None:
    a, b, c, d = T.scalars("abcd")
    assert [v.name for v in (a, b, c, d)] == list("abcd") and a.type == T.dscalar
    e, f, g, h = T.matrices("efgh")
    assert [v.name for v in (e, f, g, h)] == list("efgh") and h.type == T.dmatrix
    found = eqsat.function([a, b, c, d], a + 10 * b + 100 * c + 1000 * d, mode=seed_mode)(1, 2, 3, 4)
    assert found == 4321


@seed("B085")
def test_typed_constructors_with_and_without_a_name() -> None:
    assert T.dmatrix().name is None and T.dmatrix("x").name == "x" == T.dmatrix(name="x").name


@seed("B086")
def test_three_spellings_of_one_scalar() -> None:
    made = [T.scalar("myvar", dtype="int32"), T.iscalar("myvar"), TensorType("int32", ())("myvar")]
    assert made[0].type == made[1].type == made[2].type and [v.name for v in made] == ["myvar"] * 3


@seed("B087")
@seed("B088")
def test_types_of_the_users_own_making(seed_mode: str) -> None:
    five = TensorType("float64", (False,) * 5)
    x, y = five(), five("y")
    assert (x.ndim, x.name, y.name) == (5, None, "y") and T.tensor5("z").type == five
    mine = TensorType("float64", (False,) * 2)
    assert mine == T.dmatrix and hash(mine) == hash(T.dmatrix)
    a, b = mine("a"), T.dmatrix("b")
    f = eqsat.function([x, y, a, b], [x + y, a * b], mode=seed_mode)
    big, small = np.arange(32.0).reshape((2,) * 5), np.ones((2, 3))
    sums, product = f(big, 2 * big, small, 3 * small)
    np.testing.assert_array_equal(sums, 3 * big)
    np.testing.assert_array_equal(product, 3 * small)


@seed("B089")
def test_complex_type_that_broadcasts_in_the_middle(seed_mode: str) -> None:
    x = TensorType("complex64", [False, True, False])("x")
    y = TensorType("complex64", [False, False, False])("y")
    one, full = (1j + np.arange(8)).reshape(4, 1, 2), np.arange(24).reshape(4, 3, 2) * (1 - 1j)
    one, full = one.astype("complex64"), full.astype("complex64")
    found = eqsat.function([x, y], y + x, mode=seed_mode)(one, full)
    assert found.dtype == "complex64" and (y + x).broadcastable == (False, False, False)
    np.testing.assert_array_equal(found, full + one)


@seed("B090")
def test_shared_of_an_array() -> None:
    s = shared(np.random.default_rng(0).normal(size=(3, 4)))
    assert isinstance(s, T.TensorSharedVariable) and (s.dtype, s.ndim) == ("float64", 2)


@seed("B091")
@seed("B092")
def test_the_value_of_a_shared_variable_in_both_spellings(seed_mode: str) -> None:
    mine = np.array([1.0, 2.0])
    s, lent = shared(mine), shared(mine, borrow=True)
    f = eqsat.function([], [s * 2, lent * 2], mode=seed_mode)
    np.testing.assert_array_equal(s.value, s.get_value())
    mine[0] = 5
    assert [v.tolist() for v in f()] == [[2, 4], [10, 4]]
    s.value = [7.0, 8.0]
    assert f()[0].tolist() == [14, 16]
    s.set_value(mine)
    mine[1] = 9
    assert f()[0].tolist() == [10, 4]


@seed("B093")
@pytest.mark.parametrize("dtype", TWELVE)
def test_type_inferred_by_shared(dtype: str) -> None:
    for ndim in range(5):
        s = shared(np.ones((2,) * ndim, dtype))
        assert (s.dtype, s.ndim, s.broadcastable) == (dtype, ndim, (False,) * ndim)


@seed("B094")
@seed("B095")
def test_arrays_in_expressions_are_constants_and_copies(seed_mode: str) -> None:
    x, mine = T.dvector("x"), np.ones(3)
    y = x + mine
    assert isinstance(y.owner.inputs[1], T.TensorConstant)
    assert isinstance((x + 1.5).owner.inputs[1].owner.inputs[0], T.TensorConstant)
    mine[0] = 100
    f = eqsat.function([x], y, mode=seed_mode)
    mine[1] = 100
    assert f([1, 2, 3]).tolist() == [2, 3, 4]


@seed("B096")
def test_pattern_of_a_constant() -> None:
    assert T.as_tensor_variable(np.zeros((1, 3, 1))).broadcastable == (True, False, True)


@seed("B097")
@pytest.mark.parametrize(
    "value, dtype", [(1, "int8"), (-128, "int8"), (200, "int16"), (70000, "int32"), (2**40, "int64")]
)
def test_integers_are_the_smallest_that_hold_them(value: int, dtype: str) -> None:
    assert T.as_tensor_variable(value).dtype == dtype == T.constant(value).dtype


@seed("B098")
def test_floats_are_float32_where_that_is_exact() -> None:
    assert [T.constant(v).dtype for v in (0.5, 0.1, 1e300)] == ["float32", "float64", "float64"]
    assert (T.fvector() * 0.5).dtype == "float32" and (T.fvector() * 0.1).dtype == "float64"


@seed("B099")
def test_floats_are_float32_with_floatx(seed_mode: str) -> None:
    with config.change_flags(floatX="float32"):
        x = T.fmatrix("x")
        y = x * 3.1
    value = np.ones((2, 2), "float32")
    found = eqsat.function([x], y, mode=seed_mode)(value)
    assert y.dtype == found.dtype == "float32" and found[0, 0] == np.float32(3.1)


@seed("B100")
def test_autocast_of_floats_is_chosen(seed_mode: str) -> None:
    x = T.fvector("x")
    assert T.basic.autocast_float == "smallest"
    with T.basic.autocast_float_as("float32"):
        narrow, imaginary = x * 0.1, x * 0.1j
        assert T.basic.autocast_float == config.autocast_float == "float32"
    with T.basic.autocast_float_as("float64"):
        wide = x * 0.5
        with config.change_flags(floatX="float32"):
            assert (x * 0.5).dtype == "float64"
    with T.basic.autocast_float_as("float32", "float64"):
        assert [(x * v).dtype for v in (0.5, 0.1)] == ["float32", "float64"]
    assert [v.dtype for v in (narrow, imaginary, wide, x * 0.1)] == [
        "float32",
        "complex64",
        "float64",
        "float64",
    ]
    found = eqsat.function([x], [narrow, wide], mode=seed_mode)(np.ones(2, "float32"))
    assert found[0][0] == np.float32(0.1) and found[1].dtype == "float64"
    for wrong in ((), ("float16",), ("float32", "int8")):
        with pytest.raises(ArgumentError, match="autocast_float_as does not take"):  # noqa: SIM117
            with T.basic.autocast_float_as(*wrong):
                pass
    assert T.basic.vector is T.vector
    with pytest.raises(AttributeError):
        T.basic.nothing_of_this_name  # noqa: B018


@seed("B101")
def test_as_tensor_variable() -> None:
    x = T.dvector("x")
    assert T.as_tensor_variable(x) is x and T.as_tensor_variable(x, ndim=1) is x
    for value in (2.5, [1, 2], (1.0, 2.0), np.zeros((2, 3)), 1 + 2j, True, np.float32(3)):
        made = T.as_tensor_variable(value, name="c")
        assert isinstance(made, T.TensorConstant) and made.name == "c"
        np.testing.assert_array_equal(made.data, value)
    padded = T.as_tensor_variable(x, ndim=3)
    assert padded.broadcastable == (True, True, False)
    with pytest.raises(RankError, match="more than ndim=0"):
        T.as_tensor_variable(x, ndim=0)
    with pytest.raises(EqsatError):
        T.as_tensor_variable("text")


@seed("B102")
def test_the_three_classes_of_tensors() -> None:
    result, number, state = T.dvector() + 1, T.as_tensor_variable(1), shared(1.0)
    assert isinstance(result, T.TensorVariable)
    assert isinstance(number, T.TensorConstant) and isinstance(state, T.TensorSharedVariable)
    assert all(isinstance(v, T._tensor_py_operators) for v in (result, number, state))


@seed("B104")
def test_floatx_is_read_when_a_constructor_is_called() -> None:
    assert config.floatX == "float64"
    for name in ("float32", "float64"):
        config.floatX = name
        assert config.floatX == name == T.matrix().dtype == T.tensor("floatX", (None,)).dtype
        assert T.zeros((2,)).dtype == T.scalars(1)[0].dtype == name


@seed("B105")
def test_memory_mapped_files(seed_mode: str, tmp_path: Path) -> None:
    values = np.arange(6.0).reshape(2, 3)
    values.tofile(tmp_path / "numbers")
    mapped = np.memmap(tmp_path / "numbers", "float64", "r", shape=(2, 3))
    x = T.dmatrix("x")
    f = eqsat.function([x], [x * 2, x + mapped, shared(mapped) - x], mode=seed_mode)
    for argument in (mapped, mapped[:, ::-1]):
        for have, want in zip(f(argument), f(np.array(argument)), strict=True):
            assert type(have) is np.ndarray
            np.testing.assert_array_equal(have, want)
