"""Gradients of loops whose rewrites once bred new forms without end saturate."""

from __future__ import annotations

import pytest

import eqsat
import eqsat.tensor as T
from campaign.scans.random_programs import grow
from campaign.scans.slopes import Slopes


@pytest.mark.parametrize("seed", [52, 67, 72, 93])
def test_moves_and_parts_of_what_is_known_end(seed: int) -> None:
    graph, cost, wrt = Slopes(grow(seed, smooth=True)).graph()
    report = eqsat.optimize(T.grad(cost, wrt, disconnected_inputs="ignore"))
    assert graph.inputs and report.budgets == []


@pytest.mark.parametrize("index", [slice(None, None, -1), slice(0, 1), slice(-1, None)], ids=str)
def test_a_row_of_all_that_an_axis_of_length_one_has(index: slice) -> None:
    x = T.dmatrix("x")
    assert eqsat.optimize(x.dimshuffle("x", 0, 1)[index][0]).optimized == [x]
