"""Comparisons of operands of two dtypes: exact for whole numbers; 64-bit integers that were converted are the floats they became."""

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


NEAR = {
    "uint64": [0, 1, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1],
    "int64": [-(2**63), -1, 0, 1, 2**53, 2**53 + 1, 2**63 - 1],
    "int8": [-128, -1, 0, 1, 127],
    "bool": [0, 1],
}
COMPARISONS = {np.less: T.lt, np.less_equal: T.le, np.greater: T.gt, np.greater_equal: T.ge, np.equal: T.eq}
COMPARISONS |= {np.not_equal: T.neq}


@pytest.mark.parametrize(
    "one,other", [("uint64", "int64"), ("int64", "uint64"), ("int8", "uint64"), ("bool", "uint64")]
)
def test_whole_numbers_that_no_dtype_holds_compare_exactly(one: str, other: str, mode: str) -> None:
    """NumPy compares them as they are, though it takes the larger of two as float64."""
    x, y = T.tensor(one, (None, 1), "x"), T.tensor(other, (None,), "y")
    a, b = np.array(NEAR[one], one)[:, None], np.array(NEAR[other], other)
    made = [op(x, y) for op in COMPARISONS.values()]
    outputs = [*made, *map(T.invert, made), T.maximum(x, y)]
    wanted = [f(a, b) for f in COMPARISONS]
    wanted += [*map(np.invert, wanted), np.maximum(a, b)]
    for found, value in zip(eqsat.function([x, y], outputs, mode=mode)(a, b), wanted, strict=True):
        np.testing.assert_array_equal(found, value, strict=True)


@pytest.mark.parametrize("number", [-1, 0, 2**53])
def test_a_number_beside_unsigned_ones_compares_exactly(number: int, mode: str) -> None:
    x = T.tensor("uint64", (None,), "x")
    a = np.array(NEAR["uint64"], "uint64")
    for f, op in COMPARISONS.items():
        np.testing.assert_array_equal(eqsat.function([x], op(x, number), mode=mode)(a), f(a, number))
    if number >= 0:
        assert T.lt(x, number).owner.op.name == "lt"  # no more than the number itself asks for
