"""Constants: the dtype of a value, what cannot be one, and how ops cast and pad operands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat.tensor as T
from eqsat.errors import ArgumentError, DTypeError, RankError
from eqsat.graph.constant import cast_to, constant, pad_left
from tests.reference import evaluate


def test_a_number_in_an_expression_does_not_widen_more_than_it_must() -> None:
    x = T.fvector()
    assert (x + 1).dtype == "float32" and (x * 0.5).dtype == "float32" and (x * 0.1).dtype == "float64"
    assert (T.bvector() + 1).dtype == "int8" and (T.bvector() + 200).dtype == "int16"


def test_the_value_is_copied() -> None:
    value = np.zeros(3)
    c = constant(value)
    value[:] = 5
    assert c.data.tolist() == [0, 0, 0] and c.type.shape == (3,)


def test_options() -> None:
    c = constant([1, 2], name="c", ndim=2, dtype="float32")
    assert (c.name, c.type.short(), c.data.shape) == ("c", "f32[1, 2]", (1, 2))
    assert constant(np.arange(3, dtype=">i4")).data.dtype == np.dtype("int32")
    assert T.as_tensor_variable(2, name="two", ndim=1).name == "two"
    x = T.dvector("x")
    assert T.as_tensor_variable(x) is x and T.as_tensor_variable(x, ndim=2).broadcastable == (True, False)
    with pytest.raises(RankError, match="x has 1 dimensions, more than ndim=0"):
        T.as_tensor_variable(x, ndim=0)


def test_texts_of_constants() -> None:
    assert str(constant(2.5)) == "2.5" and str(constant([1.0, 1.0])) == "f64[2] of 1.0"
    assert str(constant([1, 2])) == "i64[2] constant" and str(constant([])) == "f64[0] constant"
    assert str(constant(1, name="one")) == "one"


REFUSED: list[tuple[Any, type[Exception], str]] = [
    (lambda: constant(T.dscalar("x")), ArgumentError, "x is a variable, not a value\n  try  use it as it is"),
    (lambda: constant("abc"), DTypeError, "a constant cannot hold <U3: 'abc'\n  needs  numbers or bool"),
    (lambda: constant(1j, dtype="float64"), ArgumentError, "no array can be made of 1j: "),
    (lambda: constant(None), DTypeError, "a constant cannot hold object: None\n  needs  numbers or bool"),
    (
        lambda: constant([[1], [2, 3]]),
        ArgumentError,
        "no array can be made of [[1], [2, 3]]: setting an array",
    ),
    (lambda: constant(300, dtype="int8"), DTypeError, "300 does not fit int8: "),
    (lambda: constant([1, 2], ndim=0), RankError, "ndim=0 is less than the 1 dimensions of the value"),
    (lambda: constant({}, dtype="float64"), ArgumentError, "no array can be made of {}: "),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_what_is_not_a_value_is_described(number: int) -> None:
    build, kind, text = REFUSED[number]
    with pytest.raises(kind) as error:
        build()
    assert str(error.value).startswith(text)


def test_lists_with_variables_are_stacked_at_any_depth() -> None:
    x = T.dscalar("x")
    assert evaluate([T.as_tensor_variable([x, 1.0])], {x: 5.0})[0].tolist() == [5, 1]
    assert evaluate([T.as_tensor_variable([[x, 1.0], (2.0, x)])], {x: 5.0})[0].tolist() == [[5, 1], [2, 5]]
    assert T.as_tensor_variable([[1, 2], [3, 4]]).owner is None


def test_casting_a_constant_gives_a_constant_with_its_name() -> None:
    c = constant(2.7, name="c")
    found = cast_to(c, "int8")
    assert (found.owner, found.name, found.data.tolist()) == (None, "c", 2) and not found.data.flags.writeable
    assert cast_to(c, c.dtype) is c
    assert cast_to(constant([-1.0, 300.0, float("nan")]), "uint8").data.tolist() == [0, 255, 0]


def test_padding_adds_axes_on_the_left() -> None:
    x = T.dvector("x")
    assert pad_left(x, 1) is x and pad_left(x, 3).type.short() == "f64[1, 1, ?]"
    assert str(pad_left(x, 2).owner.op) == "dimshuffle{(x, 0)}" == str(x.dimshuffle("x", 0).owner.op)
