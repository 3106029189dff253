"""Recurrent layers of ONNX: RNN, GRU and LSTM, in both directions."""

from __future__ import annotations

from typing import Any

import numpy as np

import eqsat.tensor as T
from eqsat.bridges.onnx.table import on
from eqsat.bridges.onnx.windows import known_length
from eqsat.bridges.translate import Refused
from eqsat.scan import scan

ALPHA = {
    "LeakyRelu": 0.01,
    "ThresholdedRelu": 1.0,
    "HardSigmoid": 0.2,
    "Elu": 1.0,
    "ScaledTanh": 1.0,
    "Affine": 1.0,
}
BETA = {"HardSigmoid": 0.5, "ScaledTanh": 1.0, "Affine": 0.0}
ACTIVATIONS: dict[
    str, Any
] = {  # functions of a tensor, and of alpha and beta where these have a default above
    "Affine": lambda x, alpha, beta: alpha * x + beta,
    "Elu": lambda x, alpha: T.switch(T.lt(x, 0), alpha * T.expm1(x), x),
    "HardSigmoid": lambda x, alpha, beta: T.clip(alpha * x + beta, 0, 1),
    "LeakyRelu": lambda x, alpha: T.switch(T.lt(x, 0), alpha * x, x),
    "Relu": lambda x: T.maximum(x, 0),
    "ScaledTanh": lambda x, alpha, beta: alpha * T.tanh(beta * x),
    "Sigmoid": T.sigmoid,
    "Softplus": T.softplus,
    "Softsign": T.softsign,
    "Tanh": T.tanh,
    "ThresholdedRelu": lambda x, alpha: T.switch(T.ge(x, alpha), x, 0),
}


def activations(c: Any, defaults: list[str], dtype: str) -> list[Any]:
    """The functions of all directions; those that take numbers use up the lists of these in order."""
    names = [n.decode() if isinstance(n, bytes) else n for n in c.get("activations", [])] or defaults * 2
    known = {name.lower(): name for name in ACTIVATIONS}
    alphas, betas = (iter(c.get(f"activation_{n}", [])) for n in ("alpha", "beta"))
    made = []
    for name in names:
        if name.lower() not in known:
            raise Refused(f"the activation {name}")
        name = known[name.lower()]
        given = [next(many, own[name]) for own, many in ((ALPHA, alphas), (BETA, betas)) if name in own]
        numbers = [np.asarray(v, dtype) for v in given]
        made.append(lambda x, f=ACTIVATIONS[name], numbers=numbers: f(x, *numbers))
    return made


def clipped(f: Any, bound: float | None, dtype: str) -> Any:
    """A function of what is cut off at a bound on both sides."""
    if bound is None:
        return f
    high = np.asarray(bound, dtype)
    return lambda x: f(T.clip(x, -high, high))


def layer(
    c: Any,
    gates: int,
    step: Any,
    defaults: list[str],
    xs: Any,
    w: Any,
    r: Any,
    b: Any,
    counts: Any,
    starts: list[Any],
) -> list[Any]:
    """A recurrent layer in each direction: the states of all steps, then the last of each state.

    ``counts`` are the steps of each sequence of the batch: behind them its states stay, and nothing is given.
    """
    functions = activations(c, defaults, xs.type.dtype)
    if c.get("layout", 0):
        xs = xs.dimshuffle(1, 0, 2)
        starts = [None if s is None else s.dimshuffle(1, 0, 2) for s in starts]
    kind = c.get("direction", "forward")
    size = known_length(r, 2)
    traces, ends = [], []
    for d in range(2 if kind == "bidirectional" else 1):
        back = kind == "reverse" or d == 1
        own = functions[d * len(defaults) : (d + 1) * len(defaults)]
        chosen = [clipped(f, c.get("clip"), xs.type.dtype) for f in own[:2]] + own[
            2:
        ]  # of gates, not of the state
        zero = T.zeros((xs.shape[1], size), dtype=xs.type.dtype)
        first = [zero if s is None else s[d] for s in starts]
        bias = [None, None] if b is None else [b[d, : gates * size], b[d, gates * size :]]

        def one(x: Any, k: Any, *states: Any, d: int = d, chosen: Any = chosen, bias: Any = bias) -> Any:
            made = step(x, states, w[d], r[d], bias, size, chosen, d)
            if counts is None:
                return [made[0], *made]
            inside = T.lt(k, counts).dimshuffle(0, "x")
            held = [T.switch(inside, m, s) for m, s in zip(made, states, strict=True)]
            return [T.switch(inside, made[0], 0), *held]

        given = [x[::-1] if back else x for x in (xs, T.arange(xs.shape[0]))]
        found, _ = scan(one, sequences=given, outputs_info=[None, *first], return_list=True)
        traces.append(found[0][::-1] if back else found[0])
        ends.append([f[-1] for f in found[1:]])
    whole = T.stack(traces, axis=1)
    last = [T.stack([e[k] for e in ends]) for k in range(len(ends[0]))]
    if c.get("layout", 0):
        whole, last = whole.dimshuffle(2, 0, 1, 3), [s.dimshuffle(1, 0, 2) for s in last]
    return c.outputs(whole, *last)


def _gate(v: Any, k: int, size: int) -> Any:
    return v[..., k * size : (k + 1) * size]


def _plus(v: Any, b: Any) -> Any:
    return v if b is None else v + b


@on("RNN")
def simple(c: Any, x: Any, w: Any, r: Any, b: Any = None, counts: Any = None, h: Any = None) -> Any:
    def step(x: Any, states: Any, w: Any, r: Any, bias: Any, size: int, f: Any, d: int) -> Any:
        (h,) = states
        return [f[0](_plus(T.dot(x, w.T), bias[0]) + _plus(T.dot(h, r.T), bias[1]))]

    return layer(c, 1, step, ["Tanh"], x, w, r, b, counts, [h])


@on("GRU")
def gated(c: Any, x: Any, w: Any, r: Any, b: Any = None, counts: Any = None, h: Any = None) -> Any:
    after = c.get("linear_before_reset", 0)

    def step(x: Any, states: Any, w: Any, r: Any, bias: Any, size: int, f: Any, d: int) -> Any:
        (h,) = states
        wide, past = _plus(T.dot(x, w.T), bias[0]), _plus(T.dot(h, r.T), bias[1])
        update, reset = (f[0](_gate(wide, k, size) + _gate(past, k, size)) for k in (0, 1))
        if after:
            inner = reset * _gate(past, 2, size)
        else:
            inner = _plus(
                T.dot(reset * h, r[2 * size :].T), None if bias[1] is None else _gate(bias[1], 2, size)
            )
        fresh = f[1](_gate(wide, 2, size) + inner)
        return [(1 - update) * fresh + update * h]

    return layer(c, 3, step, ["Sigmoid", "Tanh"], x, w, r, b, counts, [h])


@on("LSTM")
def long_short(
    c: Any,
    x: Any,
    w: Any,
    r: Any,
    b: Any = None,
    counts: Any = None,
    h: Any = None,
    s: Any = None,
    p: Any = None,
) -> Any:
    coupled = c.get("input_forget", 0)

    def step(x: Any, states: Any, w: Any, r: Any, bias: Any, size: int, f: Any, d: int) -> Any:
        h, cell = states
        whole = _plus(T.dot(x, w.T), bias[0]) + _plus(T.dot(h, r.T), bias[1])
        i, o, g, fresh = (_gate(whole, k, size) for k in (0, 1, 2, 3))
        if p is not None:
            i, g = i + p[d, :size] * cell, g + p[d, 2 * size : 3 * size] * cell
        enter = f[0](i)
        after = (1 - enter if coupled else f[0](g)) * cell + enter * f[1](fresh)
        if p is not None:
            o = o + p[d, size : 2 * size] * after
        return [f[0](o) * f[2](after), after]

    return layer(c, 4, step, ["Sigmoid", "Tanh", "Tanh"], x, w, r, b, counts, [h, s])
