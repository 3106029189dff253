"""300 random composite expressions: first and second derivatives against finite differences."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from campaign.expressions import agree, directions, expression, point
from tests.reference import functions_of_modes

COUNT = 300
COMPILED = 50  # of them also in the modes that rewrite
GROUP = 10  # expressions in one compiled function


@pytest.mark.sweep
@pytest.mark.parametrize("first", range(0, COUNT, 50))
def test_derivatives_are_those_of_differences(first: int) -> None:
    x, y, u, v = T.dmatrices("x", "y", "u", "v")
    options: dict[str, Any] = {"mode": "reference", "on_unused_input": "ignore"}
    fair = 0
    for seed in range(first, first + 50):
        cost = expression(seed, x, y)
        dx, dy = T.grad(cost, [x, y])
        second = T.grad((dx * u).sum() + (dy * v).sum(), [x, y], disconnected_inputs="ignore")
        value, slope = (eqsat.function([x, y], outs, **options) for outs in ([cost], [dx, dy]))
        gx, gy, *curved = eqsat.function([x, y, u, v], [dx, dy, *second], **options)(
            *point(seed), *directions(seed, 1)[0]
        )
        smooth = [agree(value, seed, a, b, [np.sum(gx * a) + np.sum(gy * b)]) for a, b in directions(seed, 4)]
        smooth.append(agree(slope, seed, *directions(seed, 1)[0], curved))
        fair += all(smooth)
    assert fair >= 46, fair


@pytest.mark.sweep
@pytest.mark.seed("J007")
@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_the_chain_rule_holds_in_three_modes(mode: str) -> None:
    fair: Counter[int] = Counter()
    for start in range(0, COMPILED, GROUP):
        x, y = T.dmatrices("x", "y")
        costs = [expression(seed, x, y) for seed in range(start, start + GROUP)]
        grads = [g for cost in costs for g in T.grad(cost, [x, y])]
        runs = functions_of_modes([x, y], grads, mode)
        values = [eqsat.function([x, y], [c], mode="reference", on_unused_input="ignore") for c in costs]
        for k, seed in enumerate(range(start, start + GROUP)):
            for n, run in enumerate(runs):
                gx, gy = run(*point(seed))[2 * k : 2 * k + 2]
                fair[n] += all(
                    agree(values[k], seed, a, b, [np.sum(gx * a) + np.sum(gy * b)])
                    for a, b in directions(seed, 20)
                )
    assert min(fair.values()) >= COMPILED - 4, fair


@pytest.mark.sweep
@pytest.mark.seed("J008")
@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_second_derivatives_in_three_modes(mode: str) -> None:
    x, y, u, v = T.dmatrices("x", "y", "u", "v")
    fair: Counter[int] = Counter()
    for start in (100, 105):
        firsts = [T.grad(expression(seed, x, y), [x, y]) for seed in range(start, start + 5)]
        seconds = [
            g for dx, dy in firsts
            for g in T.grad(T.dot(dx.flatten(), u.flatten()) + T.dot(dy.flatten(), v.flatten()), [x, y], disconnected_inputs="ignore")
        ]  # fmt: skip
        runs = functions_of_modes([x, y, u, v], seconds, mode)
        for k, seed in enumerate(range(start, start + 5)):
            slope = eqsat.function([x, y], firsts[k], mode="reference", on_unused_input="ignore")
            a, b = directions(seed, 1)[0]
            for n, run in enumerate(runs):
                fair[n] += agree(slope, seed, a, b, run(*point(seed), a, b)[2 * k : 2 * k + 2])
    assert min(fair.values()) >= 8, fair
