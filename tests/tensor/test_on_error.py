"""``on_error="nan"``: a matrix that fails becomes NaN, the others of a stack have their results, and nothing is raised."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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


def in_both_modes(names: list[str], of: Callable[[Any, Any], Any]) -> Iterator[tuple[str, Any, Any]]:
    """The results for several cases of one function, and of the graph as written; each case has an input of its own."""
    inputs = [T.dtensor3(name) for name in names]
    outputs = [of(CASES[name][0], a) for name, a in zip(names, inputs, strict=True)]
    given = [CASES[name][1] for name in names]
    found = (eqsat.function(inputs, outputs, mode=mode)(*given) for mode in ("FAST_RUN", "reference"))
    return zip(names, *found, strict=True)


def test_the_matrix_that_fails_is_nan() -> None:
    for name, found, reference in in_both_modes(list(CASES), lambda call, a: call(a, on_error="nan")):
        call, given = CASES[name]
        assert [bool(np.isnan(m).all()) for m in found] == [False, True, False], name
        np.testing.assert_allclose(found, reference, rtol=1e-9, err_msg=name)
        a = T.dtensor3("a")
        raises = eqsat.function([a], call(a))
        np.testing.assert_allclose(found[[0, 2]], raises(given[[0, 2]]), rtol=1e-9, err_msg=name)
        with pytest.raises(LinAlgError):
            raises(given)


def test_gradients_raise_nothing() -> None:
    def slope(call: Any, a: Any) -> Any:
        y = call(a, on_error="nan")
        return eqsat.grad(T.sum(y * y), a)

    names = ["cholesky", "inv", "solve", "solve posdef", "triangular"]
    for name, found, reference in in_both_modes(names, slope):
        assert np.isnan(found[1]).any() and np.isfinite(found[[0, 2]]).all(), name
        np.testing.assert_allclose(found, reference, 1e-7, 1e-12, err_msg=name)


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
