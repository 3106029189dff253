"""Ops say along which lengths their parts are independent, and along which they add up: as their meanings compute them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from eqsat.graph.constant import as_tensor
from eqsat.graph.declare import OPS
from eqsat.graph.free_axes import free_axes, summed_axes

LENGTHS = {"b": 2, "m": 3, "n": 4, "k": 5, "p": 6}
PRODUCTS = sorted(name for name, d in OPS.items() if d.sums and d.meaning.__module__.startswith("eqsat."))


def drawn(name: str, dtype: str) -> tuple[Any, list[np.ndarray]]:
    """An application to numbers of lengths that are all different."""
    shapes = OPS[name].shapes
    assert shapes is not None
    rng = np.random.default_rng(0)
    values = []
    for axes in shapes.operands:
        stacked = () if axes.rest is None else (LENGTHS["b"],)
        shape = (*(LENGTHS[n] for n in axes.before), *stacked, *(LENGTHS[n] for n in axes.after))
        values.append(rng.integers(0, 5, shape).astype(dtype))
    return OPS[name](*map(as_tensor, values)).owner, values


def part(value: np.ndarray, axis: int | None, rows: slice) -> np.ndarray:
    """Some rows of a value along an axis; the whole where there is none."""
    return value if axis is None else value[(slice(None),) * axis + (rows,)]


@pytest.mark.parametrize("name", PRODUCTS)
def test_parts_along_summed_lengths_add_up(name: str) -> None:
    apply, values = drawn(name, "float64")
    ways = summed_axes(apply)
    assert len(ways) == len(OPS[name].sums.split())
    for axes in ways:
        parts = [
            apply.op.compute(*(part(v, a, rows) for v, a in zip(values, axes, strict=True)))
            for rows in (slice(0, 1), slice(1, None))
        ]
        np.testing.assert_array_equal(parts[0] + parts[1], apply.op.compute(*values))


@pytest.mark.parametrize("name", PRODUCTS)
def test_rows_of_a_result_need_rows_of_operands(name: str) -> None:
    apply, values = drawn(name, "float64")
    axes = free_axes(apply)
    if axes is None:
        return
    for rows in (slice(0, 1), slice(1, None)):
        some = apply.op.compute(*(part(v, a, rows) for v, a in zip(values, axes, strict=True)))
        np.testing.assert_array_equal(some, apply.op.compute(*values)[rows])


def test_truths_do_not_add_up() -> None:
    assert not summed_axes(drawn("dot", "bool")[0])
