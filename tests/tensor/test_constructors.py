"""Functions that make input variables."""

from __future__ import annotations

from typing import Any

import pytest

import eqsat.tensor as T
from eqsat import config
from eqsat.errors import ArgumentError, DTypeError
from eqsat.graph.tensor_type import TensorType
from eqsat.tensor.constructors import LETTERS, PLURALS, RANKS


@pytest.mark.parametrize("rank", RANKS)
def test_by_rank_the_dtype_is_float_x_or_given(rank: str) -> None:
    make = getattr(T, rank)
    assert (make("x").name, make("x").dtype, make().type.shape) == ("x", "float64", RANKS[rank])
    assert (
        make("x", dtype="int32").dtype == "int32"
        and make.__name__ == rank
        and "New variable of shape [" in make.__doc__
    )
    with config.change_flags(floatX="float32"):
        assert make().dtype == "float32"


@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("letter", LETTERS)
def test_by_rank_and_dtype(rank: str, letter: str) -> None:
    kind = getattr(T, letter + rank)
    assert kind("x").type is kind == TensorType(LETTERS[letter], shape=RANKS[rank])
    a, b = getattr(T, letter + PLURALS[rank])("a", "b")
    assert (a.name, b.name, a.type, b.type) == ("a", "b", kind, kind)


def test_several_at_once() -> None:
    assert [v.name for v in T.scalars("abcd")] == list("abcd") == [v.name for v in T.dmatrices("a b c d")]
    assert [v.name for v in T.vectors(3)] == [None] * 3 and T.matrices(0) == []
    assert [v.dtype for v in T.cols("x", "y", dtype="int8")] == ["int8", "int8"]
    wrong: Any
    for wrong in ((), (1.5,), ("a", 2)):
        with pytest.raises(ArgumentError) as error:
            T.vectors(*wrong)
        assert str(error.value) == "vectors takes a count or names\n  try  x, y = T.vectors('x', 'y')"


def test_any_shape() -> None:
    assert T.tensor("int8", (1, None), "x").type.short() == "i8[1, ?]" and T.tensor().dtype == "float64"
    with pytest.raises(DTypeError, match="unknown dtype 'complex256'"):
        T.tensor("complex256")
