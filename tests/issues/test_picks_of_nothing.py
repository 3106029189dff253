"""An index array is checked where the axes before its own have no elements, too; ratios of numbers of both signs are NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import BoundsError

X, I = T.dmatrix("x"), T.lvector("i")
OUTPUTS: dict[str, Any] = {
    "columns": X[:, I],
    "columns in a kernel": T.exp(X[:, I]) * 2,
    "columns that are summed": T.sum(X[:, I], axis=0),
    "columns that are added to": T.inc_subtensor(X[:, I], 1.0),
    "columns that are set": T.set_subtensor(X[:, I], 1.0),
}


@pytest.mark.parametrize("mode", ["numpy", "FAST_COMPILE", "FAST_RUN"])
@pytest.mark.parametrize("name", OUTPUTS)
def test_columns_of_no_rows(name: str, mode: str) -> None:
    compute = eqsat.function([X, I], OUTPUTS[name], mode=mode)
    compute(np.zeros((0, 3)), [2, -3])
    compute(np.zeros((0, 0)), np.zeros(0, "int64"))
    for outside in (3, -4):
        with pytest.raises(BoundsError, match=f"index {outside} is outside axis 1, which has length 3"):
            compute(np.zeros((0, 3)), [0, outside])


@pytest.mark.parametrize("start", [2.0, -2.0])
def test_ratios_of_numbers_of_both_signs(start: float) -> None:
    stops = np.array([-1.0, 1.0, 3.0, -8.0])
    with np.errstate(invalid="ignore"):
        wanted = np.geomspace(start, stops, 4)
    a, b = T.dscalar("a"), T.dvector("b")
    found = eqsat.function([a, b], T.geomspace(a, b, 4), mode="numpy")(start, stops)
    np.testing.assert_allclose(found, wanted, rtol=1e-14)
