"""1,000 random graphs give the same values in every mode; the tolerance is that of ``campaign.compare``."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat
from campaign import compare
from campaign.matrices import GRAPHS, grow

FUNCTIONS, AT_A_TIME = 125, 25  # of several graphs each
CASES = [(mode, first) for mode in ("FAST_COMPILE", "FAST_RUN") for first in range(0, FUNCTIONS, AT_A_TIME)]
# mode numpy has the e-graph of FAST_RUN
CASES += [("numpy", first) for first in range(0, FUNCTIONS // 2, AT_A_TIME)]
OF_NOTHING = {36}  # sum(v / n) of an empty v is 0, and sum(v) / n is NaN for n = 0: docs/rules.md


@pytest.mark.sweep
@pytest.mark.seed("K006")
@pytest.mark.parametrize(("mode", "first"), CASES)
def test_random_graphs_agree_with_the_reference(mode: str, first: int) -> None:
    assert FUNCTIONS * GRAPHS >= 1000
    for seed in {*range(first, first + AT_A_TIME)} - (OF_NOTHING if mode != "FAST_COMPILE" else set()):
        agrees(seed, mode)


def agrees(seed: int, mode: str) -> None:
    """Refuse results that differ from those of the graphs as written, and inputs that change."""
    inputs, values, outputs = grow(seed)
    data = dict(zip(inputs, values, strict=True))
    wanted = compare.evaluate(outputs, data)
    plain = eqsat.function(inputs, outputs, mode="reference", on_unused_input="ignore")(*values)
    for a, b in zip(plain, wanted, strict=True):
        np.testing.assert_array_equal(a, b)
    rewritten = mode != "FAST_COMPILE"
    moved = compare.spread(outputs, data, seed, rewritten)
    f = eqsat.function(inputs, outputs, mode=mode, on_unused_input="ignore")
    copies = [v.copy() for v in values]
    results = f(*values)
    for v, c in zip(values, copies, strict=True):
        np.testing.assert_array_equal(v, c)
    for k, (ours, ref) in enumerate(zip(results, wanted, strict=True)):
        wrong = compare.difference(ours, ref, moved[k], rewritten)
        text = eqsat.printing.debugprint(outputs[k], file="str")
        assert wrong is None, f"seed {seed}, output {k} {wrong}:\n{text}"
