"""Errors: one text of message, facts, need and way out, with the same facts as fields."""

from __future__ import annotations

import pytest

import eqsat.tensor as T
from eqsat import errors
from eqsat.errors import EqsatError, ShapeError, describe
from eqsat.graph.core import Type

CLASSES = [c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, EqsatError)]


def test_the_parts_stand_in_columns() -> None:
    x = T.fmatrix("x")
    error = ShapeError("no", operands=[("x", x), ("second", 3)], needs="this", hint="that", axis=1)
    assert (
        str(error)
        == f"no\n  x       f32[?, ?]   made at {x.made_at}\n  second  3\n  needs   this\n  try     that"
    )
    assert (error.message, error.needs, error.hint, error.facts) == ("no", "this", "that", {"axis": 1})
    assert error.operands == (("x", x), ("second", 3))
    assert str(ShapeError("alone")) == "alone" and str(ShapeError("a", hint="b")) == "a\n  try  b"


def test_a_variable_without_a_line_is_described_by_its_type() -> None:
    x = T.dvector("x")
    x.made_at = None
    assert describe(x) == "f64[?]" and describe("text") == "text"
    assert describe(Type()(None)).startswith("<eqsat.graph.core.Type object")


@pytest.mark.parametrize("kind", CLASSES, ids=lambda c: c.__name__)
def test_every_error_is_one_of_pythons_and_has_a_docstring(kind: type[EqsatError]) -> None:
    assert kind.__doc__ and kind.__doc__.rstrip().endswith(".")
    if kind is not EqsatError:
        assert issubclass(
            kind, (ValueError, TypeError, IndexError, AttributeError, RuntimeError, AssertionError)
        )
    assert str(kind("text")) == "text"
