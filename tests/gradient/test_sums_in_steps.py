"""Gradients of folds that are made an axis at a time, of operands of different shapes: each place counts once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

JOINED: dict[str, Callable[[Any, Any], Any]] = {
    "difference": lambda n, a: n - T.exp(a),
    "negated": lambda n, a: -(n + a) - a,
    "product": lambda n, a: n * T.sin(a) - T.gammaln(T.exp(a)),
    "quotient": lambda n, a: (a - n) / (1 + T.sqr(n)),
    "functions": lambda n, a: T.gammaln(T.abs(n) + T.exp(a)) - T.gammaln(T.exp(a)),
    "multiples": lambda n, a: 2 * a - n * 3 - a,
    "choice": lambda n, a: T.where(n > 0, -a, a - 1),
}
FOLDED: dict[str, Callable[[Any], Any]] = {
    "rows": lambda y: y.sum(1).sum(),
    "columns": lambda y: y.sum(0).sum(),
    "means": lambda y: -y.mean(1).sum(),
    "negated": lambda y: (-(y.sum(1))).sum() + (y.sum(0) * 2).sum(),
    "weighted": lambda y: (y.sum(1) * T.arange(y.shape[0])).sum(),
    "kept": lambda y: (y - y.sum(1, keepdims=True)).sum(),
}


@pytest.mark.sampled(14)
@pytest.mark.parametrize("shape", [(4,), (1, 4), (3, 1), ()], ids=str)
@pytest.mark.parametrize("fold", FOLDED)
@pytest.mark.parametrize("join", JOINED)
def test_gradients_are_those_of_the_graph_as_written(join: str, fold: str, shape: tuple[int, ...]) -> None:
    n, a = T.dmatrix("n"), T.tensor("float64", shape=tuple(1 if k == 1 else None for k in shape), name="a")
    cost = FOLDED[fold](JOINED[join](n, a))
    outputs = [cost, *eqsat.grad(cost, [n, a])]
    draw = np.random.default_rng(1)
    given = [draw.normal(size=(3, 4)), draw.normal(size=shape)]
    for got, want in zip(
        *(eqsat.function([n, a], outputs, mode=m)(*given) for m in ("numpy", "reference")), strict=True
    ):
        np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12)
