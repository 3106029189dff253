"""Picks parted both by a slice and by an Ellipsis that stands for no axis come first, once."""

from __future__ import annotations

from typing import Any

import numpy as np

import eqsat
import eqsat.tensor as T

DATA = np.arange(24.0).reshape(2, 3, 2, 2)
ROW = np.array([[-1, 1, 1]])
ITEMS: list[Any] = [
    (slice(None), ROW, Ellipsis, slice(None), 1),
    (slice(None), ROW, slice(None), Ellipsis, 1),
    (0, Ellipsis, slice(None), ROW, 1),
    (slice(None), slice(None), ROW[0] * 0, Ellipsis, 1),
    (slice(None), 0, ROW, Ellipsis, 1),
]


def test_parted_picks_are_in_front(mode: str) -> None:
    x = T.dtensor4("x")
    outs = [x[item] for item in ITEMS] + [T.set_subtensor(x[item], 0) for item in ITEMS]
    found = iter(eqsat.function([x], outs, mode=mode)(DATA))
    for item in ITEMS:
        np.testing.assert_array_equal(next(found), DATA[item])
    for item in ITEMS:
        wanted = DATA.copy()
        wanted[item] = 0
        np.testing.assert_array_equal(next(found), wanted)
