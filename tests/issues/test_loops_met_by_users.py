"""Loops that users have written and that once did not run as they should."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.scan import scan


@pytest.mark.parametrize("mode", ["numpy", "FAST_RUN"])
def test_complex_states(mode: str) -> None:
    z, s = T.zvector("z"), T.zscalar("s")
    sums, _ = scan(lambda a, s: s * 0.5 + a, z, s)
    turned, _ = scan(lambda s: s * 1j, None, s, n_steps=3)
    f, g = (eqsat.function([z, s], [sums, turned], mode=m) for m in (mode, "reference"))
    for have, want in zip(f([1 + 0j, 2j], 1 + 1j), g([1 + 0j, 2j], 1 + 1j), strict=True):
        np.testing.assert_allclose(have, want)


@pytest.mark.c
def test_the_gradient_of_two_states_of_a_known_width_is_c() -> None:
    X, U = T.dtensor3("X"), T.dmatrix("U")
    z = T.zeros((X.shape[1], 3))
    (h, _), _ = scan(lambda r, h, c: [T.dot(h, U) + c + r, c + r], X, [z, z])
    slope = T.grad(T.sqr(h).sum(), U)
    f = eqsat.function([X, U], slope)
    assert f.c_source is not None
    values = np.random.default_rng(0).normal(size=(5, 2, 3)), np.random.default_rng(1).normal(size=(3, 3))
    np.testing.assert_allclose(f(*values), eqsat.function([X, U], slope, mode="reference")(*values))
