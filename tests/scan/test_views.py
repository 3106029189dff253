"""map, reduce, foldl, foldr against Python's own."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

M = np.random.default_rng(0).normal(size=(4, 3))


@pytest.mark.seed("L022")
def test_views_equal_the_built_ins(seed_mode: str) -> None:
    x, v = T.dmatrix("x"), T.dvector("v")

    def fold(row: Any, state: Any) -> Any:
        return state * 2 - row

    def square(row: Any) -> Any:
        return row**2 + 1

    def swapped(state: Any, row: Any) -> Any:
        return fold(row, state)

    zero, zeros = T.constant(0.0), T.zeros((3,))
    made = []
    for data, start in ((v, zero), (x, zeros)):
        made += [
            eqsat.map(square, data)[0],
            eqsat.map(lambda a, k: a * k, [data], non_sequences=[3.0], go_backwards=True)[0],
            eqsat.reduce(fold, data, start)[0],
            eqsat.reduce(fold, data, start, go_backwards=True)[0],
            eqsat.foldl(fold, [data], [start])[0],
            eqsat.foldr(fold, data, start)[0],
        ]
    many, updates = eqsat.reduce(lambda a, s, t: [s + a, t * a], v, [zero, T.constant(1.0)])
    got = eqsat.function([x, v], [*made, *many], mode=seed_mode)(M, M[0])
    want: list[Any] = []
    for data in (M[0], M):
        rows, start = list(data), data[0] * 0
        left = functools.reduce(swapped, rows, start)
        right = functools.reduce(swapped, rows[::-1], start)
        want += [list(map(square, rows)), [3 * a for a in rows[::-1]], left, right, left, right]
    for value, loop in zip(got, [*want, sum(M[0]), M[0].prod()], strict=True):
        np.testing.assert_allclose(value, loop)
    assert updates == {}
