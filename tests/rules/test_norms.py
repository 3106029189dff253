"""What norms divide by is known to be no less than what they add to it, so that each row inverts it once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eqsat
import eqsat.tensor as T
from tests.rules.helpers import optimise

EPS = np.float32(1e-5)


def layer_norm(x: Any) -> Any:
    return (x - x.mean(-1, keepdims=True)) / T.sqrt(T.var(x, -1, keepdims=True) + EPS)


def group_norm(x: Any) -> Any:
    return layer_norm(x.reshape((x.shape[0], 4, x.size // (4 * x.shape[0])))).reshape(x.shape)


NORMS = {
    "layer": layer_norm,
    "group": group_norm,
    "root mean square": lambda x: x / T.sqrt(T.sqr(x).mean(-1, keepdims=True) + EPS),
    "batch": lambda x: (x - x.mean(0)) / T.sqrt(T.var(x, 0) + EPS),
    "deviation": lambda x: (x - x.mean(0)) / (T.std(x, 0) + EPS),
    "length": lambda x: x / T.sqrt((x * x).sum(-1, keepdims=True) + EPS),
    "length from below": lambda x: x / T.maximum(T.sqrt(T.sqr(x).sum(-1, keepdims=True)), EPS),
    "without zero": lambda x: x / (1 + abs(x).sum(-1, keepdims=True)),
    "root of a sum": lambda x: x / T.sqrt(T.sqr(x).mean(-1, keepdims=True)),
}


@pytest.mark.parametrize("name", NORMS)
def test_a_norm_inverts_its_divisor_once(name: str) -> None:
    fired = optimise(NORMS[name](T.matrix("x", dtype="float32"))).fired
    assert {"divide-by-repeated", "divide-by-root"} & set(fired)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_norms_are_what_they_are_as_written(dtype: str) -> None:
    x = T.matrix("x", dtype=dtype)
    norms = [NORMS[name](x) for name in ("layer", "batch", "length from below", "root of a sum")]
    values = np.random.default_rng(1).normal(size=(5, 8)).astype(dtype)
    special = values.copy()
    special[0, 0], special[1, 1], special[2] = np.inf, np.nan, 0
    given, plain = (eqsat.function([x], norms, mode=mode) for mode in (None, "reference"))
    for a in (values, special, values * 1e-18, values[:, :0], values[:0]):
        for found, right in zip(given(a), plain(a), strict=True):
            np.testing.assert_allclose(found, right, rtol=1e-5 if dtype == "float32" else 1e-12)


@pytest.mark.parametrize(
    "divisor",
    [
        lambda x: T.sqr(x).mean(-1, keepdims=True),
        lambda x: x.mean(-1, keepdims=True) + EPS,
        lambda x: T.sqrt(T.sqr(x) / T.sqr(T.sgn(x) * 0)).sum(-1, keepdims=True),
    ],
)
def test_what_may_be_zero_or_below_stays_a_divisor(divisor: Any) -> None:
    x = T.matrix("x", dtype="float64")
    assert "divide-by-repeated" not in optimise(x / divisor(x)).fired


def test_a_quotient_by_a_length_is_not_below_zero() -> None:
    """A length is no -0.0, by which numbers above zero give -inf."""
    x = T.matrix("x", dtype="float64")
    mean = T.sqr(x).mean(-1)
    assert "abs-of-nonneg" in optimise(abs(mean)).fired
    assert "abs-of-nonneg" not in optimise(abs(T.sqr(x) / T.exp(-T.sqr(x)))).fired
