"""Deviations from a mean add up to nothing, whatever the lengths are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T

X = T.dmatrix("X")


def deviations(axis: Any) -> Any:
    return X - T.mean(X, axis, keepdims=True)


@pytest.mark.parametrize(("mean", "total"), [(0, 0), (1, 1), (0, None), (1, None), (None, None)])
def test_the_sum_of_deviations_reads_no_element(mean: Any, total: Any) -> None:
    report = eqsat.optimize(T.sum(deviations(mean), total))
    assert report.cost_after < 1e-7 < report.cost_before
    f = eqsat.function([X], T.sum(deviations(mean), total))
    for shape in ((3, 4), (1, 1), (0, 2), (2, 0)):
        value = np.random.default_rng(0).normal(size=shape)
        with np.errstate(all="ignore"):
            expected = (value - np.full_like(value, 0.0) - value).sum(axis=total)
        np.testing.assert_allclose(f(value), expected, atol=1e-12)


def test_a_normalised_row_adds_up_to_nothing() -> None:
    """So its gradient is 0, too: 9 ops of the layer norm are not computed."""
    centred = deviations(1)
    normalised = centred / T.sqrt(T.mean(T.sqr(centred), 1, keepdims=True) + 1e-5)
    report = eqsat.optimize(T.grad(T.sum(normalised), X))
    assert report.cost_after < 0.1 * report.cost_before


def test_lengths_of_what_was_repeated_are_products() -> None:
    for whole in (T.repeat(X, 3, axis=0), T.tile(X, (3, 1)), X.reshape((X.shape[0] * 3, X.shape[1]))):
        f = eqsat.optimize(whole.shape[0])
        assert str(eqsat.pp(f.optimized[0])) in ("(length(X, 0) * 3)", "(3 * length(X, 0))")


def test_a_length_that_may_stand_for_what_is_left_over_stays() -> None:
    n = T.lscalar("n")
    f = eqsat.function([X, n], X.reshape((n, 2)).shape[0])
    assert f(np.ones((4, 3)), -1) == 6 == f(np.ones((4, 3)), 6)


def test_an_addition_to_what_was_set_is_set_at_once() -> None:
    x, (a, b) = T.dvector("x"), T.dscalars("a", "b")
    twice = T.inc_subtensor(T.set_subtensor(x[2], a)[2], b)
    (best,) = eqsat.optimize(twice).optimized
    assert str(eqsat.pp(best)) == "set_part(x, (a + b), [2], 0)"


def test_rules_of_users_see_what_is_repeated() -> None:
    v, x = eqsat.metavars("v", ndim=1), T.dvector("x")
    twice = eqsat.rule("twice", T.max(T.repeat(v, 2)), T.max(v), tier="exact")
    (best,) = eqsat.optimize(T.max(T.repeat(x, 2)), rules=[twice]).optimized
    assert "reshape" not in str(eqsat.pp(best))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("reduce", [T.sum, T.max, T.min])
def test_what_is_repeated_along_a_reduced_axis_is_read_once(reduce: Any, axis: int) -> None:
    report = eqsat.optimize(reduce(T.repeat(X, 3, axis=axis), axis=axis))
    assert "reshape" not in str(eqsat.pp(report.optimized[0]))
    assert report.cost_after < 1.1 * eqsat.optimize(reduce(X, axis=axis)).cost_after


@pytest.mark.parametrize("axis", [0, 1])
def test_axes_that_lie_in_one_are_reduced_together(axis: int) -> None:
    k = T.dtensor3("k")
    n = k.shape
    flat = k.reshape((n[0] * n[1], n[2]) if axis == 0 else (n[0], n[1] * n[2]))
    assert eqsat.equal(T.sum(flat, axis=axis), T.sum(k, axis=(axis, axis + 1)))
    assert not eqsat.equal(T.sum(flat, axis=1 - axis), T.sum(k, axis=(axis, axis + 1)))
