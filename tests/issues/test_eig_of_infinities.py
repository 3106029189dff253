"""A matrix with infinities or NaN has no eigenvalues; LAPACK itself would give some."""

from __future__ import annotations

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

BAD = [[[np.inf, 0.0], [0.0, 1.0]], [[1.0, np.nan], [0.0, 1.0]]]


def test_eig_refuses_what_is_not_finite(mode: str) -> None:
    a = T.dmatrix("a")
    f = eqsat.function([a], T.linalg.eig(a)[0], mode=mode)
    np.testing.assert_allclose(f([[2.0, 1.0], [0.0, 3.0]]), [2, 3])
    for data in BAD:
        with pytest.raises(ValueError, match="the eigenvalues did not converge"):
            f(data)
