"""LAPACK's singular value decomposition of a matrix with an infinity may never return: such a matrix is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

ENDLESS = [[-np.inf, 2.0, 3.0], [-1.0, 1.0, 1.0], [-0.0, -2.0, 1.5]]  # gesdd of OpenBLAS 0.3 loops on it
WAYS: list[Any] = [
    lambda a: T.linalg.svd(a)[1],
    lambda a: T.linalg.svd(a, full_matrices=False)[0],
    T.linalg.pinv,
    lambda a: T.linalg.lstsq(a, a)[0],
]


@pytest.mark.parametrize("number", range(len(WAYS)))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_is_not_finite_is_refused(number: int, dtype: str, mode: str) -> None:
    a = T.tensor(dtype, (None, None), "a")
    f = eqsat.function([a], WAYS[number](a), mode=mode)
    assert np.isfinite(f(np.array([[2.0, 1.0], [0.0, 3.0]], dtype))).all()
    for bad in (ENDLESS, [[np.nan, 1.0], [0.0, 1.0]], [[1.0, 2.0, np.inf]]):
        with pytest.raises(np.linalg.LinAlgError, match="the singular values did not converge"):
            f(np.array(bad, dtype))


def test_of_several_matrices_one_is_enough(mode: str) -> None:
    a = T.dtensor3("a")
    f = eqsat.function([a], T.linalg.pinv(a), mode=mode)
    with pytest.raises(np.linalg.LinAlgError, match="pinv: the singular values did not converge"):
        f(np.array([np.eye(3), ENDLESS]))
