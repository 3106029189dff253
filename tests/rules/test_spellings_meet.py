"""Spellings of one thing cost what the cheapest of them does, and have its values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

x, y = T.dvectors("x", "y")
A = T.dmatrix("A")
p = T.vector("p", dtype="bool")
GIVEN = {
    x: np.array([-3.0, 0.5, 2.0]),
    y: np.array([4.0, -1.5, 0.25]),
    A: np.array([[1.0, -2.0, 0.5], [3.0, 4.0, -1.0]]),
    p: np.array([True, False, True]),
}


def root(v: Any) -> Any:
    """The root of a square and 1."""
    return T.sqrt(T.sqr(v) + 1)


SPELLINGS: dict[str, tuple[Any, ...]] = {
    "rows of length 1": (
        A * (1 / T.sqrt(T.sqr(A).sum(1, keepdims=True))),
        A / T.sqrt(T.sqr(A).sum(1))[:, None],
    ),
    "slope of a root": (x / root(x), eqsat.grad(root(x).sum(), x), (1 / root(x) * 0.5) * (2 * x)),
    "logarithms to base 2": (T.log2(1 + T.sqr(y)), T.log(1 + T.sqr(y)) / np.log(2)),
    "powers of 2": (T.exp2(x), T.exp(x * np.log(2)), 2**x),
    "choices by one condition": (x + y, T.switch(p, x, y) + T.switch(p, y, x)),
    "masks that are apart": (A, T.tril(A) + T.triu(A, 1)),
    "one slope for two": (
        T.switch(x > 0, x, 0.01 * x),
        T.switch(x > 0, x, 0.1 * x) * T.switch(x > 0, 1, 0.1),
    ),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_spellings_cost_what_the_cheapest_does(name: str) -> None:
    best, *others = SPELLINGS[name]
    least = eqsat.optimize(best).cost_after
    wanted = value_of(best)
    for written in others:
        report = eqsat.optimize(written)
        assert report.cost_after <= 1.001 * least, (report.optimized, report.cost_after, least)
        np.testing.assert_allclose(value_of(report.optimized[0]), wanted, rtol=1e-14)


def value_of(graph: Any) -> Any:
    """What a graph is at the given operands, computed as written."""
    read = [v for v in GIVEN if v in set(eqsat.graph.walk.ancestors([graph]))]
    f: Callable[..., Any] = eqsat.function(read, graph, mode="reference")
    return f(*(GIVEN[v] for v in read))
