"""Random graphs give on the emulated device what they give as written in NumPy, and the same bits in both orders of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
from campaign import compare
from campaign.matrices import GRAPHS, grow
from eqsat.base.configuration import config
from tests.cuda.orders import in_both_orders

pytestmark = [pytest.mark.c, pytest.mark.cuda]
FUNCTIONS, AT_A_TIME = 64, 8  # of several graphs each: the compiler is called once for all of a function
FEW = 2 * AT_A_TIME  # in each mode some, in every test; the others are left to the sweeps
SEEDS = [
    pytest.param(first, marks=pytest.mark.sweep if first >= FEW else ())
    for first in range(0, FUNCTIONS, AT_A_TIME)
]


@pytest.mark.parametrize("first", SEEDS)
def test_random_graphs_agree_with_the_graph_as_written(first: int) -> None:
    assert FUNCTIONS * GRAPHS >= 500
    for seed in range(first, first + AT_A_TIME):
        mode = "FAST_RUN" if seed % 4 == 0 else "FAST_COMPILE"
        wrong = faults(seed, mode)
        assert not wrong, f"seed {seed}, {mode}: {wrong}"


@pytest.mark.sweep
@pytest.mark.parametrize("first", range(FUNCTIONS, 2 * FUNCTIONS, AT_A_TIME))
def test_more_random_graphs_agree_in_both_modes_by_turns(first: int) -> None:
    for seed in range(first, first + AT_A_TIME):
        mode = ("FAST_RUN", "FAST_COMPILE")[seed % 2]
        wrong = faults(seed, mode)
        assert not wrong, f"seed {seed}, {mode}: {wrong}"


def faults(seed: int, mode: str) -> dict[int, str]:
    """The results of random graphs that differ from those of the graphs as written."""
    inputs, values, outputs = grow(seed)
    with config.change_flags(cuda_device="emulated"):
        f = eqsat.function(inputs, outputs, mode=mode, on_unused_input="ignore", target="cuda")
    assert f.cuda_source is not None
    found, rewritten = in_both_orders(f, values), mode == "FAST_RUN"
    wrong = differences(found, inputs, values, outputs, rewritten, compare.DRAWS)
    if wrong:  # it looks so: more draws tell
        wrong = differences(found, inputs, values, outputs, rewritten, compare.CONFIRMING)
    return wrong


def differences(
    found: Any, inputs: Any, values: Any, outputs: Any, rewritten: bool, draws: int
) -> dict[int, str]:
    """The outputs that are off by more than rounding moves them, and how."""
    given = dict(zip(inputs, values, strict=True))
    with np.errstate(all="ignore"):
        wanted = compare.evaluate(outputs, given)
        moved = compare.spread(outputs, given, 0, rewritten, draws)
    both = [compare.difference(a, b, m, rewritten) for a, b, m in zip(found, wanted, moved, strict=True)]
    return {k: text for k, text in enumerate(both) if text is not None}
