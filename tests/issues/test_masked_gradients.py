"""A branch that is not taken has no part in the gradient, even where its derivative is infinite, in every mode."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

CASES: list[Any] = [
    (lambda x: T.switch(x > 0, x * T.log(x), 0), [-1.0, 0.0, 2.0], [0.0, 0.0, 1 + np.log(2.0)]),
    (lambda x: T.switch(x > 0, T.sqrt(x), 0), [-1.0, 0.0, 4.0], [0.0, 0.0, 0.25]),
    (lambda x: T.switch(x <= 0, 0, 1 / x), [0.0, 2.0], [0.0, -0.25]),
]


@pytest.mark.seed("H027")
@pytest.mark.parametrize(("build", "data", "wanted"), CASES)
def test_gradients_of_choices(build: Any, data: Any, wanted: Any, mode: str) -> None:
    x = T.dvector("x")
    np.testing.assert_allclose(eqsat.function([x], T.grad(build(x).sum(), x), mode=mode)(data), wanted)
