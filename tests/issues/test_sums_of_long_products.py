"""Long sums of products of float32 are as near to the truth as NumPy's, also where a sum becomes a product of matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

STEPS = 100_000
V, M = T.fvector("v"), T.fmatrix("m")
PRODUCTS: dict[str, Callable[[], Any]] = {
    "vector by matrix": lambda: T.dot(V, M),
    "matrix by vector": lambda: T.dot(M.T, V),
    "row by matrix": lambda: T.dot(V[None], M)[0],
    "sum": lambda: (V[:, None] * M).sum(0),
}


@pytest.mark.parametrize("columns", [8, 100])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.sampled(5)
def test_a_long_product_keeps_its_digits(name: str, order: Any, columns: int) -> None:
    rng = np.random.default_rng(3)
    v = rng.random(STEPS, dtype="float32")
    m = np.asarray(rng.random((STEPS, columns), dtype="float32"), order=order)
    wanted = v.astype("float64") @ m
    found = eqsat.function([V, M], PRODUCTS[name]())(v, m)
    assert found.dtype == "float32"
    assert np.max(np.abs(found - wanted) / wanted) < 2e-6
