"""1,000 random graphs give the same values in every mode; the tolerance is that of ``campaign.compare``."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import eqsat
from campaign import compare
from campaign.matrices import grow

EXAMPLES = 125


@pytest.mark.sweep
@pytest.mark.seed("K006")
@pytest.mark.parametrize("mode", ["numpy", "FAST_COMPILE", "FAST_RUN"])
def test_random_graphs_agree_with_the_reference(mode: str) -> None:
    @settings(
        max_examples=EXAMPLES, deadline=None, derandomize=True, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(st.integers(0, 2**32))
    def check(seed: int) -> None:
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

    check()
