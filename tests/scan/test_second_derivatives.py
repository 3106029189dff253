"""Hessians through loops whose states are matrices: lengths that a type forgets on the way are still known."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T


@pytest.mark.sweep
def test_hessian_through_a_filter() -> None:
    y, a, seen = T.dmatrix("y"), T.dmatrix("a"), np.array([[1.0, 0.5]])

    def step(now, mean, spread):  # type: ignore[no-untyped-def]
        spread = a @ spread @ a.T
        return mean + spread @ seen.T @ (now - seen @ mean), spread

    (means, _), _ = eqsat.scan(step, y, outputs_info=[T.zeros(2), T.eye(2)])
    hessian = T.hessian(means.sum(), a)
    given = np.array([[0.3], [0.1], [-0.2]]), np.array([[0.5, 0.1], [0.2, 0.4]])
    got, want = (eqsat.function([y, a], hessian, mode=m)(*given) for m in ("numpy", "reference"))
    np.testing.assert_allclose(got, want, rtol=1e-9)
