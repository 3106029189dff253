"""The gradient of a softmax that is shifted by hand does not run through the largest element: what reaches it adds up to 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.graph.walk import toposort

X, W = T.dmatrices("x", "w")
VALUES = np.array([[1000.0, 999.0, -1000.0], [3.0, 3.0, 3.0], [0.5, -0.5, 0.0]])
WEIGHTS = np.array([[1.0, -2.0, 3.0], [0.5, 0.25, -1.0], [2.0, 0.0, 1.0]])
Form = Callable[[Any], Any]


def shares(x: Any) -> Any:
    powers = T.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def logarithms(x: Any) -> Any:
    shifted = x - x.max(axis=1, keepdims=True)
    return shifted - T.log(T.exp(shifted).sum(axis=1, keepdims=True))


FORMS: dict[str, tuple[Form, Form]] = {
    "softmax": (shares, lambda x: T.softmax(x, axis=1)),
    "log_softmax": (logarithms, lambda x: T.log_softmax(x, axis=1)),
    "log of softmax": (lambda x: T.log(shares(x)), lambda x: T.log_softmax(x, axis=1)),
}


@pytest.mark.parametrize("name", FORMS)
def test_gradient_of_a_shifted_softmax(name: str) -> None:
    by_hand, of_op = (T.grad((W * form(X)).sum(), X) for form in FORMS[name])
    found = {node.op.name for node in toposort(eqsat.optimize(by_hand).optimized)}
    assert not found & {"max", "eq", "switch"}
    compute, plain = (
        eqsat.function([X, W], g, mode=m) for g, m in ((by_hand, "numpy"), (of_op, "reference"))
    )
    np.testing.assert_allclose(compute(VALUES, WEIGHTS), plain(VALUES, WEIGHTS), rtol=1e-13, atol=1e-15)
