"""Lengths that are reckoned with give no values to what stands inside a loop."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T


@pytest.mark.parametrize("mode", ["numpy", "FAST_RUN"])
def test_a_jacobian_by_hand(mode: str) -> None:
    x, v = T.dvectors("x", "v")
    y = x[:4]
    rows = eqsat.scan(lambda i, y, x: T.grad(y[i], x), sequences=T.arange(y.shape[0]), non_sequences=[y, x])[
        0
    ]
    f = eqsat.function([x, v], T.dot(rows, v), on_unused_input="ignore", mode=mode)
    np.testing.assert_array_equal(f(np.arange(6.0), np.ones(6)), np.ones(4))


def test_an_element_of_a_known_range() -> None:
    x = T.dvector("x")
    picked = eqsat.scan(lambda i: x[i + 1] * i, sequences=T.arange(x[:3].shape[0] - 1))[0]
    assert eqsat.function([x], picked)([1.0, 2.0, 4.0, 8.0]).tolist() == [0.0, 4.0]
