"""Softmax far out, and its gradient; an elementwise chain in one buffer."""

from __future__ import annotations

import re
import tracemalloc
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.gradient import verify_grad


@pytest.mark.seed("E024")
def test_softmax_rows_sum_to_one_far_out(seed_mode: str) -> None:
    x = T.dmatrix("x")
    data = np.array([[800.0, -800.0, 0.0], [-800.0, -800.0, -800.0], [800.0, 800.0, 799.0]])
    by_row, by_column = eqsat.function([x], [T.softmax(x, axis=1), T.softmax(x, axis=0)], mode=seed_mode)(
        data
    )
    assert np.isfinite(by_row).all() and np.isfinite(by_column).all()
    np.testing.assert_allclose(by_row.sum(axis=1), 1.0, rtol=1e-15)
    np.testing.assert_allclose(by_column.sum(axis=0), 1.0, rtol=1e-15)
    np.testing.assert_allclose(by_row[1], 1 / 3, rtol=1e-15)
    rng = np.random.default_rng(0)
    verify_grad(lambda v: T.softmax(v, axis=1), [rng.normal(size=(3, 4))], rng=rng, mode=seed_mode)


@pytest.mark.c
@pytest.mark.seed("H013")
def test_an_elementwise_chain_allocates_one_buffer() -> None:
    x = T.dvector("x")
    y: Any = x
    for _ in range(6):
        y = T.tanh(y * 1.5) + T.exp(-y)
    f = eqsat.function([x], y)
    assert f.c_source is not None
    calls = f.c_source[f.c_source.index("eq_part1(eq_call") :]
    assert len(re.findall(r"if \(eq_give\(c,", calls)) == 1 and "eq_take(c," not in calls
    data = np.linspace(-1, 1, 1_000_000)
    f(data[:10])
    tracemalloc.start()
    result = f(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert result.nbytes <= peak < 1.5 * result.nbytes, "one array of the size of the result"
