"""Rows on loops: as people write them, and by hand what is left of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import eqsat
import eqsat.tensor as T
from wins.case import Case, case, known

STEPS, IN, OUT, BATCH = 200, 30, 20, 8


x, X, X3, Y = known("x", STEPS), known("X", STEPS, IN), known("X3", STEPS, BATCH, IN), known("Y", STEPS, OUT)
h, H, u = known("h", IN), known("H", BATCH, IN), known("u", IN)
V, W = known("V", IN, OUT), known("W", IN, IN)
COEFFICIENTS = T.constant(np.arange(1.0, 9.0))
POWERS = T.constant(np.arange(8))


def loop(*args: Any, **options: Any) -> Any:
    return eqsat.scan(*args, **options)[0]


def tanh_of(rows: Any, start: Any = h) -> Any:
    """The recurrence that is left of many of these loops."""
    return loop(lambda row, s: T.tanh(row + s), rows, start)


def two_states() -> Any:
    return loop(lambda row, a, b: [T.tanh(row + a), T.tanh(row * b)], X, [h, h])


def gradient_by_hand() -> Any:
    """The gradient of the last value of s = tanh(u * s), without a term of zero in any step."""
    states = loop(lambda s: T.tanh(u * s), None, h, n_steps=STEPS)
    before = T.concatenate([h[None], states])[:-1]
    slopes = 1 - states**2

    def back(slope: Any, d: Any) -> Any:
        here = d * slope
        return here * u, here

    here = loop(back, slopes[::-1], [T.ones((IN,)), None])[1]
    return T.sum(here * before[::-1], axis=0)


def both(name: str, written: Callable[[], Any], best: Callable[[], Any]) -> Case:
    """A case of two functions."""
    return case(name, lambda: (written(), best()), values="small")


SLOWER = [
    both(
        "scan-reduce-sum",
        lambda: loop(lambda row, s: s + row, X, T.zeros((IN,)))[-1],
        lambda: T.sum(X, axis=0),
    ),
    both("scan-cumsum", lambda: loop(lambda row, s: s + row, X, T.zeros((IN,))), lambda: T.cumsum(X, axis=0)),
    both(
        "scan-acc-outer",
        lambda: loop(lambda a, b, s: s + T.outer(a, b), [X, Y], T.zeros((IN, OUT)))[-1],
        lambda: T.dot(X.T, Y),
    ),
    both(
        "scan-seq-dot",
        lambda: loop(lambda row, s: T.tanh(T.dot(row, W) + s), X, h),
        lambda: tanh_of(T.dot(X, W)),
    ),
    both(
        "scan-seq-matvec",
        lambda: loop(lambda row, s: T.tanh(T.dot(W, row) + s), X, h),
        lambda: tanh_of(T.dot(X, W.T)),
    ),
    both("scan-map-index", lambda: loop(lambda i: X[i] * 2, T.arange(STEPS)), lambda: X * 2),
]

BY_MODEL = [
    both("scan-map-sum", lambda: loop(lambda row: T.exp(row).sum(), X), lambda: T.exp(X).sum(1)),
    both(
        "scan-output-push",
        lambda: loop(lambda row, s: [T.tanh(row + s), T.dot(T.tanh(row + s), V)], X, [h, None])[1],
        lambda: T.dot(tanh_of(X), V),
    ),
    both(
        "scan-grad-last",
        lambda: T.grad(loop(lambda s: T.tanh(u * s), None, h, n_steps=STEPS)[-1].sum(), u),
        gradient_by_hand,
    ),
    both(
        "scan-seq-dot-batch",
        lambda: loop(lambda rows, s: T.tanh(T.dot(rows, W) + s), X3, H),
        lambda: tanh_of(T.dot(X3.reshape((STEPS * BATCH, IN)), W).reshape((STEPS, BATCH, IN)), H),
    ),
]

KEPT = [
    both(
        "scan-invariant-dot",
        lambda: loop(lambda row, s: T.tanh(row + s + T.dot(u, W)), X, h),
        lambda: (lambda c: loop(lambda row, s: T.tanh(row + s + c), X, h))(T.dot(u, W)),
    ),
    both(
        "scan-invariant-chain",
        lambda: loop(lambda row, s: s * T.exp(T.sin(u) + 1) + row, X, h),
        lambda: (lambda c: loop(lambda row, s: s * c + row, X, h))(T.exp(T.sin(u) + 1)),
    ),
    both("scan-map", lambda: loop(lambda row: T.tanh(row) * 2, X), lambda: T.tanh(X) * 2),
    both(
        "scan-poly",
        lambda: loop(lambda c, p: c * x**p, [COEFFICIENTS, POWERS]).sum(0),
        lambda: T.sum(COEFFICIENTS[:, None] * x[None, :] ** POWERS[:, None], axis=0),
    ),
    both(
        "scan-two-merge",
        lambda: tanh_of(X) + loop(lambda row, s: T.tanh(row * s), X, h),
        lambda: T.add(*two_states()),
    ),
    both(
        "scan-chain-fuse",
        lambda: loop(lambda row: row * 3, loop(lambda row: T.exp(row), X)),
        lambda: T.exp(X) * 3,
    ),
    both(
        "scan-chain-fuse of states",
        lambda: loop(lambda row, s: T.sin(row + s), tanh_of(X), h),
        lambda: loop(lambda row, a, b: [T.tanh(row + a), T.sin(T.tanh(row + a) + b)], X, [h, h])[1],
    ),
    both("scan-unused", lambda: two_states()[0], lambda: tanh_of(X)),
    both(
        "scan-const-steps",
        lambda: loop(lambda s: s * 2, None, h, n_steps=4),
        lambda: T.stack([h * 2, h * 4, h * 8, h * 16]),
    ),
]
