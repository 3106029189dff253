"""Rows that must not be lost: elementwise, stable forms, reductions, moved axes, parts and gradients."""

from __future__ import annotations

import eqsat.tensor as T
from wins.case import case, known

x, y, z = known("x", 300, 200), known("y", 300, 200), known("z", 300, 200)
u, v, w = known("u", 1000), known("v", 1000), known("w", 1000)
s, row, column = known("s"), known("row", 200), known("column", 300)
label = known("label", 300, dtype="int64")
target = known("target", 300, 200)
places = T.arange(300)


def log_softmax(m: object, axis: int = 1) -> object:
    """As it is written out."""
    e = T.exp(m)
    return T.log(e / T.sum(e, axis=axis, keepdims=True))


def softmax(m: object, axis: int = 1) -> object:
    """As it is written out."""
    return T.exp(m) / T.sum(T.exp(m), axis=axis, keepdims=True)


def cross_entropy(p: object) -> object:
    """Mean of minus the logarithm of the probability of the target."""
    return -T.mean(T.sum(target * T.log(p), axis=1))


ELEMENTWISE = [
    case("mul-div-cancel", lambda: (x * y / y, x)),
    case("log-exp", lambda: (T.log(T.exp(x)), x), finite=True),
    case("exp-log", lambda: (T.exp(T.log(abs(x))), abs(x))),
    case("log1p", lambda: (T.log(1 + x), T.log1p(x)), values="positive"),
    case("const-cancel", lambda: (x + 1 - 1, x)),
    case("pow2", lambda: (x**2, T.sqr(x))),
    case("pow-half", lambda: (x**0.5, T.sqrt(x)), values="positive"),
    case("pow10", lambda: (x**10, T.sqr(x * T.sqr(T.sqr(x))))),
    case("sqrt-sqrt", lambda: (T.sqrt(abs(x)) * T.sqrt(abs(x)), abs(x))),
    case("sqrt-sqr", lambda: (T.sqrt(T.sqr(x)), abs(x))),
    case("exp-mul", lambda: (T.exp(x) * T.exp(y), T.exp(x + y))),
    case("commut-merge", lambda: ([T.tanh(x + y), T.tanh(y + x)], [T.tanh(x + y)] * 2)),
    case(
        "bcast-lift",
        lambda: (T.exp(T.zeros((300, 200)) + row[None, :]), T.zeros((300, 200)) + T.exp(row)[None, :]),
    ),
    case(
        "sigmoid-both",
        lambda: ([1 / (1 + T.exp(-x)), 1 - 1 / (1 + T.exp(-x))], [T.sigmoid(x), T.sigmoid(-x)]),
        finite=True,
    ),
    case(
        "sigmoid-grad",
        lambda: (T.grad(T.sum(1 / (1 + T.exp(-u))), u), T.sigmoid(u) * T.sigmoid(-u)),
        finite=True,
    ),
    case("log-sigmoid", lambda: (T.log(T.sigmoid(x)), -T.softplus(-x)), finite=True),
    case("log-1m-sigmoid", lambda: (T.log(1 - T.sigmoid(x)), -T.softplus(x)), finite=True),
    case("log1mexp-a", lambda: (T.log(1 - T.exp(-abs(x))), T.log1mexp(-abs(x))), finite=True),
    case("log1mexp-b", lambda: (T.log1p(-T.exp(-abs(x))), T.log1mexp(-abs(x))), finite=True),
    case("log1mexp-c", lambda: (T.log(-T.expm1(-abs(x))), T.log1mexp(-abs(x))), finite=True),
    case("expm1", lambda: (T.exp(x) - 1, T.expm1(x)), finite=True),
    case("fuse-bcast", lambda: (T.exp(x * row[None, :] + column[:, None]),) * 2),
    case("fuse-bcast-assoc", lambda: (x * (row[None, :] * s), x * (row * s)[None, :])),
]

REDUCED = [
    case("logsumexp", lambda: (T.log(T.sum(T.exp(x), axis=1)), T.logsumexp(x, axis=1)), finite=True),
    case("logaddexp", lambda: (T.log(T.exp(u) + T.exp(v)), T.logaddexp(u, v)), finite=True),
    case("softmax-naive", lambda: (softmax(x), T.softmax(x, axis=1)), finite=True),
    case("softmax-naive-T", lambda: (softmax(x.T, 0).T, T.softmax(x, axis=1)), finite=True),
    case("log-softmax", lambda: (log_softmax(x), T.log_softmax(x, axis=1)), finite=True),
    case("log-softmax-T", lambda: (log_softmax(x.T, 0).T, T.log_softmax(x, axis=1)), finite=True),
    case(
        "log-softmax-index",
        lambda: (T.log(T.softmax(x, axis=1))[places, label], T.log_softmax(x, axis=1)[places, label]),
        finite=True,
    ),
    case(
        "log-softmax-index-first",
        lambda: (T.log(T.softmax(x, axis=1)[places, label]), T.log_softmax(x, axis=1)[places, label]),
        finite=True,
    ),
    case("sum-scale", lambda: (T.sum(s * x), s * T.sum(x))),
    case(
        "sum-div-row",
        lambda: (T.sum(x / column[:, None], axis=1), T.sum(x, axis=1) / column),
        values="positive",
    ),
    case("sum-sum", lambda: (T.sum(T.sum(x, axis=1)), T.sum(x))),
    case("sum-T", lambda: (T.sum(x.T), T.sum(x))),
    case("sum-reshape", lambda: (T.sum(x.reshape((200, 300))), T.sum(x))),
    case("mean-var", lambda: ([T.mean(x), T.var(x)], (lambda m: [m, T.mean(T.sqr(x - m))])(T.mean(x)))),
    case("norm-sq", lambda: (T.sqrt(T.sum(u**2)) ** 2, T.sum(T.sqr(u)))),
    case("max-neg", lambda: (T.max(-x), -T.min(x))),
]

MOVED = [
    case("T-T", lambda: (x.T.T, x)),
    case("reshape-reshape", lambda: (x.reshape((60000,)).reshape((600, 100)), x.reshape((600, 100)))),
    case("reshape-back", lambda: (x.reshape((200, 300)).reshape((300, 200)), x)),
    case("elem-T", lambda: ((T.exp(x.T) + 1).T, T.exp(x) + 1)),
    case("slice-concat", lambda: (T.concatenate([x, y], axis=0)[:300], x)),
    case("elem-slice", lambda: (T.exp(x)[:5], T.exp(x[:5]))),
    case("elem-slice-used", lambda: ((lambda e: [e, e[:5]])(T.exp(x)),) * 2),
    case("softmax-row", lambda: (T.softmax(x, axis=1)[3], T.softmax(x[3], axis=0))),
    case("rowsum-index", lambda: (T.sum(x, axis=1)[3], T.sum(x[3]))),
    case("slice-slice", lambda: (x[10:][5:20], x[15:30])),
    case("rev-rev", lambda: (x[::-1][::-1], x)),
    case("set-get", lambda: (T.set_subtensor(x[:5], y[:5])[:5], y[:5])),
]

GRADIENTS = [
    case(
        "softmax-xent-grad",
        lambda: (
            T.grad(cross_entropy(T.softmax(x, axis=1)), x),
            (T.softmax(x, axis=1) * T.sum(target, axis=1, keepdims=True) - target) / 300,
        ),
        finite=True,
    ),
    case(
        "softmax-xent-grad-naive",
        lambda: (
            T.grad(cross_entropy(softmax(x)), x),
            (T.softmax(x, axis=1) * T.sum(target, axis=1, keepdims=True) - target) / 300,
        ),
        finite=True,
    ),
    case("lse-grad", lambda: (T.grad(T.log(T.sum(T.exp(u))), u), T.softmax(u, axis=0)), finite=True),
    case(
        "softmax-grad",
        lambda: (
            T.grad(T.sum(T.softmax(x, axis=1) * y), x),
            (lambda p: p * (y - T.sum(y * p, axis=1, keepdims=True)))(T.softmax(x, axis=1)),
        ),
        finite=True,
    ),
    case("mse-grad", lambda: (T.grad(T.mean((u - v) ** 2), u), (u - v) * (2 / 1000))),
    case("grad-zero", lambda: (T.grad(T.sum(u - u + v), u, disconnected_inputs="ignore"), T.zeros((1000,)))),
]

KEPT = [*ELEMENTWISE, *REDUCED, *MOVED, *GRADIENTS]
