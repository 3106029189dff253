"""What a step reads once by rows and once as a whole is not made beside it, where only some rows are at hand."""

from __future__ import annotations

import numpy as np

import eqsat
import eqsat.tensor as T


def moved(places: np.ndarray, speed: np.ndarray, masses: np.ndarray) -> np.ndarray:
    """Places after two steps under forces between all pairs: the second reads the new places by rows and as a whole."""
    for _ in range(2):
        apart = places[None] - places[:, None]
        near = (np.sum(apart**2, -1) + 1e-3) ** -1.5
        speed = speed + 0.01 * np.einsum("ijk,ij,j->ik", apart, near, masses)
        places = places + 0.01 * speed
    return places


def test_pairs_of_rows_of_a_step_in_a_loop_written_out() -> None:
    compiled = eqsat.jit(moved)
    rng = np.random.default_rng(0)
    for n in (1, 4, 30, 700):
        given = rng.normal(size=(n, 3)), rng.normal(size=(n, 3)), rng.random(n)
        for _ in range(3):
            np.testing.assert_allclose(compiled(*given), moved(*given), rtol=1e-9)


def test_pairs_of_rows_of_a_product() -> None:
    a, p = T.dmatrices("a", "p")
    q = T.dot(a, p) + p
    apart = q.dimshuffle("x", 0, 1) - q.dimshuffle(0, "x", 1)
    f = eqsat.function([a, p], [apart, T.sum(apart**2, axis=2)])
    rng = np.random.default_rng(0)
    for n in (3, 600):
        given = rng.normal(size=(n, n)), rng.normal(size=(n, 3))
        value = given[0] @ given[1] + given[1]
        wanted = value[None] - value[:, None]
        for found, want in zip(f(*given), (wanted, (wanted**2).sum(2)), strict=True):
            np.testing.assert_allclose(found, want, rtol=1e-8, atol=1e-9)
