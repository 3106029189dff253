"""A sum of differences of neighbours is that of the elements at the ends, along the axis that is summed, whatever lies between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

BLOCK = np.random.default_rng(0).normal(size=(3, 4, 5))
FEW = [np.array(v) for v in ([np.inf], [np.inf, 1.0, 2.0], [1.0, 2.0, np.inf, 7.0], [1.0, np.inf, 2.0, 4.0])]
CASES: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
    "next": (lambda x: (x[1:] - x[:-1]).sum(), [*FEW[:1], np.ones(0), np.arange(5.0) ** 2]),
    "three further": (lambda x: (x[:-3] - x[3:]).sum(), [*FEW, np.arange(9.0) ** 2]),
    "rows of a part": (lambda a: (a[:, 0, 2:] - a[:, 0, :-2]).sum(1), [BLOCK]),
    "part of a row": (lambda a: (a[0, 1:, 1:] - a[0, :-1, 1:]).sum(0), [BLOCK]),
    "another axis": (lambda a: (a[0, 1:, 1:] - a[0, :-1, 1:]).sum(1), [BLOCK]),
}


@pytest.mark.parametrize("name", CASES)
def test_values_are_those_as_written(name: str) -> None:
    of, points = CASES[name]
    x = T.tensor("float64", (None,) * points[0].ndim, "x")
    fired = any("neighbours" in rule for rule in eqsat.optimize(of(x)).rules)
    assert fired == (name != "another axis")
    functions = [eqsat.function([x], of(x), mode=mode) for mode in ("reference", "numpy", "FAST_RUN")]
    for point in points:
        wanted, *found = (f(point) for f in functions)
        for value in found:
            np.testing.assert_allclose(value, wanted, rtol=1e-12, atol=1e-14)
