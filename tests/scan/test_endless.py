"""Loops that nothing but their condition ends: no array is made of all the steps that they might make."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.scan import until
from eqsat.tensor import TensorVariable

V, W, STOP = T.dvector("v"), T.dvector("w"), T.lscalar("stop")
VALUES = (np.arange(5.0), np.arange(3.0), 4)


def total(j: TensorVariable | int) -> TensorVariable:
    """The sum of v[k] * w[j] for k below a number."""

    def step(s: TensorVariable, k: TensorVariable) -> object:
        return [s + V[k] * W[j], k + 1], until(T.ge(k + 1, STOP))

    (sums, _), _ = eqsat.scan(step, outputs_info=[T.constant(0.0), T.constant(0)], n_steps=2**62)
    return sums[-1]


@pytest.mark.parametrize("mode", ["numpy", "FAST_RUN"])
def test_a_sum_that_could_be_taken_of_all_rows(mode: str) -> None:
    assert eqsat.function([V, W, STOP], total(1), mode=mode)(*VALUES) == 6.0


@pytest.mark.parametrize("mode", ["numpy", "FAST_RUN"])
def test_such_a_loop_in_another(mode: str) -> None:
    def step(s: TensorVariable, j: TensorVariable) -> list[TensorVariable]:
        return [s + total(j), j + 1]

    (sums, _), _ = eqsat.scan(step, outputs_info=[T.constant(0.0), T.constant(0)], n_steps=3)
    assert eqsat.function([V, W, STOP], sums[-1], mode=mode)(*VALUES) == 18.0


def test_a_bound_on_memory_holds_for_the_steps_of_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eqsat.config, "memory_bound", 1 << 20)
    assert eqsat.function([V, W, STOP], total(2), mode="FAST_RUN")(*VALUES) == 12.0
