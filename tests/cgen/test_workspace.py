"""Temporaries of a call: what holds nothing any more is the memory of others, whatever their lengths."""

from __future__ import annotations

import re

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

pytestmark = pytest.mark.c


def layers(x: T.TensorVariable, count: int) -> T.TensorVariable:
    """Sorted rows of lengths that no type tells, each of them there until it is added at the end."""
    kept = []
    for _ in range(count):
        x = T.sort(x[: (x.shape[0] + 1) // 2] * 2)
        kept.append(x)
    while len(kept) > 1:
        last = kept.pop()
        kept[-1] = T.concatenate([T.sort(-last), T.sort(kept[-1])])
    return kept[0]


def in_numpy(x: np.ndarray, count: int) -> np.ndarray:
    kept = []
    for _ in range(count):
        x = np.sort(x[: (x.shape[0] + 1) // 2] * 2)
        kept.append(x)
    while len(kept) > 1:
        last = kept.pop()
        kept[-1] = np.concatenate([np.sort(-last), np.sort(kept[-1])])
    return kept[0]


@pytest.mark.parametrize("count", [1, 2, 7])
def test_values_of_many_lengths_in_turn(count: int) -> None:
    """Buffers come to other slots from call to call, and grow."""
    x = T.dvector("x")
    f = eqsat.function([x], layers(x, count))
    rng = np.random.default_rng(0)
    for n in (5, 3000, 0, 1, 40_000, 7, 40_000, 40_000, 12, 12, 12, 3000):
        value = rng.normal(size=n)
        np.testing.assert_array_equal(f(value), in_numpy(value, count))


def test_each_take_says_what_holds_nothing_any_more() -> None:
    """A slot that is taken was freed in the same statement, and every slot but the last ones is freed at some time."""
    x = T.dvector("x")
    text = eqsat.function([x], layers(x, 5)).c_source
    takes = re.findall(r"((?:c->slots\[\d+\]\.live = )+)0; if \(eq_take\(c, \d+, \d+, (\d+),", text)
    assert len(takes) > 5
    assert all(f"c->slots[{slot}].live" in freed for freed, slot in takes)
    assert any(freed.count("live") > 1 for freed, _ in takes)
