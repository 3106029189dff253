"""A state of one element whose new values have a length that only the call knows is memory of that length, no local variable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ShapeError

U, XS, Z = T.dvectors("u", "xs", "z")
FIRST = T.tensor("float64", (1,), "first")
Step = Callable[..., Any]
STEPS: dict[str, Step] = {
    "the same at all times": lambda x, h, s: [U, T.tanh(s + h[-1])],
    "another at each step": lambda x, h, s: [U * x, T.tanh(s + h[-1])],
}


@pytest.mark.parametrize("length", [1, 2, 5])
@pytest.mark.parametrize("name", STEPS)
def test_a_state_of_one_element(name: str, length: int) -> None:
    states, _ = eqsat.scan(STEPS[name], XS, [FIRST, T.zeros(())])
    output = [states[0][-1], states[1].sum()]
    given = np.array([0.5, -1.0, 2.0]), np.linspace(1, 2, length), np.array([0.25])
    found, wanted = (eqsat.function([XS, U, FIRST], output, mode=m)(*given) for m in ("FAST_RUN", "numpy"))
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)


def test_lengths_that_the_type_knows_are_checked() -> None:
    first = T.tensor("float64", (3,), "first")
    states, _ = eqsat.scan(
        lambda x, h, k, s: [k, U * x + k[0], T.tanh(s + h[-1])], XS, [first, U, T.zeros(())]
    )
    compute = eqsat.function([XS, U, first], [states[0][-1], states[2][-1]])
    with pytest.raises(ShapeError, match=r"a state has the shape \(3,\) before step 0 and \(5,\) after it"):
        compute(np.ones(3), np.ones(5), np.ones(3))
