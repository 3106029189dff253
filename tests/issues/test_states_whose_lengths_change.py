"""A state of one element whose new values have a length that only the call knows is memory of that length, no local variable.

One whose every step changes its length is refused in every mode.
"""

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


CHANGES: dict[str, Step] = {
    "a part": lambda h: h[1:] * 2,
    "every other": lambda h: h[::2],
    "a join": lambda h: T.concatenate([h, h]),
    "one more": lambda h: T.concatenate([h, T.zeros((1,))]),
    "differences": lambda h: T.diff(h),
}


@pytest.mark.parametrize("steps", [1, 3, 20])
@pytest.mark.parametrize("mode", ["numpy", "FAST_COMPILE", "FAST_RUN"])
@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.sampled(10)
def test_a_state_that_would_change_its_length_is_refused(name: str, mode: str, steps: int) -> None:
    states, _ = eqsat.scan(CHANGES[name], outputs_info=U, n_steps=steps)
    compute = eqsat.function([U], states[-1], mode=mode)
    with pytest.raises(ShapeError, match=r"a state has the shape \(5,\) before step 0 and \(\d+,\) after it"):
        compute(np.ones(5))


KEEPS: dict[str, Step] = {
    "a turn": lambda h: T.concatenate([h[1:], h[:1]]),
    "a shift": lambda h: T.concatenate([h[1:], T.zeros((1,))]),
}


@pytest.mark.parametrize("name", KEEPS)
def test_a_state_that_keeps_its_length_is_rewritten(name: str) -> None:
    states, _ = eqsat.scan(KEEPS[name], outputs_info=U, n_steps=2)
    assert "scan" not in str(eqsat.printing.debugprint(eqsat.optimize(states[-1]).optimized, file="str"))
    found = eqsat.function([U], states[-1])(np.arange(4.0))
    np.testing.assert_array_equal(found, [2, 3, 0, 1] if name == "a turn" else [2, 3, 0, 0])
