"""Numbers are computed of ops that only rules have made: 0 times a length stayed a product, as its table was never read."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.graph.core import Constant

x = T.dvector("x")
OF_ZEROS = {
    "sum of zeros": (T.sum(T.zeros(2)), 0.0),
    "sum of minus zeros": (T.sum(T.full((3,), -0.0)), 0.0),
    "sum over an axis": (T.sum(T.zeros((2, 3))), 0.0),
    "extremum beside": (T.maximum(T.sum(T.zeros(3)), 1.0), 1.0),
}


@pytest.mark.parametrize("name", OF_ZEROS)
def test_is_a_number(name: str) -> None:
    written, number = OF_ZEROS[name]
    (found,) = eqsat.optimize(written).optimized
    assert isinstance(found, Constant) and float(np.asarray(found.data)) == number


def test_padding_is_not_summed() -> None:
    report = eqsat.optimize(T.sum(T.pad(x, (2, 3))))
    assert report.cost_after == eqsat.optimize(T.sum(x)).cost_after
    assert float(eqsat.function([x], T.sum(T.pad(x, (2, 3))))(np.array([1.0, 2.5]))) == 3.5
