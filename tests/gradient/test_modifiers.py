"""Ops that change gradients and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, DisconnectedInputError
from eqsat.graph.walk import toposort
from eqsat.pipeline.preparation import prepare
from tests.reference import evaluate

ALL: list[Any] = [
    lambda x: T.grad_clip(x, -1, 1), lambda x: T.grad_scale(x, -2), T.zero_grad, T.disconnected_grad, T.consider_constant,
]  # fmt: skip


def test_values_pass_and_gradients_change_in_every_mode(mode: str) -> None:
    x = T.dvector("x")
    outs = [(f(x) * [5.0, -0.5]).sum() for f in ALL]
    grads = [T.grad(out, x, disconnected_inputs="ignore") for out in outs]
    found = eqsat.function([x], [*outs, *grads], mode=mode)([2.0, 3.0])
    assert [float(v) for v in found[:5]] == [8.5] * 5
    assert [v.tolist() for v in found[5:]] == [[1, -0.5], [-10, 1], [0, 0], [0, 0], [0, 0]]


def test_second_derivatives() -> None:
    x = T.dscalar("x")
    for f, wanted in zip(ALL, [1, 8, 0, 0, 0], strict=True):
        first = T.grad(f(x) ** 2, x, disconnected_inputs="ignore")
        second = T.grad(first, x, disconnected_inputs="ignore")
        assert evaluate([second], {x: 0.25})[0] == wanted


def test_a_disconnected_variable_is_reported_and_a_zero_one_is_not() -> None:
    x = T.dscalar("x")
    with pytest.raises(DisconnectedInputError):
        T.grad(T.disconnected_grad(x), x)
    assert T.grad(T.disconnected_grad(x), x, disconnected_inputs="ignore", return_disconnected="None") is None
    assert evaluate([T.grad(T.zero_grad(x), x)], {x: 1.0}) == [0]
    assert evaluate([T.grad(x * T.disconnected_grad(x), x)], {x: 3.0}) == [3]


def test_a_compiled_graph_does_not_hold_them_and_rules_see_through() -> None:
    x = T.dvector("x")
    out = x
    for f in ALL:
        out = f(out)
    hidden = T.log(T.grad_clip(T.exp(out), -1, 1))
    optimized = eqsat.optimize([hidden, out]).optimized
    assert optimized == [x, x]
    assert [node.op.name for node in toposort(prepare([T.exp(out), out]))] == ["exp"]
    for mode in ("numpy", "FAST_COMPILE", "FAST_RUN"):
        y, same = eqsat.function([x], [T.exp(out), out], mode=mode)([1.0, 2.0])
        np.testing.assert_allclose(y, np.exp([1, 2]))
        assert same.tolist() == [1, 2]


def test_integers_pass() -> None:
    i = T.lvector("i")
    assert [evaluate([f(i)], {i: np.array([3])})[0].tolist() for f in ALL] == [[3]] * 5


def test_float32_stays() -> None:
    x = T.fscalar("x")
    for f in ALL:
        assert T.grad(f(x) * 2, x, disconnected_inputs="ignore").dtype == "float32"


def test_mistakes() -> None:
    x = T.dscalar("x")
    with pytest.raises(
        ArgumentError, match=r"grad_clip: the lower bound 1\.0 is above the upper bound -1\.0"
    ):
        T.grad_clip(x, 1, -1)
    with pytest.raises(ArgumentError, match="grad_scale: 'a' is not a number"):
        T.grad_scale(x, "a")
