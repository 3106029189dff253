"""Polygamma, whose first operand is a whole number, and Bessel functions, in C against SciPy and mpmath."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from eqsat.errors import NullTypeGradError
from tests.reference import evaluate, numeric_gradient

POINTS = [0.1, 0.7, 1.0, 2.5, 9.0, 50.0, -0.5, -1.3, -7.75]


def test_gammaln_keeps_its_digits_around_its_roots() -> None:
    rng = np.random.default_rng(0)
    near = [c + s * 10.0**-k for c in (1, 2) for s in (1, -1) for k in range(1, 15)]
    points = np.array([*near, *rng.uniform(0, 20, 400), *10 ** rng.uniform(-307, 305, 200), 0.5, 1.5, 2.5, 8])
    x = T.dvector("x")
    f = eqsat.function([x], T.gammaln(x))
    wanted = [float(mpmath.loggamma(mpmath.mpf(v))) for v in points]
    np.testing.assert_allclose(f(points), wanted, rtol=1e-15, atol=5e-324)
    ends = f(np.array([np.inf, -np.inf, 0.0, -3.0, np.nan, 1.0, 2.0, 5e-324]))
    np.testing.assert_array_equal(
        ends, [np.inf, -np.inf, np.inf, np.inf, np.nan, 0, 0, float(mpmath.loggamma(5e-324))]
    )


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_polygamma_is_that_of_mpmath(mode: str) -> None:
    orders, points = (v.ravel() for v in np.meshgrid(np.arange(6.0), POINTS))
    n, x = T.dvector("n"), T.dvector("x")
    f = eqsat.function([n, x], [T.polygamma(n, x), T.polygamma(n, -T.abs(T.floor(x)))], mode=mode)
    found, poles = f(orders, points)
    wanted = [float(mpmath.psi(int(k), v)) for k, v in zip(orders, points, strict=True)]
    np.testing.assert_allclose(found, wanted, rtol=1e-11)
    assert not np.isfinite(poles).any()
    odd = f([0.5, -1.0, np.nan, np.inf], np.ones(4))[0]
    assert np.isnan(odd).all()


def test_gradient_of_polygamma_is_the_next_one() -> None:
    n, x = T.dvector("n"), T.dvector("x")
    given = {n: np.array([0.0, 1, 2, 3, 1]), x: np.array([0.7, 1.5, 2.5, 3.5, -0.4])}
    cost = (T.polygamma(n, x) * T.arange(1, 6)).sum()
    first = T.grad(cost, x)
    np.testing.assert_allclose(evaluate([first], given)[0], numeric_gradient(cost, x, given), rtol=1e-5)
    second = T.grad(first.sum(), x)
    np.testing.assert_allclose(
        evaluate([second], given)[0], numeric_gradient(first.sum(), x, given), rtol=1e-5
    )
    wanted = evaluate([T.polygamma(n + 1, x) * T.arange(1, 6)], given)[0]
    np.testing.assert_array_equal(evaluate([first], given)[0], wanted)
    with pytest.raises(NullTypeGradError, match="no closed form"):
        T.grad(cost, n)


@pytest.mark.parametrize("mode", ["reference", "FAST_RUN"])
def test_bessel_functions(mode: str) -> None:
    x, y = T.dvector("x"), T.fvector("y")
    names = ("j0", "j1", "i0", "i1")
    f = eqsat.function([x, y], [getattr(T, n)(v) for n in names for v in (x, y)], mode=mode)
    points = np.concatenate(
        [np.linspace(-40, 40, 321), [1e-300, 1e-9, 29.999, 30.001, 100, 350, 700, 713, -713]]
    )
    found = f(points, points[:321].astype("float32"))
    for k, (name, order) in enumerate(zip(names, (0, 1, 0, 1), strict=True)):
        exact: Any = getattr(mpmath, "bessel" + name[0])
        wanted = np.array([float(exact(order, v)) for v in points])
        np.testing.assert_allclose(found[2 * k], wanted, rtol=1e-12, atol=1e-13 if name[0] == "j" else 0)
        np.testing.assert_allclose(found[2 * k + 1], wanted[:321], rtol=1e-6, atol=1e-7)
        assert found[2 * k + 1].dtype == "float32"
    far = f([np.inf, -np.inf, np.nan, 720.0, -720.0], np.zeros(0, "float32"))[::2]
    np.testing.assert_array_equal(far[0][:3], [0, 0, np.nan])
    np.testing.assert_array_equal(far[1][:3], [0, 0, np.nan])
    np.testing.assert_array_equal(far[2], [np.inf, np.inf, np.nan, np.inf, np.inf])
    np.testing.assert_array_equal(far[3], [np.inf, -np.inf, np.nan, np.inf, -np.inf])


def test_derivatives_of_bessel_functions_at_zero() -> None:
    x = T.dscalar("x")
    for name, first, second in (("j0", 0, -0.5), ("j1", 0.5, 0), ("i0", 0, 0.5), ("i1", 0.5, 0)):
        dx = T.grad(getattr(T, name)(x), x)
        found = evaluate([dx, T.grad(dx, x)], {x: 0.0})
        assert [float(v) for v in found] == [first, second], name
