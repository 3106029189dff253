"""TensorType: patterns, texts, and which values are of a type."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.errors import ArgumentError, DTypeError, RankError, ShapeError
from eqsat.graph.tensor_type import TensorType, tensor_type


def test_a_pattern_is_of_bools_or_of_lengths() -> None:
    kind = TensorType("int32", (True, False))
    assert kind == TensorType("int32", shape=(1, None)) and hash(kind) == hash(
        TensorType("int32", shape=(1, None))
    )
    assert kind == T.irow and kind.broadcastable == (True, False) and kind.ndim == 2
    assert TensorType("float64") == T.dscalar and TensorType("float64", (3, None)).shape == (3, None)
    assert TensorType("float64", shape=list(np.array([2, 3]))).shape == (2, 3)
    assert kind != TensorType("int32", (True, True)) and kind != 3


@pytest.mark.parametrize("entry", [-1, 2.5, "x"])
def test_other_entries_are_refused(entry: Any) -> None:
    with pytest.raises(ShapeError) as error:
        TensorType("int32", shape=(entry,))
    assert str(error.value) == f"a length in a type is an int or None, not {entry!r}"


def test_texts() -> None:
    assert repr(T.irow) == "<TensorType(int32, (1, ?))>" and T.irow.short() == "i32[1, ?]"
    assert repr(T.dvector) == "<TensorType(float64, (?,))>" and repr(T.dscalar) == "<TensorType(float64, ())>"


def test_types_are_pickled_and_cloned() -> None:
    kind = TensorType("uint8", shape=(2, None))
    assert pickle.loads(pickle.dumps(kind)) == kind
    assert kind.clone(dtype="bool").short() == "bool[2, ?]" and kind.clone(shape=(True, 5)).shape == (1, 5)
    assert tensor_type("uint8", (2, None)) is tensor_type("uint8", (2, None)) == kind


def test_a_wider_type_holds_a_narrower_one() -> None:
    wide, narrow = TensorType("float64", shape=(None, 3)), TensorType("float64", shape=(2, 3))
    assert wide.is_super(narrow) and not narrow.is_super(wide) and wide.is_super(wide)
    assert not wide.is_super(TensorType("float32", shape=(2, 3))) and not wide.is_super(T.dvector)


# -------------------------------------------------------------------------------------------------- filter


def test_an_array_of_the_type_is_passed_on() -> None:
    for value in (np.zeros((2, 3)), np.zeros((3, 2)).T, np.zeros((1, 3))):
        assert T.dmatrix.filter(value) is value


def test_safe_conversions_are_made() -> None:
    found = T.dmatrix.filter(np.ones((2, 2), "float32"))
    assert found.dtype == "float64"
    assert T.dvector.filter([1, 2]).tolist() == [1, 2] and T.fscalar.filter(0.1) == np.float32(0.1)
    assert T.bvector.filter([1, -128]).dtype == "int8" and T.fscalar.filter(float("nan")).dtype == "float32"
    assert T.dvector.filter(np.arange(2, dtype=">f8")).dtype.isnative
    assert T.fvector.filter([float("nan"), 0.5, float("inf")]).dtype == "float32"
    assert T.dvector.filter(np.ma.array([1.0])).__class__ is np.ndarray
    assert T.ivector.filter(np.array([])).dtype == "int32"


NO = "the conversion could change values\n  try  value.astype({!r}), or function(..., allow_input_downcast=True)"
REFUSED: list[tuple[Any, Any, type[Exception], str]] = [
    (T.fvector, np.ones(2), DTypeError, "expected f32[?], got f64[2]: " + NO.format("float32")),
    (T.fvector, [0.1], DTypeError, "expected f32[?], got f64[1]: " + NO.format("float32")),
    (T.fscalar, 1e300, DTypeError, "expected f32[], got f64[]: " + NO.format("float32")),
    (T.fscalar, np.float64(0.1), DTypeError, "expected f32[], got f64[]: " + NO.format("float32")),
    (T.bscalar, 300, DTypeError, "expected i8[], got i64[]: " + NO.format("int8")),
    (T.iscalar, 1.5, DTypeError, "expected i32[], got f64[]: " + NO.format("int32")),
    (T.dvector, "abc", DTypeError, "expected f64[?], got str 'abc'"),
    (T.dvector, [1j], DTypeError, "expected f64[?], got list [1j]: complex numbers are not real\n  try  value.real, value.imag or abs(value)"),
    (TensorType("complex64", (None,)), [0.1j], DTypeError, "expected c64[?], got c128[1]: " + NO.format("complex64")),
    (T.dvector, np.zeros((2, 2)), RankError, "expected f64[?], got f64[2, 2]: 1 dimensions needed, 2 given"),
    (T.drow, np.zeros((2, 2)), ShapeError, "expected f64[1, ?], got f64[2, 2]: axis 0 has length 2, not 1"),
    (TensorType("float64", shape=(3,)), [1.0], ShapeError, "expected f64[3], got f64[1]: axis 0 has length 1, not 3"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_values_that_do_not_fit_are_described(number: int) -> None:
    kind, value, error_class, text = REFUSED[number]
    with pytest.raises(error_class) as error:
        kind.filter(value)
    assert str(error.value) == text


def test_strict_and_downcast_are_the_two_ends() -> None:
    with pytest.raises(DTypeError) as error:
        T.dscalar.filter(1.0, strict=True)
    assert str(error.value) == "expected f64[] exactly, got float 1.0"
    with pytest.raises(DTypeError) as error:
        T.dvector.filter(np.zeros(2, "float32"), strict=True)
    assert str(error.value) == "expected f64[?] exactly, got f32[2]"
    assert T.fvector.filter(np.array([0.1]), allow_downcast=True).dtype == "float32"
    with pytest.raises(DTypeError):
        T.fscalar.filter(0.1, allow_downcast=False)


def test_a_variable_is_not_a_value() -> None:
    with pytest.raises(ArgumentError) as error:
        T.dvector.filter(T.dvector("x"))
    assert str(error.value) == (
        "expected a value of type f64[?], got the variable x\n"
        "  try  pass a NumPy array, or use givens= to replace a variable by another"
    )


def test_long_values_are_cut_in_messages() -> None:
    with pytest.raises(DTypeError) as error:
        T.dvector.filter(["long"] * 40)
    assert str(error.value) == "expected f64[?], got list ['long', 'long', 'long', 'long', 'lon..."
