"""One function in many spellings: all must cost the same, and none may give a wrong value at extreme inputs."""

from __future__ import annotations

from typing import Any

import numpy as np

import eqsat.tensor as T
from wins.case import Group, known

x, y = known("x", 400), known("y", 400)
X = known("X", 60, 50)
A, B = known("A", 50, 50), known("B", 50, 50)
q = known("q", 50)
label = known("label", 60, dtype="int64")
places = T.arange(60)


# The meanings, in extended precision.


def true_softplus(v: Any) -> Any:
    return np.maximum(v, 0) + np.log1p(np.exp(-np.abs(v)))


def true_sigmoid(v: Any) -> Any:
    e = np.exp(-np.abs(v))
    return np.where(v >= 0, 1, e) / (1 + e)


def true_logsumexp(m: Any) -> Any:
    top = m.max(axis=1, keepdims=True)
    return (top + np.log(np.exp(m - top).sum(axis=1, keepdims=True)))[:, 0]


def true_log_softmax(m: Any) -> Any:
    return m - true_logsumexp(m)[:, None]


def true_cross_entropy(m: Any, k: Any) -> Any:
    return -true_log_softmax(m)[np.arange(60), k].mean()


# Parts of spellings.


def shifted(m: Any) -> Any:
    return m - T.max(m, axis=1, keepdims=True)


def softmax(m: Any) -> Any:
    return T.exp(m) / T.sum(T.exp(m), axis=1, keepdims=True)


def picked(m: Any) -> Any:
    return -T.mean(m[places, label])


GROUPS = [
    Group(
        "sigmoid",
        [x],
        true_sigmoid,
        {
            "the op": lambda: T.sigmoid(x),
            "one over": lambda: 1 / (1 + T.exp(-x)),
            "exp over one plus exp": lambda: T.exp(x) / (1 + T.exp(x)),
            "exp over exp plus one": lambda: T.exp(x) / (T.exp(x) + 1),
            "tanh and halves": lambda: (T.tanh(x / 2) + 1) / 2,
            "half of tanh": lambda: 0.5 + 0.5 * T.tanh(0.5 * x),
            "one minus": lambda: 1 - T.sigmoid(-x),
            "one minus one over": lambda: 1 - 1 / (1 + T.exp(x)),
            "exp of minus softplus": lambda: T.exp(-T.softplus(-x)),
            "exp of a difference": lambda: T.exp(x - T.log(1 + T.exp(x))),
            "power": lambda: (1 + T.exp(-x)) ** -1,
        },
    ),
    Group(
        "softplus",
        [x],
        true_softplus,
        {
            "the op": lambda: T.softplus(x),
            "log of one plus exp": lambda: T.log(1 + T.exp(x)),
            "log1p of exp": lambda: T.log1p(T.exp(x)),
            "log of sigmoid": lambda: -T.log(T.sigmoid(-x)),
            "log of one minus sigmoid": lambda: -T.log(1 - T.sigmoid(x)),
            "log of one over": lambda: -T.log(1 / (1 + T.exp(x))),
            "shifted": lambda: x + T.log(1 + T.exp(-x)),
            "ramp and log1p": lambda: T.maximum(x, 0) + T.log1p(T.exp(-abs(x))),
            "minus log sigmoid": lambda: x - T.log(T.sigmoid(x)),
            "logaddexp": lambda: T.logaddexp(0, x),
        },
    ),
    Group(
        "logsumexp",
        [X],
        true_logsumexp,
        {
            "the op": lambda: T.logsumexp(X, axis=1),
            "log of sum of exp": lambda: T.log(T.sum(T.exp(X), axis=1)),
            "shifted by the largest": lambda: (
                T.max(X, axis=1) + T.log(T.sum(T.exp(X - T.max(X, axis=1, keepdims=True)), axis=1))
            ),
            "mean": lambda: T.log(T.mean(T.exp(X), axis=1)) + np.log(50.0),
            "transposed": lambda: T.log(T.sum(T.exp(X.T), axis=0)),
            "of a reciprocal": lambda: -T.log(1 / T.sum(T.exp(X), axis=1)),
            "keepdims": lambda: T.log(T.sum(T.exp(X), axis=1, keepdims=True))[:, 0],
            "shifted logsumexp": lambda: T.logsumexp(shifted(X), axis=1) + T.max(X, axis=1),
        },
    ),
    Group(
        "log-softmax",
        [X],
        true_log_softmax,
        {
            "the op": lambda: T.log_softmax(X, axis=1),
            "log of softmax": lambda: T.log(T.softmax(X, axis=1)),
            "log of quotient": lambda: T.log(softmax(X)),
            "minus logsumexp": lambda: X - T.logsumexp(X, axis=1, keepdims=True),
            "minus log of sum": lambda: X - T.log(T.sum(T.exp(X), axis=1, keepdims=True)),
            "shifted, minus log of sum": lambda: (
                shifted(X) - T.log(T.sum(T.exp(shifted(X)), axis=1, keepdims=True))
            ),
            "log of shifted quotient": lambda: T.log(softmax(shifted(X))),
            "transposed": lambda: T.log(T.softmax(X.T, axis=0)).T,
            "log of exp minus log": lambda: T.log(T.exp(X)) - T.log(T.sum(T.exp(X), axis=1))[:, None],
        },
    ),
    Group(
        "cross-entropy",
        [X, label],
        true_cross_entropy,
        {
            "log_softmax": lambda: picked(T.log_softmax(X, axis=1)),
            "log of softmax": lambda: picked(T.log(T.softmax(X, axis=1))),
            "log of quotient": lambda: picked(T.log(softmax(X))),
            "log of what is picked": lambda: -T.mean(T.log(T.softmax(X, axis=1)[places, label])),
            "log of what is picked of a quotient": lambda: -T.mean(T.log(softmax(X)[places, label])),
            "minus logsumexp": lambda: picked(X - T.logsumexp(X, axis=1, keepdims=True)),
            "logsumexp minus what is picked": lambda: T.mean(T.logsumexp(X, axis=1) - X[places, label]),
            "mean of minus": lambda: T.mean(-T.log_softmax(X, axis=1)[places, label]),
            "sum over n": lambda: -T.sum(T.log_softmax(X, axis=1)[places, label]) / 60,
        },
    ),
    Group(
        "sum of squares",
        [x],
        lambda v: (v * v).sum(),
        {
            "power": lambda: T.sum(x**2),
            "sqr": lambda: T.sum(T.sqr(x)),
            "product": lambda: T.sum(x * x),
            "dot": lambda: T.dot(x, x),
            "square of the norm": lambda: T.sqrt(T.sum(x**2)) ** 2,
            "square of norm()": lambda: T.sqr(T.norm(x, 2)),
            "absolute": lambda: T.sum(abs(x) ** 2),
            "mean": lambda: 400 * T.mean(x**2),
            "einsum": lambda: T.einsum("i,i->", x, x),
        },
    ),
    Group(
        "trace of a product",
        [A, B],
        lambda a, b: np.trace(a @ b),
        {
            "trace": lambda: T.trace(T.dot(A, B)),
            "turned": lambda: T.trace(T.dot(B, A)),
            "sum of products": lambda: T.sum(A * B.T),
            "sum of the other": lambda: T.sum(A.T * B),
            "sum of the diagonal": lambda: T.sum(T.diag(T.dot(A, B))),
            "transposed": lambda: T.trace(T.dot(A, B).T),
            "of transposes": lambda: T.trace(T.dot(B.T, A.T)),
            "einsum": lambda: T.einsum("ij,ji->", A, B),
        },
    ),
    Group(
        "quadratic form",
        [q, A],
        lambda v, a: v @ a @ v,
        {
            "from the right": lambda: T.dot(q, T.dot(A, q)),
            "from the left": lambda: T.dot(T.dot(q, A), q),
            "sum": lambda: T.sum(q * T.dot(A, q)),
            "transposed": lambda: T.dot(q, T.dot(A.T, q)),
            "outer": lambda: T.sum(T.outer(q, q) * A),
            "trace": lambda: T.trace(T.dot(A, T.outer(q, q))),
            "broadcast": lambda: T.sum(q[:, None] * A * q[None, :]),
            "einsum": lambda: T.einsum("i,ij,j->", q, A, q),
        },
    ),
    Group(
        "relu",
        [x],
        lambda v: np.maximum(v, 0),
        {
            "maximum": lambda: T.maximum(x, 0),
            "turned maximum": lambda: T.maximum(0, x),
            "the op": lambda: T.relu(x),
            "switch": lambda: T.switch(x > 0, x, 0),
            "switch of the other": lambda: T.switch(x <= 0, 0, x),
            "switch from below": lambda: T.switch(0 < x, x, 0),
            "absolute": lambda: (x + abs(x)) / 2,
            "half of a sum": lambda: 0.5 * (abs(x) + x),
            "mask": lambda: x * (x > 0),
            "minus the least": lambda: -T.minimum(-x, 0),
            "without the negative": lambda: x - T.minimum(x, 0),
        },
    ),
    Group(
        "cube",
        [x],
        lambda v: v**3,
        {
            "power": lambda: x**3,
            "products": lambda: x * x * x,
            "other bracket": lambda: x * (x * x),
            "times a square": lambda: x * x**2,
            "square first": lambda: T.sqr(x) * x,
            "power of a power": lambda: x**2 * x**1,
            "fourth over first": lambda: x**4 / x,
        },
        points=[("any", 1.0)],
    ),
    Group(
        "2x + 2y",
        [x, y],
        lambda v, w: 2 * v + 2 * w,
        {
            "multiples": lambda: 2 * x + 2 * y,
            "factor": lambda: 2 * (x + y),
            "factor after": lambda: (x + y) * 2,
            "sum of sums": lambda: (x + y) + (x + y),
            "doubles": lambda: (x + x) + (y + y),
            "in a row": lambda: x + x + y + y,
            "in turn": lambda: x + y + x + y,
            "mixed": lambda: x + 2 * y + x,
            "double and multiple": lambda: (x + x) + 2 * y,
        },
    ),
    Group(
        "variance",
        [x],
        lambda v: ((v - v.mean()) ** 2).mean(),
        {
            "the function": lambda: T.var(x),
            "two passes": lambda: T.mean((x - T.mean(x)) ** 2),
            "one pass": lambda: T.mean(x**2) - T.mean(x) ** 2,
            "one pass, products": lambda: T.mean(x * x) - T.mean(x) * T.mean(x),
            "turned difference": lambda: T.mean(T.sqr(T.mean(x) - x)),
            "sum over n": lambda: T.sum((x - T.mean(x)) ** 2) / 400,
            "sums over n": lambda: T.sum(x**2) / 400 - (T.sum(x) / 400) ** 2,
            "dot": lambda: T.dot(x - T.mean(x), x - T.mean(x)) / 400,
            "square of the deviation": lambda: T.std(x) ** 2,
        },
        points=[("any", 1.0), ("offset", 1.0)],
    ),
]
