"""``on_error="nan"``: a matrix that fails becomes NaN, the others of a stack have their results, and nothing is raised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import ArgumentError, LinAlgError
from eqsat.graph.declare import OPS

DRAWN = np.random.default_rng(0).normal(size=(3, 4, 4))
POSDEF = DRAWN @ DRAWN.transpose(0, 2, 1) + np.eye(4)
WRONG = np.array([0, 1, 0])[:, None, None] == 1
INDEFINITE = np.where(WRONG, -np.eye(4), POSDEF)
SINGULAR = np.where(WRONG, 0.0, DRAWN)
BROKEN = np.where(WRONG, np.nan, POSDEF)
SIDES = np.random.default_rng(1).normal(size=(4, 2))

Case = tuple[Callable[..., Any], Any]
CASES: dict[str, Case] = {
    "cholesky": (T.linalg.cholesky, INDEFINITE),
    "inv": (T.linalg.inv, SINGULAR),
    "solve": (lambda a, **how: T.linalg.solve(a, SIDES, **how), SINGULAR),
    "solve posdef": (lambda a, **how: T.linalg.solve(a, SIDES, assume_a="pos", **how), INDEFINITE),
    "triangular": (lambda a, **how: T.linalg.solve_triangular(a, SIDES, lower=True, **how), SINGULAR),
    "pinv": (T.linalg.pinv, BROKEN),
    "svd": (lambda a, **how: T.linalg.svd(a, **how)[1], BROKEN),
    "svdvals": (T.linalg.svdvals, BROKEN),
    "eigh": (lambda a, **how: T.linalg.eigh(a, **how)[0], BROKEN),
    "eigvalsh": (T.linalg.eigvalsh, BROKEN),
    "eigvals": (T.linalg.eigvals, BROKEN),
}


@pytest.mark.parametrize("name", CASES)
def test_the_matrix_that_fails_is_nan(name: str) -> None:
    call, given = CASES[name]
    a = T.dtensor3("a")
    found = eqsat.function([a], call(a, on_error="nan"))(given)
    assert [bool(np.isnan(m).all()) for m in found] == [False, True, False]
    np.testing.assert_allclose(found[[0, 2]], eqsat.function([a], call(a))(given[[0, 2]]), rtol=1e-9)
    np.testing.assert_allclose(
        found, eqsat.function([a], call(a, on_error="nan"), mode="reference")(given), rtol=1e-9
    )
    with pytest.raises(LinAlgError):
        eqsat.function([a], call(a))(given)


@pytest.mark.parametrize("name", ["cholesky", "inv", "solve", "solve posdef", "triangular"])
def test_gradients_raise_nothing(name: str) -> None:
    call, given = CASES[name]
    a = T.dtensor3("a")
    y = call(a, on_error="nan")
    slope = eqsat.grad(T.sum(y * y), a)
    found = eqsat.function([a], slope)(given)
    assert np.isnan(found[1]).any() and np.isfinite(found[[0, 2]]).all()
    np.testing.assert_allclose(found, eqsat.function([a], slope, mode="reference")(given), 1e-7, 1e-12)


def test_value_and_gradient_share_factors() -> None:
    a, b = T.dmatrices("a", "b")
    loss = T.sum(T.sqr(T.linalg.solve(a, b, on_error="nan")))
    f = eqsat.function([a, b], [loss, eqsat.grad(loss, a)])
    assert (f.c_source or "").count("eq_lu_factors__double(") == 2  # its definition and one call
    assert np.isnan(f(np.zeros((3, 3)), np.ones((3, 1)))[1]).all()
    np.testing.assert_allclose(f(2 * np.eye(3), np.ones((3, 1)))[0], 0.75)


def test_rules_know_that_a_factor_is_a_triangle() -> None:
    a = T.dmatrix("a")
    low = T.linalg.cholesky(a, on_error="nan")
    again = T.linalg.solve(low, T.ones(3), on_error="nan")
    f = eqsat.function([a], again)
    assert "eq_triangle__double(" in (f.c_source or "")
    assert np.isnan(f(-np.eye(3))).all()


def test_every_op_with_a_failure_has_one_that_gives_nan() -> None:
    failing = {d.name for d in OPS.values() if d.failure and not d.raises}
    assert {d.raises for d in OPS.values() if d.raises} == failing >= {"cholesky", "solve", "eigh"}


def test_another_word_is_refused() -> None:
    with pytest.raises(ArgumentError, match="on_error does not take 'nans'"):
        T.linalg.cholesky(T.dmatrix("a"), on_error="nans")
