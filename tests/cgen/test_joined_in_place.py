"""Rows that are joined are computed where they belong, whatever computes them and whoever else reads them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.graph.tensor_type import TensorType
from eqsat.scan import scan

pytestmark = pytest.mark.c
x, y = (TensorType("float64", shape=n)(name) for n, name in (((5, 3), "x"), ((2, 3), "y")))
s = scan(lambda r, a: r + 0.5 * a, sequences=x, outputs_info=y[0])[0]
t = scan(lambda r, a: r - 0.5 * a.sum(), sequences=x, outputs_info=y[0])[0]
JOINS: dict[str, Callable[[], list[Any]]] = {
    "one": lambda: [T.concatenate([y, s])],
    "two": lambda: [T.concatenate([s, y, t])],
    "twice": lambda: [T.concatenate([s, s])],
    "also_an_output": lambda: [T.concatenate([y, s]), s],
    "in_two_joins": lambda: [T.concatenate([y, s]) * 2, T.concatenate([s, y]).sum(0)],
    "joined_again": lambda: [T.concatenate([T.concatenate([y, s]), t])],
    "of_a_product": lambda: [T.concatenate([T.dot(x, T.dot(x.T, x)), t])],
    "backwards": lambda: [T.concatenate([y, s])[::-1]],
    "turned": lambda: [T.concatenate([y, s]).T],
}


@pytest.mark.parametrize("name", JOINS)
@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE"])
def test_values(name: str, mode: str) -> None:
    f = eqsat.function([x, y], JOINS[name](), mode=mode)
    reference = eqsat.function([x, y], JOINS[name](), mode="reference")
    for seed in range(2):
        values = [np.random.default_rng(seed).standard_normal(n) for n in ((5, 3), (2, 3))]
        for have, want in zip(f(*values), reference(*values), strict=True):
            np.testing.assert_allclose(have, want)


def test_a_loop_writes_its_rows_into_the_join() -> None:
    wide = TensorType("float64", shape=(9, 30))("wide")
    rows = scan(lambda r, a: r + 0.5 * a, sequences=wide[1:], outputs_info=wide[0])[0]
    text: Any = eqsat.function([wide], T.concatenate([wide[:1], rows])).c_source
    part = text.partition("eq_part")[2]
    assert part.count("eq_give(c,") == 1 and "eq_take(c," not in part
