"""A part of a matrix that is made of comparisons is made of parts: an element of a large identity needs no identity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

N = 100_000
ELEMENTS = {
    "diagonal of eye": (lambda: T.eye(N)[5, 5], 1.0),
    "beside it": (lambda: T.eye(N, k=1)[7, 8], 1.0),
    "away from it": (lambda: T.eye(N)[5, 6], 0.0),
    "tri": (lambda: T.tri(N)[9, 3], 1.0),
    "corner": (lambda: T.eye(N)[2:4, 2:4].sum(), 2.0),
    "comparison": (lambda: T.lt(T.arange(N)[:, None], T.arange(N)[None, :])[3, 4] * 1.0, 1.0),
}


@pytest.mark.parametrize("name", sorted(ELEMENTS))
def test_an_element_is_cheap(name: str) -> None:
    build, wanted = ELEMENTS[name]
    report = eqsat.optimize(build())
    assert report.cost_after < 1e-3 * report.cost_before
    assert eqsat.function([], build())() == wanted


PAIRS = [
    (T.eq, np.equal),
    (T.neq, np.not_equal),
    (T.lt, np.less),
    (T.le, np.less_equal),
    (T.gt, np.greater),
    (T.ge, np.greater_equal),
]


def test_parts_of_comparisons(mode: str) -> None:
    a, b, n = T.dvector("a"), T.dmatrix("b"), T.lscalar("n")
    wholes = [op(a, b) for op, _ in PAIRS]
    f = eqsat.function([a, b, n], [part for w in wholes for part in parts(w, n)], mode=mode)
    x, y = np.arange(4.0), np.random.default_rng(0).integers(0, 4, (3, 4)).astype(float)
    wanted = [(same.__name__, part) for _, same in PAIRS for part in parts(same(x, y), 1)]
    for found, (name, part) in zip(f(x, y, 1), wanted, strict=True):
        np.testing.assert_array_equal(found, part, err_msg=name)


def parts(whole: Any, n: Any) -> list[Any]:
    return [whole[1], whole[n, 2], whole[:, 1:], whole[n:, 0]]
