"""Shared variables: their type, and when their value is copied."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat import shared
from eqsat.errors import ArgumentError, DTypeError, RankError, ShapeError
from eqsat.graph.dtypes import ALL
from tests.reference import evaluate


@pytest.mark.parametrize("dtype", ALL)
def test_the_type_is_inferred_and_lengths_may_change(dtype: str) -> None:
    for ndim in range(4):
        w = shared(np.ones((1,) * ndim, dtype))
        assert isinstance(w, T.TensorSharedVariable) and w.type == T.TensorType(dtype, (False,) * ndim)
    w.set_value(np.ones((2, 3, 4), dtype))
    assert w.get_value().shape == (2, 3, 4)


def test_a_value_is_copied_in_and_out_unless_borrowed() -> None:
    value = np.zeros(3)
    w = shared(value)
    value[0] = 5
    w.get_value()[1] = 5
    assert w.get_value().tolist() == [0, 0, 0]
    w.get_value(borrow=True)[2] = 7
    assert w.value.tolist() == [0, 0, 7]
    w = shared(value, borrow=True)
    value[1] = 9
    assert w.get_value().tolist() == [5, 9, 0] and w.get_value(borrow=True) is value
    other = np.ones(2)
    w.set_value(other)
    assert w.get_value(borrow=True) is not other
    w.set_value(other, borrow=True)
    assert w.get_value(borrow=True) is other


def test_an_array_that_cannot_be_kept_is_copied_although_borrowed() -> None:
    frozen = np.zeros((2, 2))
    frozen.setflags(write=False)
    for value in (np.zeros((2, 3)).T, frozen):
        w = shared(value, borrow=True)
        inside = w.get_value(borrow=True)
        assert inside is not value and inside.flags.c_contiguous and inside.flags.writeable


def test_value_zero_and_clone() -> None:
    w = shared([1.0, 2.0], "w")
    twin, named = w.clone(), w.clone("v")
    w.value = [3.0, 4.0, 5.0]
    assert (twin.name, named.name) == ("w", "v") and twin.get_value().tolist() == [3, 4, 5]
    w.zero()
    assert named.get_value().tolist() == [0, 0, 0]
    assert evaluate([w + 1, named])[0].tolist() == [1, 1, 1]


def test_lengths_that_do_not_change_are_part_of_the_type_on_request() -> None:
    assert shared(np.ones((1, 3)), broadcastable=(True, False)).broadcastable == (True, False)
    w = shared(np.ones((2, 3)), "w", shape=(2, None))
    with pytest.raises(ShapeError) as error:
        w.set_value(np.ones((3, 3)))
    assert error.value.message == "w: expected f64[2, ?], got f64[3, 3]: axis 0 has length 3, not 2"
    assert w.get_value().shape == (2, 3)


def test_values_of_another_type_are_refused() -> None:
    w = shared(np.ones(2, "float32"))
    with pytest.raises(DTypeError):
        w.set_value(np.ones(2))
    with pytest.raises(RankError):
        w.set_value(np.ones((2, 2), "float32"))
    with pytest.raises(ArgumentError) as error:
        shared(T.dscalar("x"))
    assert str(error.value) == "shared: x is a variable, not a value\n  try  shared(x.eval(...))"
    with pytest.raises(DTypeError) as refused:
        shared("text")
    assert str(refused.value) == "shared: no tensor holds <U4\n  try  shared(np.asarray(value, 'float64'))"


def test_rows_of_other_lengths_are_refused() -> None:
    with pytest.raises(ArgumentError, match=r"^shared: no array can be made of \[\[1\], \[2, 3\]\]"):
        shared([[1], [2, 3]])
