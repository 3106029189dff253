"""softmax and log_softmax over no axes: of a number with ``axis=None``, of anything with ``axis=()``. Each element is a row."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

import eqsat
import eqsat.tensor as T

CASES: list[tuple[tuple[int, ...], str]] = list(product([(), (3,), (2, 3), (0, 2)], ["float32", "float64"]))


def test_an_element_is_a_row(mode: str) -> None:
    inputs: list[Any] = [T.tensor(dtype, (None,) * len(shape)) for shape, dtype in CASES]
    values = [np.linspace(-800, 900, int(np.prod(s))).astype(dtype).reshape(s) for s, dtype in CASES]
    outputs: list[Any] = []
    for x, (shape, _) in zip(inputs, CASES, strict=True):
        axis: Any = () if shape else None
        logs = T.log_softmax(x, axis)
        outputs += [T.softmax(x, axis), logs, T.logsumexp(x, axis), T.grad(T.sum(logs * x), x)]
    found = eqsat.function(inputs, outputs, mode=mode)(*values)
    for k, (case, value) in enumerate(zip(CASES, values, strict=True)):
        one, zero, same, slope = found[4 * k : 4 * k + 4]
        shape, dtype = case
        np.testing.assert_array_equal(one, np.ones(shape, dtype), err_msg=f"softmax {case}")
        np.testing.assert_array_equal(zero, np.zeros(shape, dtype), err_msg=f"log_softmax {case}")
        np.testing.assert_array_equal(same, value, err_msg=f"logsumexp {case}")
        np.testing.assert_array_equal(slope, np.zeros(shape, dtype), err_msg=f"gradient {case}")
