"""Rows that other compilers of tensors miss, elementwise and with reductions."""

from __future__ import annotations

import numpy as np

import eqsat.tensor as T
from wins.case import case, known

x, y, z = known("x", 300, 300), known("y", 300, 300), known("z", 300, 300)
a, b = known("a", 300, 300), known("b", 300, 300)
u, v, w = known("u", 1000), known("v", 800), known("w", 1000)
s, t, lam = known("s", 300), known("t", 300), known("lam")
W = known("W", 300, 300)
target = known("target", 1000)


def relu_forms() -> object:
    """Four spellings of the ramp in one sum."""
    return T.maximum(T.maximum(x, 0), 0) + T.switch(x > 0, x, 0) + (x + abs(x)) / 2 + x * (x > 0)


def cross_entropy() -> object:
    """Mean binary cross-entropy of a sigmoid, as it stands in textbooks."""
    p = 1 / (1 + T.exp(-u))
    return T.mean(-(target * T.log(p) + (1 - target) * T.log(1 - p)))


SLOWER = [
    case(
        "outer-exp",
        lambda: (T.exp(u[:, None] + v[None, :]), T.exp(u)[:, None] * T.exp(v)[None, :]),
        "size",
        "fast",
        option="fast",
    ),
    case("mul-chain", lambda: (x * x * x * x * x * x * x * x, T.sqr(T.sqr(T.sqr(x))))),
    case("relu-forms", lambda: (relu_forms(), 4 * T.maximum(x, 0))),
    case(
        "sigmoid-forms",
        lambda: (
            [1 / (1 + T.exp(-x)), T.exp(x) / (1 + T.exp(x)), (T.tanh(x / 2) + 1) / 2],
            [T.sigmoid(x)] * 3,
        ),
        "multi",
        "stab",
        finite=True,
    ),
    case(
        "sqr-diff-merge",
        lambda: (T.exp(-((x - y) ** 2)) + T.exp(-((y - x) ** 2)), 2 * T.exp(-T.sqr(x - y))),
    ),
    case(
        "log-add",
        lambda: (T.log(x) + T.log(y), T.log(x * y)),
        "dom",
        "fast",
        option="fast",
        values="positive",
    ),
    case(
        "commut-merge-exp",
        lambda: (
            [T.dot(T.exp(x + y) * 2, W), T.dot(T.exp(y + x) * 3, W)],
            (lambda e: [2 * e, 3 * e])(T.dot(T.exp(x + y), W)),
        ),
        "multi",
    ),
    case(
        "sqrt-mul",
        lambda: (T.sqrt(x) * T.sqrt(y), T.sqrt(x * y)),
        "dom",
        option="fast",
        values="positive",
    ),
    case("sum-outer-add", lambda: (T.sum(u[:, None] + v[None, :]), 800 * T.sum(u) + 1000 * T.sum(v))),
    case("max-mono", lambda: (T.max(T.exp(x)), T.exp(T.max(x)))),
    case(
        "xent-sigmoid-grad",
        lambda: (T.grad(cross_entropy(), u), (T.sigmoid(u) - target) / 1000),
        "stab",
        finite=True,
    ),
]

BY_MODEL = [
    case("sum-mul-dot", lambda: (T.sum(u * w), T.dot(u, w))),
    case("neg-merge", lambda: ([T.exp(x - y), T.exp(-(y - x))], [T.exp(x - y)] * 2), "multi"),
    case(
        "assoc-merge",
        lambda: (
            [T.dot(T.tanh((x + y) + z), W), T.dot(T.tanh(x + (y + z)), W)],
            [T.dot(T.tanh((x + y) + z), W)] * 2,
        ),
        "multi",
        "fast",
        option="fast",
    ),
    case(
        "exp-mul-shared",
        lambda: ([T.exp(a), T.exp(b), T.exp(a) * T.exp(b)], [T.exp(a), T.exp(b), T.exp(a) * T.exp(b)]),
        "multi",
    ),
    case(
        "exp-sum-shared",
        lambda: ([T.exp(a), T.exp(b), T.exp(a + b)], [T.exp(a), T.exp(b), T.exp(a) * T.exp(b)]),
        "multi",
        "fast",
        option="fast",
    ),
    case(
        "horner",
        lambda: (
            3 * x**4 + 2 * x**3 - x**2 + 5 * x + 1,
            (((3 * x + 2) * x - 1) * x + 5) * x + 1,
        ),
    ),
    case(
        "l2-grad",
        lambda: (T.grad(T.sum(w**2) * lam + T.dot(w, u), w), 2 * lam * w + u),
    ),
    case(
        "div-rows",
        lambda: (
            T.exp(x) / s[:, None] / t[:, None],
            T.exp(x) * (1 / (s * t))[:, None],
        ),
        "fast",
        option="fast",
        values="positive",
    ),
    case(
        "sqrt-known-sign",
        lambda: (T.sqrt(2 + x**2) * T.sqrt(2 + x**2) * abs(T.exp(x)), (2 + T.sqr(x)) * T.exp(x)),
    ),
    case("factor-matrix", lambda: (x * a + x * b, x * (a + b))),
    case(  # log1p(x) alone is a number for -1 < x < 0, where softplus(log(x)) is none
        "softplus-log",
        lambda: (T.softplus(T.log(x)), T.switch(x >= 0, T.log1p(x), np.nan)),
        values="positive",
    ),
]

UNSTABLE = [
    case("expm1-b", lambda: ((1 - T.exp(x)) * -1, T.expm1(x)), finite=True),
    case("logmeanexp", lambda: (T.log(T.mean(T.exp(u))), T.logsumexp(u) - np.log(1000.0)), finite=True),
    case(
        "logsumexp-weighted",
        lambda: (T.log(T.sum(T.sqr(w) * T.exp(u))), T.logsumexp(u + T.log(T.sqr(w)))),
        finite=True,
    ),
    case(
        "logsumexp-scaled",
        lambda: (T.log(3 * T.sum(T.exp(u))), np.log(3.0) + T.logsumexp(u)),
        finite=True,
    ),
    case(
        "softmax-scaled",
        lambda: (
            2 * T.exp(x) / T.sum(T.exp(x), axis=1, keepdims=True) * y,
            2 * y * T.softmax(x, axis=1),
        ),
        finite=True,
    ),
    case(
        "log-softmax-reshape",
        lambda: (
            T.log(T.softmax(x, axis=1).reshape((30, 10, 300))),
            T.log_softmax(x, axis=1).reshape((30, 10, 300)),
        ),
        finite=True,
    ),
    case(
        "var-onepass", lambda: (T.mean(u**2) - T.mean(u) ** 2, T.mean((u - T.mean(u)) ** 2)), values="offset"
    ),
    case("log-prod", lambda: (T.log(T.prod(u)), T.sum(T.log(u))), values="positive", finite=True),
]
