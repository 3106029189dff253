"""Norms over rows, columns, groups and channels, alone and with gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from beside.workload import integers, normal, workload


@workload(
    "layer norm with gain and bias, and its gradients, 2048 x 768 float32",
    1e-4,
    x=normal("float32", 2048, 768, scale=2, shift=1),
    gain=normal("float32", 768),
    bias=normal("float32", 768),
    weight=normal("float32", 2048, 768),
)
def layernorm_grad(m: Any, x: Any, gain: Any, bias: Any, weight: Any) -> Any:
    def loss(x: Any, gain: Any, bias: Any) -> Any:
        apart = x - x.mean(1, keepdims=True)
        return (weight * (apart / m.sqrt((apart * apart).mean(1, keepdims=True) + 1e-5) * gain + bias)).sum()

    return m.value_and_grad(loss, [x, gain, bias])


@layernorm_grad.in_numpy
def _(x: Any, gain: Any, bias: Any, weight: Any) -> Any:
    apart = x - x.mean(1, keepdims=True)
    scale = 1 / np.sqrt((apart * apart).mean(1, keepdims=True) + np.float32(1e-5))
    unit, slope = apart * scale, weight * gain
    inner = slope - slope.mean(1, keepdims=True) - unit * (slope * unit).mean(1, keepdims=True)
    return (weight * (unit * gain + bias)).sum(), [inner * scale, (weight * unit).sum(0), weight.sum(0)]


@workload(
    "batch norm of columns, 8192 x 256 float32",
    1e-5,
    x=normal("float32", 8192, 256, scale=2, shift=1),
    gain=normal("float32", 256),
    bias=normal("float32", 256),
)
def batchnorm(m: Any, x: Any, gain: Any, bias: Any) -> Any:
    return (x - x.mean(0)) / m.sqrt(m.variance(x, 0) + 1e-5) * gain + bias


@workload(
    "batch norm of images, 32 x 64 x 28 x 28 float32",
    1e-5,
    x=normal("float32", 32, 64, 28, 28, scale=2, shift=1),
    gain=normal("float32", 64),
    bias=normal("float32", 64),
)
def batchnorm_images(m: Any, x: Any, gain: Any, bias: Any) -> Any:
    mean, variance = x.mean((0, 2, 3), keepdims=True), m.variance(x, (0, 2, 3), keepdims=True)
    return (x - mean) / m.sqrt(variance + 1e-5) * gain.reshape((64, 1, 1)) + bias.reshape((64, 1, 1))


@workload(
    "group norm of images, 32 x 64 x 28 x 28 float32 in 8 groups",
    1e-5,
    x=normal("float32", 32, 64, 28, 28, scale=2, shift=1),
    gain=normal("float32", 64),
    bias=normal("float32", 64),
)
def groupnorm(m: Any, x: Any, gain: Any, bias: Any) -> Any:
    groups = x.reshape((32, 8, 8 * 28 * 28))
    apart = groups - groups.mean(2, keepdims=True)
    unit = apart / m.sqrt(m.variance(groups, 2, keepdims=True) + 1e-5)
    return unit.reshape((32, 64, 28, 28)) * gain.reshape((64, 1, 1)) + bias.reshape((64, 1, 1))


@workload("rows of length one, 8192 x 256 float32", 1e-5, x=normal("float32", 8192, 256))
def unit_rows(m: Any, x: Any) -> Any:
    return x / m.sqrt((x * x).sum(1, keepdims=True))


@workload("standard scores of columns, 20000 x 100 float64", 1e-10, x=normal("float64", 20_000, 100, scale=3))
def standard_columns(m: Any, x: Any) -> Any:
    return (x - x.mean(0)) / m.sqrt(m.variance(x, 0))


@workload(
    "cosines of pairs of rows, 20000 x 128 float32",
    1e-5,
    a=normal("float32", 20_000, 128),
    b=normal("float32", 20_000, 128),
)
def cosine_rows(m: Any, a: Any, b: Any) -> Any:
    return (a * b).sum(1) / (m.sqrt((a * a).sum(1)) * m.sqrt((b * b).sum(1)) + 1e-8)


@workload(
    "log-sum-exp loss with gradient, 8192 x 200 float64",
    1e-9,
    scores=normal("float64", 8192, 200),
    labels=integers(200, 8192),
)
def picked_loss(m: Any, scores: Any, labels: Any) -> Any:
    def loss(scores: Any) -> Any:
        return (m.logsumexp(scores, 1) - scores[m.arange(8192), labels]).mean()

    return m.value_and_grad(loss, [scores])


@picked_loss.in_numpy
def _(scores: Any, labels: Any) -> Any:
    top = scores.max(1, keepdims=True)
    powers = np.exp(scores - top)
    totals = powers.sum(1, keepdims=True)
    rows = np.arange(8192)
    slope = powers / totals
    slope[rows, labels] -= 1
    return (np.log(totals)[:, 0] + top[:, 0] - scores[rows, labels]).mean(), [slope / 8192]


@workload(
    "RMS norm of a sum, and the sum, 4096 x 1024 float32",
    1e-5,
    x=normal("float32", 4096, 1024),
    more=normal("float32", 4096, 1024),
    gain=normal("float32", 1024),
)
def residual_rmsnorm(m: Any, x: Any, more: Any, gain: Any) -> Any:
    both = x + more
    return both / m.sqrt((both * both).mean(1, keepdims=True) + 1e-6) * gain, both
