"""Log-likelihoods with gradients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from beside.workload import Maker, normal, number, workload

N, D, K = 100_000, 4, 16
LOG2PI = math.log(2 * math.pi)
MIXTURE = {
    "x": normal("float64", N, D, scale=2),
    "weights": normal("float64", K),
    "centres": normal("float64", K, D, scale=2),
    "scales": normal("float64", K, D, scale=0.3),
}


def mixture(m: Any, x: Any, weights: Any, centres: Any, scales: Any) -> Any:
    """Log-likelihood of a mixture of Gaussians; scales are logarithms."""
    z = (x[:, None, :] - centres) / m.exp(scales)
    logs = m.log_softmax(weights, 0) - 0.5 * (z * z).sum(-1) - scales.sum(-1) - 0.5 * D * LOG2PI
    return m.logsumexp(logs, 1).sum()


@workload("mixture of 16 Gaussians, 1e5 points of 4, float64", 1e-10, **MIXTURE)
def gmm_logp(m: Any, x: Any, weights: Any, centres: Any, scales: Any) -> Any:
    return mixture(m, x, weights, centres, scales)


@workload("mixture of 16 Gaussians with gradients, 1e5 points of 4, float64", 1e-9, **MIXTURE)
def gmm_grad(m: Any, x: Any, weights: Any, centres: Any, scales: Any) -> Any:
    return m.value_and_grad(lambda *p: mixture(m, x, *p), [weights, centres, scales])


@gmm_grad.in_numpy
def _(x: Any, weights: Any, centres: Any, scales: Any) -> Any:
    shares = weights - weights.max()
    shares = shares - np.log(np.exp(shares).sum())
    z = (x[:, None, :] - centres) / np.exp(scales)
    logs = shares - 0.5 * (z * z).sum(-1) - scales.sum(-1) - 0.5 * D * LOG2PI
    top = logs.max(1, keepdims=True)
    powers = np.exp(logs - top)
    totals = powers.sum(1, keepdims=True)
    parts = powers / totals
    each = parts.sum(0)
    pulled = parts[:, :, None] * z
    slopes = [each - N * np.exp(shares), pulled.sum(0) / np.exp(scales), (pulled * z).sum(0) - each[:, None]]
    return (top[:, 0] + np.log(totals[:, 0])).sum(), slopes


GROUPS, ROWS = 85, 919
SCALARS = {"mean_a": 1.4, "log_a": -0.5, "mean_b": -0.7, "log_b": -0.9, "log_y": -0.3}


def sorted_groups() -> Maker:
    """The group of each row."""
    return lambda rng: np.sort(rng.integers(0, GROUPS, ROWS))


def half_cauchy(m: Any, log: Any) -> Any:
    """Log-density of a scale, in its logarithm."""
    return math.log(2 / math.pi) - m.log(1 + m.exp(log) ** 2) + log


def hierarchy(
    m: Any,
    group: Any,
    floor: Any,
    y: Any,
    mean_a: Any,
    log_a: Any,
    mean_b: Any,
    log_b: Any,
    log_y: Any,
    a: Any,
    b: Any,
) -> Any:
    """Log-density of a regression whose intercepts and slopes differ by group."""
    intercept, slope = mean_a + m.exp(log_a) * a, mean_b + m.exp(log_b) * b
    z = (y - intercept[group] - slope[group] * floor) / m.exp(log_y)
    likelihood = (-0.5 * z * z - log_y - 0.5 * LOG2PI).sum()
    drawn = -0.5 * (a * a).sum() - 0.5 * (b * b).sum() - GROUPS * LOG2PI
    means = -0.5 * (mean_a * mean_a + mean_b * mean_b) / 25 - LOG2PI - 2 * math.log(5)
    return likelihood + drawn + means + half_cauchy(m, log_a) + half_cauchy(m, log_b) + half_cauchy(m, log_y)


@workload(
    "hierarchical regression with gradients, 919 rows in 85 groups, float64",
    1e-9,
    group=sorted_groups(),
    floor=lambda rng: (rng.random(ROWS) < 0.2).astype(float),
    y=normal("float64", ROWS),
    **{name: number(value) for name, value in SCALARS.items()},
    a=normal("float64", GROUPS),
    b=normal("float64", GROUPS),
)
def radon_grad(m: Any, group: Any, floor: Any, y: Any, *p: Any) -> Any:
    return m.value_and_grad(lambda *p: hierarchy(m, group, floor, y, *p), p)


@radon_grad.in_numpy
def _(
    group: Any,
    floor: Any,
    y: Any,
    mean_a: Any,
    log_a: Any,
    mean_b: Any,
    log_b: Any,
    log_y: Any,
    a: Any,
    b: Any,
) -> Any:
    value = hierarchy(np, group, floor, y, mean_a, log_a, mean_b, log_b, log_y, a, b)
    scale_a, scale_b, scale_y = np.exp(log_a), np.exp(log_b), np.exp(log_y)
    z = (y - (mean_a + scale_a * a)[group] - (mean_b + scale_b * b)[group] * floor) / scale_y
    d_a, d_b = np.bincount(group, z / scale_y, GROUPS), np.bincount(group, z / scale_y * floor, GROUPS)

    def d_cauchy(s: Any) -> Any:
        return 1 - 2 * s * s / (1 + s * s)

    return value, [
        d_a.sum() - mean_a / 25,
        scale_a * (d_a @ a) + d_cauchy(scale_a),
        d_b.sum() - mean_b / 25,
        scale_b * (d_b @ b) + d_cauchy(scale_b),
        (z * z - 1).sum() + d_cauchy(scale_y),
        scale_a * d_a - a,
        scale_b * d_b - b,
    ]


P = 20


@workload(
    "Poisson regression with gradient, 50000 x 20 float64",
    1e-9,
    x=normal("float64", 50_000, P, scale=0.3),
    y=lambda rng: rng.poisson(1.0, 50_000).astype(float),
    w=normal("float64", P, scale=0.3),
)
def poisson(m: Any, x: Any, y: Any, w: Any) -> Any:
    def loss(w: Any) -> Any:
        rate = x @ w
        return (m.exp(rate) - y * rate).mean()

    return m.value_and_grad(loss, [w])


@poisson.in_numpy
def _(x: Any, y: Any, w: Any) -> Any:
    rate = x @ w
    mean = np.exp(rate)
    return (mean - y * rate).mean(), [x.T @ (mean - y) / len(y)]


@workload(
    "sums of a million values in 1000 groups, float64",
    1e-10,
    x=normal("float64", 1_000_000),
    group=lambda rng: rng.integers(0, 1000, 1_000_000),
)
def group_sums(m: Any, x: Any, group: Any) -> Any:
    return m.sum_of_groups(x, group, 1000)
