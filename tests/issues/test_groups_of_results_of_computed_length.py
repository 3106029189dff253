"""A length that an op of a group of rows computes is known before memory of that length is taken for a result."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T


@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 3, 3), (0, 2, 2)])
def test_singular_values_beside_a_determinant(shape: tuple[int, ...]) -> None:
    x = T.tensor("float64", (None, None, None), "x")
    value = np.random.default_rng(3).normal(size=shape)
    logarithm, values = eqsat.function([x], [T.linalg.slogdet(x)[1], T.linalg.svdvals(x)])(value)
    np.testing.assert_allclose(logarithm, np.linalg.slogdet(value)[1], rtol=1e-10)
    np.testing.assert_allclose(values, np.linalg.svd(value, compute_uv=False), rtol=1e-10)
