"""A loop inside another stops at another step each time: its results depend on the outer loop, and so do their shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.scan import until

MODES = ["reference", "numpy", "FAST_RUN"]
X = np.array([[0, 1.0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]])


def counted(value: Any, x: Any) -> Any:
    """For each row of x the sum of a value over the steps up to the first element above one half."""

    def outer(row: Any) -> Any:
        values, _ = eqsat.scan(lambda a: (value(row), until(a > 0.5)), row)
        return T.sum(values, axis=0)

    return eqsat.scan(outer, x)[0]


@pytest.mark.parametrize("mode", MODES)
def test_what_is_stacked_does_not_change(mode: str) -> None:
    x, p = T.dmatrix("x"), T.dscalar("p")
    f = eqsat.function([x, p], counted(lambda row: p * 1.5, x), mode=mode)
    np.testing.assert_allclose(f(X, 2.0), [6, 12, 3])


@pytest.mark.parametrize("mode", MODES)
def test_stacks_of_several_lengths_are_not_stacked(mode: str) -> None:
    x = T.dmatrix("x")
    sums = counted(lambda row: row * 2, x)
    for outputs, want in ((sums, [X[0] * 4, X[1] * 8, X[2] * 2]), (sums[-1], X[2] * 2)):
        np.testing.assert_allclose(eqsat.function([x], outputs, mode=mode)(X), want)
