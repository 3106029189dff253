"""Gradients of loops of no steps: an error that names the loop and the line, or the gradient of the initial value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import BoundsError

X, W, h0 = T.dmatrix("X"), T.dmatrix("W"), T.dvector("h0")
VALUES = (np.zeros((0, 2)), np.eye(2) / 2, np.ones(2))
MODES = (
    "reference",
    "numpy",
    pytest.param("FAST_COMPILE", marks=pytest.mark.c),
    pytest.param("FAST_RUN", marks=pytest.mark.c),
)
STEPS: dict[str, Callable[..., Any]] = {
    "tanh": lambda x, h, w: T.tanh(x + T.dot(h, w)),
    "linear": lambda x, h, w: x + T.dot(h, w),
}


def states(step: str, **options: Any) -> Any:
    return eqsat.scan(STEPS[step], sequences=X, outputs_info=h0, non_sequences=W, **options)[0]


def gradients(cost: Any, mode: str) -> list[Any]:
    return eqsat.function([X, W, h0], T.grad(cost, [X, W, h0]), mode=mode, on_unused_input="ignore")(*VALUES)  # type: ignore[no-any-return]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("options", [{}, {"go_backwards": True}, {"truncate_gradient": 2}], ids=str)
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.sampled(6)
def test_the_last_state(step: str, options: dict[str, Any], mode: str) -> None:
    """With a cost that needs its value it is an error in every mode; else rewriting may need no output at all."""
    with pytest.raises(
        BoundsError, match=r"index -1 is outside axis 0, which has length 0\n.*made at test_10_loops"
    ):
        gradients(T.sum(T.exp(states("tanh", **options)[-1])), mode)
    try:
        found = gradients(T.sum(states(step, **options)[-1]), mode)
    except BoundsError as error:
        assert "made at test_10_loops_of_no_steps.py" in str(error)
    else:
        truncated = options.get("truncate_gradient")
        assert [g.tolist() for g in found[:2]] == [[], [[0.0, 0.0], [0.0, 0.0]]]
        assert found[2].tolist() in ([[1.0, 1.0], [0.0, 0.0]] if truncated else [[1.0, 1.0]])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.sampled(2)
def test_all_states(step: str, mode: str) -> None:
    """A sum over no states does not depend on anything."""
    for cost in (T.sum(states(step) ** 2), T.sum(states(step)), T.sum(states(step)[1:])):
        found = gradients(cost, mode)
        assert [g.tolist() for g in found] == [[], [[0.0, 0.0], [0.0, 0.0]], [0.0, 0.0]]


@pytest.mark.parametrize("mode", MODES)
def test_steps_that_are_never_run_need_not_have_a_value(mode: str) -> None:
    z = T.dvector("z")
    slope = T.grad((z**3).sum(), z)
    rows = eqsat.scan(lambda i, z: z[i] * z, sequences=T.arange(z.shape[0]), non_sequences=[z])[0]
    hessian = eqsat.scan(
        lambda i, y, z: T.grad(y[i], z), sequences=T.arange(slope.shape[0]), non_sequences=[slope, z]
    )[0]
    compute = eqsat.function([z], [rows, hessian], mode=mode)
    assert [v.shape for v in compute(np.zeros(0))] == [(0, 0), (0, 0)]
    np.testing.assert_allclose(compute([1.0, 2.0]), [[[1, 2], [2, 4]], [[6, 0], [0, 12]]])
