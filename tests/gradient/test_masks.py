"""Gradients through choices: 0 where a branch is not taken, whatever stands in it, and stable where it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

x, w = T.dvectors("x", "w")
BRANCHES: dict[str, Callable[[Any], Any]] = {
    "negated twice": lambda x: T.sqrt(T.neg(-T.log(x))),
    "a sum of two uses": lambda x: T.log(x) * T.sqrt(T.log(x) + 3 * T.log(x)),
    "another dtype": lambda x: T.sqrt(T.cast(T.log(x), "float32")),
    "a difference": lambda x: T.sqrt(T.log(x) - 0.25),
    "a multiple": lambda x: T.sqrt(2 * T.log(x)) / 3,
    "a power": lambda x: T.log(x) ** 0.5,
    "a choice within": lambda x: T.where(x > 3, 1 / T.log(x), T.sqrt(T.log(x))),
    "a maximum": lambda x: T.sqrt(T.maximum(T.log(x), 0.1)),
}


@pytest.mark.parametrize("mode", ["reference", "numpy"])
@pytest.mark.parametrize("name", BRANCHES)
def test_nothing_comes_from_a_branch_that_is_not_taken(name: str, mode: str) -> None:
    f = BRANCHES[name]
    guarded, open_ = T.where(x > 1, f(x), w).sum(), f(x).sum()
    found = eqsat.function([x, w], eqsat.grad(guarded, [x, w]), mode=mode)
    taken = eqsat.function([x], eqsat.grad(open_, x), mode="reference")
    given = np.array([0.0, -1.0, 2.0, 5.0])
    slopes, others = found(given, np.zeros(4))
    np.testing.assert_array_equal(slopes[:2], 0)
    np.testing.assert_allclose(slopes[2:], taken(given[2:]), rtol=1e-6)
    np.testing.assert_array_equal(others, [1, 1, 0, 0])


def test_a_mask_is_put_on_once() -> None:
    """The steps of the chain rule in between have none: it would hide them from rules."""
    slope = eqsat.grad(T.where(x > 0, w, T.log(T.erfc(T.sin(x) * 2))).sum(), x)
    ops = [node.op.name for node in eqsat.FunctionGraph([x, w], [slope], clone=False).toposort()]
    assert ops.count("switch") <= 2  # one is in the cost, whose shape the gradient has


def test_a_stable_form_behind_a_choice() -> None:
    """Censored values: the slope of the logarithm of a tail is finite however far out."""
    seen = T.vector("seen", dtype="bool")
    scale = T.dscalar("scale")
    z = (x - w) / T.exp(scale)
    cost = -T.switch(seen, -0.5 * z**2, T.log(0.5 * T.erfc(z / np.sqrt(2)))).sum()
    found = eqsat.function([x, w, scale, seen], eqsat.grad(cost, x))
    got = found([0.5, 60.0, 1.0], [0.0] * 3, 0.0, np.array([False, False, True]))
    tail = np.exp(-0.5 * 0.25) / np.sqrt(2 * np.pi) / 0.3085375387259869
    np.testing.assert_allclose(got, [tail, 60.01665741, 1.0], rtol=1e-6)
