"""The larger of a tensor and itself is the tensor; rules on what two operands share must not breed it out of itself."""

from __future__ import annotations

import pytest

import eqsat
import eqsat.tensor as T

x, y = T.dvectors("x", "y")
below, ramp = x < 3.0, T.maximum(x * 2.0, 0.0)
PROGRAMS = [
    (below & below, below),
    (T.minimum(ramp - x, ramp - x), ramp - x),
    (T.maximum(T.exp(x * y), T.exp(x * y)), T.exp(x * y)),
    (~(below | below) & ~below, ~below),
]


@pytest.mark.parametrize("program,simpler", PROGRAMS)
def test_it_ends_and_costs_no_more(program: object, simpler: object) -> None:
    found, wanted = eqsat.optimize(program), eqsat.optimize(simpler)
    assert found.cost_after <= wanted.cost_after * 1.0001
