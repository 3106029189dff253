"""Comparisons of converted operands: two dtypes stay converted, and 64-bit integers are not the floats they become."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

TWO_DTYPES = [("int8", "uint8"), ("int32", "uint32"), ("int32", "float32"), ("int64", "uint64")]


@pytest.mark.parametrize("one,other", TWO_DTYPES)
def test_two_dtypes_that_are_converted_to_a_third(one: str, other: str, mode: str) -> None:
    x, y = T.tensor(one, (None,), "x"), T.tensor(other, (None,), "y")
    f = eqsat.function([x, y], [T.gt(x, y), T.eq(x, y), T.maximum(x, y)], mode=mode)
    a, b = np.array([-1, 2, 3], one), np.array([1, 2, 1], other)
    for found, wanted in zip(f(a, b), [a > b, a == b, np.maximum(a, b)], strict=True):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_integers_that_become_one_float_are_equal(dtype: str, mode: str) -> None:
    x, y = T.tensor(dtype, (None,), "x"), T.tensor(dtype, (None,), "y")
    p, q = T.cast(x, "float64"), T.cast(y, "float64")
    f = eqsat.function([x, y], [T.gt(p, q), T.eq(p, q)], mode=mode)
    greater, equal = f(np.array([2**53 + 1, 3], dtype), np.array([2**53, 2], dtype))
    assert greater.tolist() == [False, True] and equal.tolist() == [True, False]
