"""The last value of a state read through taps is an initial value, from which the state itself begins."""

from __future__ import annotations

import numpy as np

import eqsat
import eqsat.tensor as T
from eqsat.graph.walk import toposort


def test_the_initial_value_is_chosen_before_the_loop_that_starts_from_it() -> None:
    before, new = T.lvector("before"), T.lscalar("new")
    (_, late), _ = eqsat.scan(
        lambda h: [new, h], outputs_info=[{"initial": before, "taps": [-3]}, None], n_steps=2
    )
    report = eqsat.optimize(late[-1])
    assert {node.op.name for node in toposort(report.optimized)} <= {"subtensor", "first_rows"}
    f = eqsat.function([before, new], late[-1], on_unused_input="ignore")
    assert f(np.array([5, 6, 7]), 1) == 6
