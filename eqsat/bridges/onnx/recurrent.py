"""Recurrent layers of ONNX: RNN, GRU and LSTM, in both directions."""

from __future__ import annotations

from typing import Any

import eqsat.tensor as T
from eqsat.bridges.onnx.table import (
    on,
)
from eqsat.bridges.onnx.windows import (
    known_length,
)
from eqsat.bridges.translate import Refused
from eqsat.scan import scan

ACTIVATIONS: dict[str, Any] = {
    "Sigmoid": T.sigmoid,
    "Tanh": T.tanh,
    "Relu": lambda x: T.maximum(x, 0),
    "Softsign": T.softsign,
    "Softplus": T.softplus,
}


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
    """A recurrent layer in each direction: the states of all steps, then the last of each state."""
    if counts is not None:
        raise Refused("sequences of different lengths")
    if c.get("clip") is not None:
        raise Refused("clipped activations")
    names = [n.decode() if isinstance(n, bytes) else n for n in c.get("activations", [])] or defaults * 2
    if any(n not in ACTIVATIONS for n in names):
        raise Refused(f"the activations {', '.join(names)}")
    if c.get("layout", 0):
        xs = xs.dimshuffle(1, 0, 2)
        starts = [None if s is None else s.dimshuffle(1, 0, 2) for s in starts]
    kind = c.get("direction", "forward")
    size = known_length(r, 2)
    traces, ends = [], []
    for d in range(2 if kind == "bidirectional" else 1):
        back = kind == "reverse" or d == 1
        chosen = [ACTIVATIONS[n] for n in names[d * len(defaults) : (d + 1) * len(defaults)]]
        given = xs[::-1] if back else xs
        zero = T.zeros((xs.shape[1], size), dtype=xs.type.dtype)
        first = [zero if s is None else s[d] for s in starts]
        bias = [None, None] if b is None else [b[d, : gates * size], b[d, gates * size :]]

        def one(x: Any, *states: Any, d: int = d, chosen: Any = chosen, bias: Any = bias) -> Any:
            return step(x, states, w[d], r[d], bias, size, chosen)

        found, _ = scan(one, sequences=[given], outputs_info=first, return_list=True)
        traces.append(found[0][::-1] if back else found[0])
        ends.append([f[-1] for f in found])
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
    def step(x: Any, states: Any, w: Any, r: Any, bias: Any, size: int, f: Any) -> Any:
        (h,) = states
        return [f[0](_plus(T.dot(x, w.T), bias[0]) + _plus(T.dot(h, r.T), bias[1]))]

    return layer(c, 1, step, ["Tanh"], x, w, r, b, counts, [h])


@on("GRU")
def gated(c: Any, x: Any, w: Any, r: Any, b: Any = None, counts: Any = None, h: Any = None) -> Any:
    after = c.get("linear_before_reset", 0)

    def step(x: Any, states: Any, w: Any, r: Any, bias: Any, size: int, f: Any) -> Any:
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
    if c.get("input_forget", 0):
        raise Refused("input and forget gates in one")

    def step(x: Any, states: Any, w: Any, r: Any, bias: Any, size: int, f: Any) -> Any:
        h, cell = states
        whole = _plus(T.dot(x, w.T), bias[0]) + _plus(T.dot(h, r.T), bias[1])
        i, o, g, fresh = (_gate(whole, k, size) for k in (0, 1, 2, 3))
        if p is not None:
            i, g = i + p[0, :size] * cell, g + p[0, 2 * size : 3 * size] * cell
        after = f[0](g) * cell + f[0](i) * f[1](fresh)
        if p is not None:
            o = o + p[0, size : 2 * size] * after
        return [f[0](o) * f[2](after), after]

    if p is not None and c.get("direction", "forward") == "bidirectional":
        raise Refused("peepholes in two directions")
    return layer(c, 4, step, ["Sigmoid", "Tanh", "Tanh"], x, w, r, b, counts, [h, s])
