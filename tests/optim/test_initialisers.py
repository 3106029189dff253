"""Initial values have the variance that the papers ask for, and are the same for the same seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from eqsat import optim
from eqsat.errors import ArgumentError, DTypeError, RankError

SCALED = {
    optim.glorot_uniform: lambda i, o: 2 / (i + o),
    optim.glorot_normal: lambda i, o: 2 / (i + o),
    optim.he_uniform: lambda i, o: 2 / i,
    optim.he_normal: lambda i, o: 2 / i,
    optim.lecun_uniform: lambda i, o: 1 / i,
    optim.lecun_normal: lambda i, o: 1 / i,
}


@pytest.mark.parametrize("make", SCALED, ids=lambda f: f.__name__)
@pytest.mark.parametrize(("shape", "fans"), [((300, 200), (300, 200)), ((60, 40, 5, 5), (1000, 1500))])
def test_variance(make: Any, shape: tuple[int, ...], fans: tuple[int, int]) -> None:
    w, variance = make(shape, seed=1), SCALED[make](*fans)
    assert w.shape == shape and w.var() == pytest.approx(variance, rel=0.03)
    assert abs(w.mean()) < 5 * np.sqrt(variance / w.size)
    assert ("uniform" in make.__name__) == bool(abs(w).max() <= np.sqrt(3 * variance))
    np.testing.assert_array_equal(w, make(shape, 1))
    assert (w != make(shape, 2)).any()


def test_fans_may_be_said() -> None:
    w = optim.he_normal((1000,), 0, "float32", fans=(50, 1))
    assert w.dtype == np.float32 and w.var() == pytest.approx(2 / 50, rel=0.15)


@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (4, 3, 2), (5, 5)])
def test_orthogonal(shape: tuple[int, ...]) -> None:
    w = optim.orthogonal(shape, 0, gain=2.0).reshape(shape[0], -1)
    small = w.T @ w if w.shape[0] >= w.shape[1] else w @ w.T
    np.testing.assert_allclose(small, 4 * np.eye(len(small)), atol=1e-12)


def test_nothing_to_draw() -> None:
    assert optim.orthogonal((0, 3), 0).shape == optim.he_normal((0, 3), 0).shape == (0, 3)


def test_orthogonal_matrices_are_equally_likely() -> None:
    traces = [np.trace(optim.orthogonal((3, 3), seed)) for seed in range(500)]
    assert abs(np.mean(traces)) < 0.2 and np.var(traces) == pytest.approx(1.0, abs=0.25)


def test_a_generator_goes_on() -> None:
    generator = np.random.default_rng(0)
    first, second = (optim.lecun_normal((2, 2), generator) for _ in range(2))
    assert (first != second).all()


def test_refusals() -> None:
    with pytest.raises(RankError, match=r"he_normal: shape \(3,\)"):
        optim.he_normal((3,), 0)
    with pytest.raises(RankError, match="orthogonal"):
        optim.orthogonal((3,), 0)
    with pytest.raises(DTypeError, match="int64"):
        optim.glorot_normal((3, 3), 0, "int64")
    with pytest.raises(ArgumentError, match="needs a seed"):
        optim.glorot_normal((3, 3), None)
