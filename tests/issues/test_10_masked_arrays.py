"""A masked array is refused wherever a value is taken, unless nothing is masked: a mask is never lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError

MASKED = np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])
WHOLE = np.ma.array([1.0, 2.0, 3.0])
X = T.dvector("x")
F = eqsat.function([X], X.sum(), mode="FAST_COMPILE")
SHARED = T.shared(np.zeros(3))


def replaced(value: Any) -> Any:
    SHARED.set_value(value)
    return SHARED.get_value()


PLACES: dict[str, Callable[[Any], Any]] = {
    "call": F,
    "keyword": lambda m: F(x=m),
    "reference": eqsat.function([X], X.sum(), mode="reference"),
    "constant": lambda m: T.constant(m).eval().sum(),
    "as_tensor": lambda m: T.as_tensor(m).eval().sum(),
    "operand": lambda m: (X + m).eval({X: np.zeros(3)}).sum(),
    "float32": lambda m: T.as_tensor(m.astype("float32")).eval().sum(),
    "integers": lambda m: (
        T.as_tensor(np.ma.array(np.ma.getdata(m).astype("int8"), mask=np.ma.getmask(m), fill_value=0))
        .eval()
        .sum()
    ),
    "shared": lambda m: T.shared(m).get_value().sum(),
    "set_value": lambda m: replaced(m).sum(),
    "eval": lambda m: X.sum().eval({X: m}),
    "default": lambda m: eqsat.function([eqsat.In(X, value=m)], X.sum(), mode="FAST_COMPILE")(),
    "givens": lambda m: eqsat.function([], X.sum(), givens={X: m}, mode="FAST_COMPILE")(),
    "downcast": lambda m: eqsat.function([X], X.sum(), allow_input_downcast=True, mode="FAST_COMPILE")(m),
    "gradient": lambda m: T.grad(None, X, known_grads={X: T.as_tensor(m)}).eval().sum(),
}


@pytest.mark.parametrize("place", sorted(PLACES))
def test_masked_elements_are_refused(place: str) -> None:
    with pytest.raises(ArgumentError, match="1 of 3 elements of a masked array are masked") as error:
        PLACES[place](MASKED)
    assert "value.filled(number)" in str(error.value)


@pytest.mark.parametrize("place", sorted(PLACES))
def test_an_array_of_which_none_is_masked_is_an_array(place: str) -> None:
    assert PLACES[place](WHOLE) == 6
    assert PLACES[place](MASKED.filled(2.0)) == 6


def test_a_result_of_a_user_op() -> None:
    @T.as_op(itypes=[T.dvector], otypes=[T.dvector])
    def positive(x: Any) -> Any:
        return np.ma.masked_less(x, 0)

    f = eqsat.function([X], positive(X) * 2, mode="FAST_COMPILE")
    np.testing.assert_array_equal(f([1.0, 2.0]), [2, 4])
    with pytest.raises(ArgumentError, match="elements of a masked array are masked"):
        f([1.0, -2.0])
