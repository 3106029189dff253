"""A vector of one number that is made inside a kernel stands for every index of the kernel's space."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

x = T.vector("x")
CASES = {
    "a length as a vector": x * T.stack([x.shape[0]]),
    "a number of kinds": x * T.unique(T.floor(x)).size,
    "a joined part": x * T.concatenate([x[:0].reshape((0,)), T.stack([x.sum()])]),
}


@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE"])
@pytest.mark.parametrize("name", CASES)
def test_all_elements_are_written(name: str, mode: str) -> None:
    made, wanted = (eqsat.function([x], CASES[name], mode=m) for m in (mode, "reference"))
    for n in (1, 4, 100):
        np.testing.assert_allclose(made(np.arange(n) / 7.0), wanted(np.arange(n) / 7.0))
