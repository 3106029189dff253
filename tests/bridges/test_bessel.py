"""Scaled Bessel functions, which go on where SciPy's function of any order is NaN."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

import eqsat
import eqsat.tensor as T
from eqsat.bridges.bessel import i0e, i1e

AT = [0.0, 1.0, -3.0, 9e7, 1.1e8, -2e9, 1e30, np.inf, -np.inf]


@pytest.mark.parametrize("mode", ["reference", "numpy", "FAST_RUN"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("ours, scipys", [(i0e, scipy.special.i0e), (i1e, scipy.special.i1e)], ids=["0", "1"])
def test_values_and_slopes_far_out(
    ours: Callable[[Any], Any], scipys: Callable[[Any], Any], dtype: str, mode: str
) -> None:
    x = T.TensorType(dtype, (None,))("x")
    value, slope = eqsat.function([x], [ours(x), T.grad(ours(x).sum(), x)], mode=mode)(np.array(AT, dtype))
    np.testing.assert_allclose(value, scipys(np.array(AT, dtype)), rtol=4 * float(np.finfo(dtype).eps))
    assert np.isfinite(slope).all() and (np.abs(slope[4:]) < 1e-9).all()
