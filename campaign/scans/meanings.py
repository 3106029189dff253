"""The ops of random scan programs, each as a tensor expression and as a NumPy expression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import eqsat.tensor as T


def _np_set(x: Any, y: Any, place: Any) -> Any:
    found = x.copy()
    found[place] = y
    return found


def _np_increase(x: Any, y: Any, place: Any) -> Any:
    found = x.copy()
    found[place] += y
    return found


def _np_softmax(x: Any) -> Any:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _np_expand(x: Any, pattern: Any) -> Any:
    found = np.transpose(x, [p for p in pattern if p != "x"])
    for axis, p in enumerate(pattern):
        found = np.expand_dims(found, axis) if p == "x" else found
    return found


# name: (with tensors, with arrays); the operands come first, then the parameters
OPS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "copy": (lambda x: x, lambda x: x),
    "tanh": (T.tanh, np.tanh),
    "sin": (T.sin, np.sin),
    "sigmoid": (T.sigmoid, lambda x: (1 / (1 + np.exp(-x))).astype(x.dtype)),
    "exp": (T.exp, np.exp),
    "sqr": (T.sqr, np.square),
    "neg": (T.neg, np.negative),
    "scale": (lambda x, c: x * np.asarray(c, x.dtype), lambda x, c: x * np.asarray(c, x.dtype)),
    "plus": (lambda x, c: x + np.asarray(c, x.dtype), lambda x, c: x + np.asarray(c, x.dtype)),
    "add": (T.add, np.add),
    "sub": (T.sub, np.subtract),
    "mul": (T.mul, np.multiply),
    "divide": (lambda a, b: a / (1 + T.sqr(b)), lambda a, b: a / (1 + np.square(b))),
    "maximum": (T.maximum, np.maximum),
    "minimum": (T.minimum, np.minimum),
    "greater": (lambda x, c: T.gt(x, np.asarray(c, x.dtype)), lambda x, c: x > np.asarray(c, x.dtype)),
    "below": (T.lt, np.less),
    "switch": (T.switch, np.where),
    "mod": (lambda x, m: x % np.asarray(m, x.dtype), lambda x, m: x % np.asarray(m, x.dtype)),
    "cast": (T.cast, lambda x, dtype: np.asarray(x, dtype)),
    "sum": (lambda x, axis, keep: T.sum(x, axis=axis, keepdims=keep), lambda x, axis, keep: np.sum(x, axis, keepdims=keep)),
    "mean": (lambda x, axis, keep: T.mean(x, axis=axis, keepdims=keep), lambda x, axis, keep: np.mean(x, axis, keepdims=keep)),
    "max": (lambda x, axis, keep: T.max(x, axis=axis, keepdims=keep), lambda x, axis, keep: np.max(x, axis, keepdims=keep)),
    "softmax": (lambda x: T.softmax(x, axis=-1), _np_softmax),
    "dot": (T.dot, np.dot),
    "outer": (T.outer, np.outer),
    "part": (lambda x, place: x[place], lambda x, place: x[place]),
    "take": (lambda x, i: x[i], lambda x, i: x[i]),
    "take_column": (lambda x, i: x[:, i], lambda x, i: x[:, i]),
    "set": (lambda x, y, place: T.set_subtensor(x[place], y), _np_set),
    "increase": (lambda x, y, place: T.inc_subtensor(x[place], y), _np_increase),
    "expand": (lambda x, pattern: x.dimshuffle(*pattern), _np_expand),
    "join": (lambda a, b: T.concatenate([a, b], axis=0), lambda a, b: np.concatenate([a, b])),
    "cumsum": (lambda x: T.cumsum(x, axis=0), lambda x: np.cumsum(x, axis=0)),
    "constant": (lambda values, dtype: T.constant(np.array(values, dtype)), lambda values, dtype: np.array(values, dtype)),
    "zeros_like": (T.zeros_like, np.zeros_like),
    "count": (lambda n: T.arange(n), lambda n: np.arange(n)),
    "length": (lambda x: x.shape[0], lambda x: np.int64(x.shape[0])),
}  # fmt: skip

EXACT = {"copy", "neg", "maximum", "minimum", "switch", "cast", "max", "part", "take", "take_column", "set", "expand",
         "join", "constant", "zeros_like"}  # fmt: skip
