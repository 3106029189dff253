"""Sums of products of float32 in C, which are made in float64 where that takes no more conversions."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T


@pytest.mark.c
@pytest.mark.parametrize("shape", [(40, 130), (500, 3), (3, 500), (200, 40)])
def test_products_in_sums_keep_their_digits(shape: tuple[int, int]) -> None:
    """Squares of float32 are added up as they are in float64, and so are products of two whose squares are, too."""
    x, y = T.fmatrix("x"), T.fmatrix("y")
    a, b = (np.random.default_rng(k).uniform(1, 2, shape).astype("float32") for k in (1, 2))
    wide, other = a.astype("float64"), b.astype("float64")
    for axis in (0, 1):
        f = eqsat.function([x], (x * x).sum(axis))
        g = eqsat.function([x, y], [(x * x).sum(axis), (x * y).sum(axis), (y * y).sum(axis)])
        wanted = [(wide * wide).sum(axis), (wide * other).sum(axis), (other * other).sum(axis)]
        for have, want in zip([f(a), *g(a, b)], [wanted[0], *wanted], strict=True):
            np.testing.assert_allclose(have, want.astype("float32"), rtol=1.2e-7)
            assert np.mean(have == want.astype("float32")) > 0.9
        assert "eq_added(" in g.c_source


@pytest.mark.c
def test_products_that_are_results_are_rounded_first() -> None:
    x = T.fmatrix("x")
    a = np.random.default_rng(3).uniform(1, 2, (60, 50)).astype("float32")
    f = eqsat.function([x], [x * x, (x * x).sum(1)])
    square, total = f(a)
    assert np.array_equal(square, a * a)
    assert np.array_equal(total, square.astype("float64").sum(1).astype("float32"))
