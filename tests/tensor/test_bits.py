"""Bits of numbers: as another dtype, counted, and the neighbours of floating numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, DTypeError

SPECIAL = [1.0, -2.5, 0.0, -0.0, float("nan"), float("inf"), -float("inf"), 1e-45, 3.4e38]


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_bits_there_and_back(dtype: str, mode: str) -> None:
    x, values = T.vector("x", dtype=dtype), np.array(SPECIAL, dtype)
    word = f"int{8 * values.itemsize}"
    bits = T.bitcast(x, word)
    found = eqsat.function([x], [bits, T.bitcast(bits, dtype), T.bitcast(bits, f"u{word}")], mode=mode)(
        values
    )
    assert [f.tobytes() for f in found] == [values.tobytes()] * 3
    assert [str(f.dtype) for f in found] == [word, dtype, f"u{word}"]


@pytest.mark.parametrize(("dtype", "other"), [("float32", "int64"), ("complex64", "int64"), ("bool", "int8")])
def test_dtypes_of_other_widths_are_refused(dtype: str, other: str) -> None:
    with pytest.raises(ArgumentError, match=f"bitcast: {dtype} cannot be seen as {other}"):
        T.bitcast(T.vector("x", dtype=dtype), other)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint64"])
def test_bits_are_counted(dtype: str) -> None:
    info = np.iinfo(dtype)
    values = np.array([0, 1, 7, info.max, info.min, info.max - 5], dtype)
    wanted = [bin(int(v) % 2 ** (8 * values.itemsize)).count("1") for v in values]
    assert T.bit_count(T.constant(values)).eval().tolist() == wanted
    with pytest.raises(DTypeError):
        T.bit_count(T.fvector("x"))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_neighbours_are_those_of_numpy(dtype: str) -> None:
    x, y = (v.ravel() for v in np.meshgrid(np.array(SPECIAL, dtype), np.array(SPECIAL, dtype)))
    a, b = T.vector("a", dtype=dtype), T.vector("b", dtype=dtype)
    found: Any = eqsat.function([a, b], T.nextafter(a, b), mode="reference")(x, y)
    np.testing.assert_array_equal(found, np.nextafter(x, y))
    assert np.array_equal(np.signbit(found), np.signbit(np.nextafter(x, y)))
