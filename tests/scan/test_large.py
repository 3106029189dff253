"""Many loops, many states, deep and long loops: they compile within the budgets, and agree with the reference."""

from __future__ import annotations

from typing import Any

import numpy as np

import eqsat
import eqsat.tensor as T
from eqsat.scan import scan

X = T.dmatrix("X")
VALUES = np.random.default_rng(0).normal(size=(12, 5))


def agrees(outputs: list[Any]) -> None:
    """In C as op by op in NumPy, with no budget spent."""
    f = eqsat.function([X], outputs)
    expected = eqsat.function([X], outputs, mode="reference")(VALUES)
    for have, want in zip(f(VALUES), expected, strict=True):
        np.testing.assert_allclose(have, want, rtol=1e-9, atol=1e-12)
    assert f.report is not None and not f.report.budgets


def test_forty_loops_of_different_lengths_in_one_graph() -> None:
    outputs, h = [], T.zeros((5,))
    for k in range(40):
        states, _ = scan(lambda r, h, k=k: T.tanh(r * (k + 1) * 0.1 + h), X[k % 7 :], h)
        outputs.append(states.sum())
        h = states[-1] * 0.5 if k % 3 else T.zeros((5,))
    agrees(outputs)


def test_sixty_states_in_one_loop() -> None:
    def step(r: Any, *h: Any) -> list[Any]:
        return [T.tanh(r * (k + 1) + h[k] + 0.1 * h[(k + 1) % 60]) for k in range(60)]

    states, _ = scan(step, X, [T.zeros((5,))] * 60)
    agrees([s[-1] for s in states])


def test_a_loop_three_deep_with_its_gradient() -> None:
    def middle(row: Any, start: Any) -> Any:
        def inner(u: Any, v: Any) -> Any:
            return scan(lambda p, q: T.tanh(p * q + u), row, v)[0][-1]

        return scan(inner, row, start)[0][-1]

    states, _ = scan(middle, X, T.constant(0.3, dtype="float64"))
    agrees([states, T.grad(states.sum(), X)])


def test_ten_thousand_steps() -> None:
    states, _ = scan(
        lambda h: T.tanh(h * 1.1) + X[0, 0], None, T.constant(0.3, dtype="float64"), n_steps=10_000
    )
    agrees([states])
