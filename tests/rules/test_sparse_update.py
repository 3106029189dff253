"""The update of an embedding touches only the rows that were picked, whatever scales or joins the gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.graph.walk import toposort
from tests.reference import evaluate, numeric_gradient

SCALE = T.dscalar("lr")
UPDATES: dict[str, Callable[[Any, Any], Any]] = {
    "number": lambda w, g: w - 0.5 * g,
    "scalar": lambda w, g: w - SCALE * g,
    "divided": lambda w, g: w - g / 32 * SCALE,
    "plus": lambda w, g: w + (-SCALE) * g,
    "negated": lambda w, g: w + -(g * SCALE),
    "twice": lambda w, g: w - SCALE * (g + g),
}


def names(outputs: list[Any]) -> list[str]:
    return [node.op.name for node in toposort(outputs)]


def gradient(w: Any, i: Any, j: Any = None) -> Any:
    cost = T.sqr(T.tanh(w[i])).sum()
    return T.grad(cost if j is None else cost + T.exp(w[j]).sum(), w)


@pytest.mark.parametrize("form", UPDATES)
@pytest.mark.parametrize("rank", [1, 2])
def test_an_update_makes_no_dense_gradient(form: str, rank: int) -> None:
    w, i = (
        eqsat.shared(np.random.default_rng(0).normal(size=(7, 3)), "w"),
        T.TensorType("int64", (None,) * rank)("i"),
    )
    new = UPDATES[form](w, gradient(w, i))
    (best,) = eqsat.optimize(new).optimized
    assert "alloc" not in names([best])
    assert best.owner.op.name == "add_rows" and best.owner.inputs[0] is w
    given = {i: np.array([2, 0, 2, -1]).reshape((-1,) if rank == 1 else (2, 2)), SCALE: 0.1}
    np.testing.assert_allclose(evaluate([best], given)[0], evaluate([new], given)[0], rtol=1e-12)


def test_two_picks_are_added_one_after_the_other() -> None:
    w, i, j = T.dmatrix("w"), T.lvector("i"), T.lvector("j")
    new = w - SCALE * gradient(w, i, j)
    (best,) = eqsat.optimize(new).optimized
    assert "alloc" not in names([best]) and names([best]).count("add_rows") == 2
    given = {
        w: np.random.default_rng(0).normal(size=(7, 3)),
        i: np.array([2, 0, 2]),
        j: np.array([2, 6]),
        SCALE: 0.1,
    }
    np.testing.assert_allclose(evaluate([best], given)[0], evaluate([new], given)[0], rtol=1e-12)


def test_a_gradient_that_is_asked_for_stays_dense() -> None:
    w, i = T.dmatrix("w"), T.lvector("i")
    g = gradient(w, i)
    best = eqsat.optimize([g, w - SCALE * g]).optimized
    assert best[0].owner.op.name == "add_rows" and "alloc" in names(best)


def test_a_row_that_broadcasts_is_no_row_of_the_sum() -> None:
    w, i = T.dmatrix("w"), T.lvector("i")
    row = T.drow("row")
    new = w - gradient(row, i)
    (best,) = eqsat.optimize(new).optimized
    given = {w: np.ones((3, 2)), row: np.ones((1, 2)), i: np.array([0, 0])}
    np.testing.assert_allclose(evaluate([best], given)[0], evaluate([new], given)[0], rtol=1e-12)


def test_many_picks_are_one_chain_and_their_rewriting_does_not_run_away() -> None:
    w, i = T.dmatrix("w"), T.lmatrix("i")
    cost: Any = sum(T.sqr(w[i[k]]).sum() for k in range(10)) + T.exp(w[0]).sum() + w[1:, 1:].diagonal().sum()
    g = T.grad(cost, w)
    chain = [g]
    while chain[-1].owner.op.name != "alloc":
        assert chain[-1].owner.op.name in ("add_rows", "set_part")
        chain.append(chain[-1].owner.inputs[0])
    assert len(chain) == 13  # ten picks, two parts, one zeros
    report = eqsat.optimize(w - SCALE * T.grad(sum(T.sqr(w[i[k]]).sum() for k in range(10)), w))
    assert names(report.optimized).count("add_rows") == 10 and "alloc" not in names(report.optimized)
    assert report.e_nodes < 600 and not report.budgets
    value, picked = (
        np.random.default_rng(0).normal(size=(7, 3)),
        np.random.default_rng(1).integers(-7, 7, (10, 4)),
    )
    np.testing.assert_allclose(
        evaluate([g], {w: value, i: picked})[0],
        numeric_gradient(cost, w, {w: value, i: picked}),
        rtol=1e-4,
        atol=1e-6,
    )


@pytest.mark.parametrize("name", ["plus", "less", "taken from", "in columns"])
def test_picked_elements_are_added_where_the_sum_goes(name: str) -> None:
    x, y, i = T.dmatrix("x"), T.dvector("y"), T.lvector("i")
    rows = T.arange(x.shape[0])
    added = T.zeros_like(x)[rows, i].inc(y)
    out = {
        "plus": added + T.exp(x),
        "less": T.exp(x) - added,
        "taken from": added - T.exp(x),
        "in columns": T.exp(x) + T.zeros_like(x)[:, i].inc(T.outer(y, y)),
    }[name]
    (best,) = eqsat.optimize(out).optimized
    assert "alloc" not in names([best]) and best.owner.op.name == "scatter"
    given = {
        x: np.random.default_rng(0).normal(size=(3, 4)),
        y: np.array([1.0, -2.0, 1e300]),
        i: np.array([2, 0, -1]),
    }
    np.testing.assert_allclose(evaluate([best], given)[0], evaluate([out], given)[0], rtol=1e-12)


def test_elements_of_a_column_that_repeats_stay_apart() -> None:
    x, y, i = T.dmatrix("x"), T.dvector("y"), T.lvector("i")
    column = T.zeros_like(x.sum(1, keepdims=True))[i, T.zeros_like(i)].inc(y)
    (best,) = eqsat.optimize(column + T.exp(x)).optimized
    assert best.owner.op.name == "add"
