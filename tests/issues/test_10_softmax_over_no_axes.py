"""softmax and log_softmax over no axes: of a number with ``axis=None``, of anything with ``axis=()``. Each element is a row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 2)])
def test_an_element_is_a_row(shape: tuple[int, ...], dtype: str, mode: str) -> None:
    x: Any = T.tensor(dtype, (None,) * len(shape), "x")
    value = np.linspace(-800, 900, int(np.prod(shape))).astype(dtype).reshape(shape)
    axis: Any = () if shape else None
    outputs = [T.softmax(x, axis), T.log_softmax(x, axis), T.logsumexp(x, axis)]
    one, zero, same, slope = eqsat.function([x], [*outputs, T.grad(T.sum(outputs[1] * x), x)], mode=mode)(
        value
    )
    np.testing.assert_array_equal(one, np.ones(shape, dtype))
    np.testing.assert_array_equal(zero, np.zeros(shape, dtype))
    np.testing.assert_array_equal(same, value)
    np.testing.assert_array_equal(slope, np.zeros(shape, dtype))
