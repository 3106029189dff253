"""A position past the end of a part is an error in every mode, never another element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

PICKS: dict[str, Callable[[Any], Any]] = {
    "last of the rest": lambda v: v[2:][-1],
    "first of all but some": lambda v: v[:-2][0],
    "first of a turned rest": lambda v: v[3:][::-1][0],
    "last but one": lambda v: v[1:][-2],
    "of every second": lambda v: v[::2][-2],
    "of a part of a part": lambda v: v[1:][1:][-1],
    "of the middle": lambda v: v[1:-1][0],
    "of a function": lambda v: T.exp(v)[4:][-1],
    "of a sum": lambda v: (v[2:] + v[:-2])[-1],
    "of a join": lambda v: T.concatenate([v[2:], v[:-2]])[-1],
    "of a first of a join": lambda v: T.concatenate([v[2:], v[2:]])[0],
    "of rows": lambda v: T.outer(v, v)[2:][-1].sum(),
    "of columns": lambda v: T.outer(v, v)[:, 2:][0, -1],
    "of what was turned": lambda v: T.outer(v, v)[2:].T[0][-1],
    "of what was written": lambda v: T.set_subtensor(v[0], 7.0)[2:][-1],
    "of running sums": lambda v: T.cumsum(v)[2:][-1],
    "of a loop": lambda v: eqsat.scan(lambda x: x * 2, v)[0][2:][-1],
    "of states": lambda v: eqsat.scan(lambda x, s: x + s, v, outputs_info=T.constant(0.0))[0][2:][-1],
}


@pytest.mark.parametrize("name", PICKS)
@pytest.mark.parametrize("mode", ["reference", "numpy", "FAST_RUN"])
def test_nothing_is_picked_of_what_is_empty(name: str, mode: str) -> None:
    v = T.dvector("v")
    f = eqsat.function([v], PICKS[name](v), mode=mode)
    with pytest.raises(IndexError):
        f(np.array([10.0, 20.0]))
    whole = np.arange(1.0, 8.0)
    wanted = eqsat.function([v], PICKS[name](v), mode="reference")(whole)
    np.testing.assert_allclose(f(whole), wanted)


@pytest.mark.parametrize("start", range(0, 4))
@pytest.mark.parametrize("pick", [-3, -1, 0, 1, 2])
def test_every_pick_of_every_rest(start: int, pick: int) -> None:
    v = T.dvector("v")
    parts = {
        "rest": lambda x: x[start:][pick],
        "cut": lambda x: x[: -start or None][pick],
        "steps": lambda x: x[start::2][pick],
    }
    for cut in parts.values():
        f = eqsat.function([v], cut(v), mode="numpy")
        for n in range(6):
            data = np.arange(1.0, n + 1)
            try:
                wanted = cut(data)
            except IndexError:
                with pytest.raises(IndexError):
                    f(data)
            else:
                assert f(data) == wanted


def test_parts_of_known_length_are_one() -> None:
    v = T.tensor("float64", (5,), "v")
    assert eqsat.optimize(v[2:][-1]).optimized[0].owner.inputs[0] is v
    w = T.dvector("w")
    assert eqsat.optimize(w[2:][0]).optimized[0].owner.inputs[0] is w
