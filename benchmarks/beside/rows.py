"""Functions of rows and columns: softmax, norms, running sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from beside.workload import integers, normal, workload

R, C = 4096, 1024


@workload("softmax of rows, 4096 x 1024 float32", 1e-5, x=normal("float32", R, C))
def softmax_f32(m: Any, x: Any) -> Any:
    return m.softmax(x, 1)


@workload("log-softmax of rows, 4096 x 1024 float64", 1e-12, x=normal("float64", R, C))
def logsoftmax_f64(m: Any, x: Any) -> Any:
    return m.log_softmax(x, 1)


@workload(
    "layer norm with gain and bias, 4096 x 1024 float32",
    1e-5,
    x=normal("float32", R, C, scale=2, shift=1),
    gain=normal("float32", C),
    bias=normal("float32", C),
)
def layernorm_f32(m: Any, x: Any, gain: Any, bias: Any) -> Any:
    mean, variance = x.mean(1, keepdims=True), m.variance(x, 1, keepdims=True)
    return (x - mean) / m.sqrt(variance + 1e-5) * gain + bias


@workload("running sums along rows, 4096 x 1024 float64", 1e-11, x=normal("float64", R, C))
def cumsum_f64(m: Any, x: Any) -> Any:
    return m.cumsum(x, 1)


@workload(
    "exponential averages, 1000 steps of 4096 series, float64",
    1e-12,
    ("torch",),
    x=normal("float64", 1000, R),
)
def ewma_f64(m: Any, x: Any) -> Any:
    return m.joined([x[:1], m.scan(lambda s, row: 0.05 * row + 0.95 * s, x[0], x[1:])])


@workload("softmax of short rows, 100000 x 10 float32", 1e-5, x=normal("float32", 100_000, 10))
def softmax_short(m: Any, x: Any) -> Any:
    return m.softmax(x, 1)


@workload("softmax of columns, 1024 x 4096 float32", 1e-5, x=normal("float32", 1024, R))
def softmax_columns(m: Any, x: Any) -> Any:
    return m.softmax(x, 0)


@workload(
    "RMS norm with gain, 8192 x 512 float32",
    1e-5,
    x=normal("float32", 8192, 512),
    gain=normal("float32", 512),
)
def rmsnorm(m: Any, x: Any, gain: Any) -> Any:
    return x / m.sqrt((x * x).mean(1, keepdims=True) + 1e-6) * gain


@workload(
    "mean, variance, least and largest of columns, 20000 x 256 float64",
    1e-10,
    x=normal("float64", 20_000, 256),
)
def column_figures(m: Any, x: Any) -> Any:
    return x.mean(0), m.variance(x, 0), m.min(x, 0), m.max(x, 0)


@workload(
    "cross-entropy with smoothed labels and its slope, 4096 x 1000 float32",
    1e-4,
    scores=normal("float32", R, 1000),
    labels=integers(1000, R),
)
def smoothed_loss(m: Any, scores: Any, labels: Any) -> Any:
    def loss(scores: Any) -> Any:
        logs = m.log_softmax(scores, 1)
        return -(0.9 * logs[m.arange(R), labels] + 0.1 * logs.mean(1)).mean()

    value, (slope,) = m.value_and_grad(loss, [scores])
    return value, slope


@smoothed_loss.in_numpy
def _(scores: np.ndarray, labels: np.ndarray) -> Any:
    shifted = scores - scores.max(1, keepdims=True)
    powers = np.exp(shifted)
    totals = powers.sum(1, keepdims=True)
    logs = shifted - np.log(totals)
    slope = powers / totals - np.float32(0.1 / 1000)
    slope[np.arange(R), labels] -= np.float32(0.9)
    return -(0.9 * logs[np.arange(R), labels] + 0.1 * logs.mean(1)).mean(), slope / np.float32(R)


@workload(
    "each row less its mean, by its deviation, then the largest: 4096 x 1024 float64",
    1e-10,
    x=normal("float64", R, C),
)
def largest_score(m: Any, x: Any) -> Any:
    scores = (x - x.mean(1, keepdims=True)) / m.sqrt(m.variance(x, 1, keepdims=True))
    return m.max(abs(scores), 1)


@workload(
    "a matrix and a transposed one, 3000 x 3000 float64",
    1e-12,
    a=normal("float64", 3000, 3000),
    b=normal("float64", 3000, 3000),
)
def plus_transposed(m: Any, a: Any, b: Any) -> Any:
    return 0.5 * (a + b.T)


@workload("moving averages of 16 along rows, 2000 x 2000 float64", 1e-10, x=normal("float64", 2000, 2000))
def moving_average(m: Any, x: Any) -> Any:
    sums = m.cumsum(x, 1)
    return (sums[:, 16:] - sums[:, :-16]) / 16
