"""Losses with gradients: regressions, a network, attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from beside.workload import Maker, integers, normal, workload, zeros

D, K = 784, 10


def cross_entropy(m: Any, scores: Any, labels: Any, count: int) -> Any:
    """Mean loss of scores before softmax."""
    return -m.log_softmax(scores, 1)[m.arange(count), labels].mean()


def numpy_cross_entropy(scores: np.ndarray, labels: np.ndarray) -> tuple[Any, np.ndarray]:
    """The loss, and its slope in the scores."""
    n = len(scores)
    shifted = scores - scores.max(1, keepdims=True)
    powers = np.exp(shifted)
    totals = powers.sum(1, keepdims=True)
    loss = (np.log(totals[:, 0]) - shifted[np.arange(n), labels]).mean()
    slope = powers / totals
    slope[np.arange(n), labels] -= 1
    return loss, slope / np.float32(n)


def regression(name: str, rows: int) -> None:
    """Register softmax regression on some rows."""

    def program(m: Any, x: Any, y: Any, w: Any, b: Any) -> Any:
        return m.value_and_grad(lambda w, b: cross_entropy(m, x @ w + b, y, rows), [w, b])

    def in_numpy(x: Any, y: Any, w: Any, b: Any) -> Any:
        loss, slope = numpy_cross_entropy(x @ w + b, y)
        return loss, x.T @ slope, slope.sum(0)

    program.__name__ = name
    register = workload(
        f"softmax regression with gradient, {rows} x 784 -> 10 float32",
        2e-4,
        x=normal("float32", rows, D),
        y=integers(K, rows),
        w=normal("float32", D, K, scale=0.05),
        b=zeros("float32", K),
    )
    register(program).in_numpy(in_numpy)


regression("logreg_256", 256)
regression("logreg_16384", 16384)

H, BATCH, RATE = 512, 128, 0.1


def layer(rows: int, columns: int) -> Maker:
    """Weights of a layer."""
    return normal("float32", rows, columns, scale=rows**-0.5)


@workload(
    "a step of a network 784-512-512-10 by gradient descent, batch 128, float32",
    2e-4,
    x=normal("float32", BATCH, D),
    y=integers(K, BATCH),
    w1=layer(D, H),
    b1=zeros("float32", H),
    w2=layer(H, H),
    b2=zeros("float32", H),
    w3=layer(H, K),
    b3=zeros("float32", K),
)
def mlp_step(m: Any, x: Any, y: Any, *weights: Any) -> Any:
    def loss(w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any) -> Any:
        hidden = m.relu(m.relu(x @ w1 + b1) @ w2 + b2)
        return cross_entropy(m, hidden @ w3 + b3, y, BATCH)

    value, slopes = m.value_and_grad(loss, weights)
    return value, [w - RATE * g for w, g in zip(weights, slopes, strict=True)]


@mlp_step.in_numpy
def _(x: Any, y: Any, w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any) -> Any:
    h1 = np.maximum(x @ w1 + b1, 0)
    h2 = np.maximum(h1 @ w2 + b2, 0)
    loss, d3 = numpy_cross_entropy(h2 @ w3 + b3, y)
    d2 = (d3 @ w3.T) * (h2 > 0)
    d1 = (d2 @ w2.T) * (h1 > 0)
    slopes = [x.T @ d1, d1.sum(0), h1.T @ d2, d2.sum(0), h2.T @ d3, d3.sum(0)]
    weights = [w1, b1, w2, b2, w3, b3]
    return loss, [w - np.float32(RATE) * g for w, g in zip(weights, slopes, strict=True)]


HEADS, LENGTH, WIDTH = 8, 512, 64
HEAD = normal("float32", HEADS, LENGTH, WIDTH)


def attention(m: Any, q: Any, k: Any, v: Any) -> Any:
    """Softmax of scaled products of queries and keys, times the values."""
    return m.softmax(m.matmul(q, m.permuted(k, (0, 2, 1))) * WIDTH**-0.5, -1) @ v


@workload("attention, 8 heads x 512 x 64 float32", 1e-4, q=HEAD, k=HEAD, v=HEAD)
def attn_fwd(m: Any, q: Any, k: Any, v: Any) -> Any:
    return attention(m, q, k, v)


@workload("attention with gradients, 8 heads x 512 x 64 float32", 1e-4, q=HEAD, k=HEAD, v=HEAD, w=HEAD)
def attn_bwd(m: Any, q: Any, k: Any, v: Any, w: Any) -> Any:
    return m.value_and_grad(lambda q, k, v: (attention(m, q, k, v) * w).sum(), [q, k, v])


@attn_bwd.in_numpy
def _(q: Any, k: Any, v: Any, w: Any) -> Any:
    scale = np.float32(WIDTH**-0.5)
    scores = q @ k.transpose(0, 2, 1) * scale
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    shares = powers / powers.sum(-1, keepdims=True)
    d_shares = w @ v.transpose(0, 2, 1)
    d_scores = shares * (d_shares - (d_shares * shares).sum(-1, keepdims=True)) * scale
    slopes = [d_scores @ k, d_scores.transpose(0, 2, 1) @ q, shares.transpose(0, 2, 1) @ w]
    return (shares @ v * w).sum(), slopes


@workload("attention with a causal mask, 8 heads x 512 x 64 float32", 1e-4, q=HEAD, k=HEAD, v=HEAD)
def causal_attention(m: Any, q: Any, k: Any, v: Any) -> Any:
    places = m.arange(LENGTH)
    scores = m.matmul(q, m.permuted(k, (0, 2, 1))) * WIDTH**-0.5
    return m.softmax(m.where(places[:, None] >= places[None, :], scores, -1e9), -1) @ v


@causal_attention.in_numpy
def _(q: Any, k: Any, v: Any) -> Any:
    places = np.arange(LENGTH)
    scores = q @ k.transpose(0, 2, 1) * np.float32(WIDTH**-0.5)
    scores = np.where(places[:, None] >= places[None, :], scores, np.float32(-1e9))
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True) @ v


@workload(
    "gated layer (SwiGLU), 512 x 256 -> 1024 -> 256 float32",
    1e-4,
    x=normal("float32", 512, 256),
    gate=layer(256, 1024),
    up=layer(256, 1024),
    down=layer(1024, 256),
)
def swiglu(m: Any, x: Any, gate: Any, up: Any, down: Any) -> Any:
    opened = x @ gate
    return (opened * m.sigmoid(opened) * (x @ up)) @ down


@workload(
    "mean of 20 of 50000 word vectors of 64, batch 1024, float32",
    1e-5,
    table=normal("float32", 50_000, 64),
    words=integers(50_000, 1024, 20),
)
def bag_of_words(m: Any, table: Any, words: Any) -> Any:
    return table[words].mean(1)
