"""Element types: their names, how they are combined and which one a Python number has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat import config
from eqsat.errors import DTypeError
from eqsat.graph.dtypes import ALL, accumulator, check_dtype, constant_dtype, promote, to_complex, to_float


@pytest.mark.parametrize("name", ALL)
def test_every_spelling_of_a_dtype_is_known(name: str) -> None:
    for spelling in (name, np.dtype(name), np.dtype(name).type):
        assert check_dtype(spelling) == name


def test_float_x_is_read_from_the_configuration() -> None:
    with config.change_flags(floatX="float32"):
        assert check_dtype("floatX") == "float32"
    assert check_dtype("floatX") == "float64"


@pytest.mark.parametrize("name", ["complex256", "float16", "text", None, "O", 3])
def test_other_dtypes_are_refused(name: Any) -> None:
    with pytest.raises(DTypeError) as error:
        check_dtype(name)
    near = {"complex256": "complex64 or complex128", "float16": "float64 or float32"}.get(str(name))
    hint = f"\n  try    {near}" if near else ""
    assert str(error.value) == f"unknown dtype {name!r}\n  needs  one of {', '.join(ALL)}{hint}"


def test_a_variable_is_no_dtype() -> None:
    with pytest.raises(DTypeError, match="unknown dtype x"):
        check_dtype(T.zvector("x"))


@pytest.mark.parametrize(
    "value, wanted",
    [(True, "bool"), (0, "int8"), (1, "int8"), (-128, "int8"), (128, "int16"), (200, "int16"), (70000, "int32"),
     (2**40, "int64"), (2**63, "uint64"), (-(2**63), "int64"), (1j, "complex64"), (0.1j, "complex128"), (complex(1e300, 1), "complex128"), (0.5, "float32"), (0.1, "float64"),
     (float("inf"), "float32"), (float("nan"), "float32"), (1e300, "float64"), (-3.4028234663852886e38, "float32")],
)  # fmt: skip
def test_a_number_has_the_smallest_dtype_that_holds_it(value: Any, wanted: str) -> None:
    assert constant_dtype(value) == wanted


def test_floats_are_float32_where_float_x_is() -> None:
    with config.change_flags(floatX="float32"):
        assert constant_dtype(0.1) == "float32"


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1])
def test_an_integer_beyond_64_bits_is_refused(value: int) -> None:
    with pytest.raises(DTypeError) as error:
        constant_dtype(value)
    assert str(error.value) == f"the integer {value} does not fit 64 bits"


def test_floating_and_accumulating_dtypes() -> None:
    assert [to_float(n) for n in ("bool", "int16", "uint16", "int32", "uint64", "float32")] == [
        "float32", "float32", "float32", "float64", "float64", "float32"]  # fmt: skip
    assert [accumulator(n) for n in ("bool", "int8", "uint8", "float32", "complex64")] == [
        "int64",
        "int64",
        "uint64",
        "float32",
        "complex64",
    ]
    assert promote("int64", "uint64") == "float64" and promote("int64", "complex64") == "complex128"
    assert [to_complex(n) for n in ("int8", "int32", "float32", "complex128")] == [
        "complex64",
        "complex128",
        "complex64",
        "complex128",
    ]
