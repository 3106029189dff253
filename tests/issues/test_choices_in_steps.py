"""A choice is linear in two of three operands: the terms of sums in steps are ordered where one stands among them."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T


@pytest.mark.parametrize("mode", ["FAST_COMPILE", "FAST_RUN"])
def test_a_choice_in_a_step(mode: str) -> None:
    rows, first = T.dvector("rows"), T.dscalar("first")
    states, _ = eqsat.scan(lambda r, h: T.switch(h > 0.9, 0.5 * h + r * 0.25, r * h), rows, first)
    given = np.array([2.0, 0.5, -1.0, 3.0]), 1.5
    found, wanted = (eqsat.function([rows, first], states, mode=m)(*given) for m in (mode, "reference"))
    np.testing.assert_allclose(found, wanted, rtol=1e-14)
