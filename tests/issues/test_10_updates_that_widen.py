"""A refused update says where its doubles began, also outside of the aliases, where no variable has a truth value."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import DTypeError


@pytest.mark.parametrize("scaled", [lambda w: w * 0.1, lambda w: w - 0.1 * T.grad(T.sum(w**2), w)])
def test_the_expression_and_the_ways_out_are_named(scaled: object) -> None:
    w = eqsat.shared(np.ones(2, "float32"), name="w")
    with pytest.raises(DTypeError, match=r"(?s)float64, not float32.*float64 since.*mul of .*weak_scalars"):
        eqsat.function([], [], updates=[(w, scaled(w))])  # type: ignore[operator]
