"""What is compared with its own largest element is stored, so that rounding cannot tell the two apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.functions.planning import plan_graph


def written(plan: Any) -> list[str]:
    """Names of the variables that kernels write."""
    return [
        r.variable.name or str(r.variable)
        for step in plan.steps
        if hasattr(step, "results")
        for r in step.results
    ]


@pytest.mark.parametrize("pick", [T.max, T.min])
def test_the_operand_of_a_compared_reduction_is_stored(pick: Any) -> None:
    x = T.dmatrix("x")
    inner = x * 1.5
    inner.name = "inner"
    grad = T.grad(pick(inner), x)
    assert "inner" in written(plan_graph([x], [grad], fused=True))
    assert "inner" not in written(plan_graph([x], [T.exp(inner - pick(inner))], fused=True))


@pytest.mark.parametrize("shape", [(3, 5), (7, 9), (1, 17), (64, 33)])
def test_gradients_of_the_largest_find_it(shape: tuple[int, int]) -> None:
    x = T.dmatrix("x")
    inner = T.tanh(T.sin(x) * 1.37) ** 2 + T.exp(-x * x)
    f = eqsat.function([x], [T.grad(inner.max(axis=1).sum(), inner), T.grad(T.min(inner), inner)])
    rng = np.random.default_rng(0)
    for _ in range(20):
        by_row, least = f(rng.normal(size=shape))
        np.testing.assert_array_equal(by_row.sum(axis=1), 1.0)
        assert least.sum() == 1.0
