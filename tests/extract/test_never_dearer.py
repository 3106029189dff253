"""What ``optimize`` gives costs no more than what was written, unless it is more stable: on random expressions and gradients."""

from __future__ import annotations

from typing import Any

import pytest

import eqsat
import eqsat.tensor as T
from campaign.expressions import expression

QUICK = (5005, 5006, 5008)  # lengths that only some forms of a value show
SWEEP = range(6000, 6060)


def outputs(seed: int) -> tuple[Any, list[Any]]:
    x, y = T.dmatrix("x"), T.dmatrix("y")
    made = expression(seed, x, y)
    return made, [made, *T.grad(made, [x, y], disconnected_inputs="ignore")]


def check(seed: int) -> None:
    for wanted in outputs(seed):
        report = eqsat.optimize(wanted, seconds=1.0)
        dearer = report.cost_after > report.cost_before * (1 + 1e-9)
        assert not dearer or report.unstable_after < report.unstable_before, (seed, str(report))


@pytest.mark.parametrize("seed", QUICK)
def test_no_dearer_unless_more_stable(seed: int) -> None:
    check(seed)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", SWEEP)
def test_no_dearer_unless_more_stable_on_many(seed: int) -> None:
    check(seed)
