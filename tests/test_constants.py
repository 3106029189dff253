"""What depends on constants alone is computed when the function is made, and not in its calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.functions.constants import with_constants
from eqsat.graph.walk import toposort


def ops(f: Any) -> list[str]:
    return [str(node.op) for node in toposort(f.outputs_optimised)]


TABLE = np.linspace(0.5, 2.0, 12).reshape(4, 3)


def test_a_call_does_not_compute_what_is_constant(mode: str) -> None:
    x = T.dmatrix("x")
    weight = T.exp(T.constant(TABLE)) / T.sum(T.exp(T.constant(TABLE)), axis=0)
    f = eqsat.function([x], [T.dot(x, weight), weight], mode=mode)
    wanted = np.exp(TABLE) / np.exp(TABLE).sum(0)
    for _ in range(2):
        product, alone = f(np.ones((2, 4)))
        np.testing.assert_allclose(product, np.ones((2, 4)) @ wanted, rtol=1e-14)
        np.testing.assert_allclose(alone, wanted, rtol=1e-14)
        alone[:] = 0  # the caller's own
    if mode in ("FAST_RUN", "numpy"):
        assert ops(f) == ["dot"]


def test_stable_forms_come_first() -> None:
    c = T.constant(np.array([800.0, 801.0]))
    f = eqsat.function([], T.log(T.sum(T.exp(c))))
    np.testing.assert_allclose(f(), 801.3132616875182, rtol=1e-15)


def test_what_takes_more_memory_than_its_operands_stays() -> None:
    x = T.dmatrix("x")
    row = T.constant(np.arange(300.0))
    made = with_constants([x + T.exp(row[:, None] * row[None, :] / 1e5)])
    assert "exp" in {str(node.op) for node in toposort(made)}, "720 kB of a table of 2.4 kB"
    assert "exp" not in {
        str(n.op) for n in toposort(with_constants([x + T.exp(row[:20, None] * row[None, :20])]))
    }


def test_views_stay_and_types_are_kept() -> None:
    x = T.dmatrix("x")
    outputs = [x + T.constant(np.arange(3.0)), x * 2]
    assert with_constants(outputs) is not outputs
    assert [a is b for a, b in zip(with_constants(outputs), outputs, strict=True)] == [True, True]
    (made,) = with_constants([T.sqrt(T.constant(np.ones((1, 3), "float32")))])
    assert made.type == T.sqrt(T.constant(np.ones((1, 3), "float32"))).type and made.data.dtype == "float32"


def test_an_error_waits_for_the_call() -> None:
    x = T.dvector("x")
    singular = T.linalg.inv(T.constant(np.zeros((2, 2))))
    f = eqsat.function([x], T.dot(singular, x))
    with pytest.raises((eqsat.errors.EqsatError, np.linalg.LinAlgError)):
        f([1.0, 2.0])
