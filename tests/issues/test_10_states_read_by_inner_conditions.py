"""A state that only the condition of a while-loop inside the step reads: the outer loop needs its new value all the same."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.scan import scan, until


@pytest.mark.parametrize("taken", [-1, slice(None)])
@pytest.mark.parametrize("bound", [0.5, 2.5])
def test_a_state_is_read_by_the_condition_of_a_loop_inside(taken: object, bound: float, mode: str) -> None:
    v, n = T.dvector("v"), T.lscalar("n")

    def step(h: T.Variable, count: T.Variable) -> list[T.Variable]:
        inner = scan(lambda k: (k + 1, until(h + k > bound)), outputs_info=T.constant(0), n_steps=4)[0]
        return [h * 0.5, count + inner.shape[0] + inner.sum()]

    counts = scan(step, outputs_info=[v[0], T.constant(0)], n_steps=n)[0][1]
    f = eqsat.function([v, n], counts[taken], mode=mode, on_unused_input="ignore")
    wanted, h, total = [], 3.0, 0
    for _ in range(3):
        steps = next((k + 1 for k in range(4) if h + k > bound), 4)
        h, total = h * 0.5, total + steps + sum(range(1, steps + 1))
        wanted.append(total)
    np.testing.assert_array_equal(f([3.0, 1.0], 3), np.array(wanted)[taken])  # type: ignore[call-overload]
