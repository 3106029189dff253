"""The models as loops over NumPy: products of inputs before the loop, of gradients after it, as a careful author would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from recurrent import steps
from recurrent.rows import Row

about = f"NumPy {np.__version__}, a loop in Python"


def build(row: Row) -> Callable[..., Any]:
    """Function of the row's data."""
    model = MODELS[row.model + "-grad" * row.gradient]
    return lambda *data: model(row, *data)


def given(data: Sequence[np.ndarray]) -> list[Any]:
    """The data as the library takes it at no cost."""
    return [a if a.ndim else a[()] for a in data]


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def gates(x: np.ndarray, n: int) -> list[np.ndarray]:
    """Views of values that stand side by side."""
    return [x[..., k : k + n] for k in range(0, x.shape[-1], n)]


def gru_values(row: Row, x: Any, h: Any, w: Any, u: Any, b: Any) -> tuple[Any, ...]:
    """The states with the first one, gates, and the candidate's part of the state's product."""
    n, inputs = row.width, x @ w + b
    states, parts = np.empty((len(x) + 1, *h.shape), h.dtype), np.empty((len(x), *h.shape), h.dtype)
    states[0] = h
    for t in range(len(x)):
        g, k = inputs[t], states[t] @ u
        g[:, : 2 * n] = sigmoid(g[:, : 2 * n] + k[:, : 2 * n])
        reset, update, last = gates(g, n)
        parts[t] = k[:, 2 * n :]
        last[:] = np.tanh(last + reset * parts[t])
        states[t + 1] = (1 - update) * last + update * states[t]
    return states, inputs, parts


def gru(row: Row, *data: Any) -> list[Any]:
    return [gru_values(row, *data)[0][1:]]


def gru_grad(row: Row, x: Any, h: Any, w: Any, u: Any, b: Any) -> list[Any]:
    """Loss and gradients, by hand: slopes of both products for every step, and the products of the weights at the end."""
    states, inputs, parts = gru_values(row, x, h, w, u, b)
    n, scale, back = row.width, 2 / states[1:].size, np.zeros_like(h)
    for_w, for_u = np.empty_like(inputs), np.empty_like(inputs)
    for t in reversed(range(len(x))):
        reset, update, last = gates(inputs[t], n)
        dreset, dupdate, dlast = gates(for_w[t], n)
        back += scale * states[t + 1]
        dlast[:] = back * (1 - update) * (1 - last * last)
        dupdate[:] = back * (states[t] - last) * update * (1 - update)
        dreset[:] = dlast * parts[t] * reset * (1 - reset)
        for_u[t] = for_w[t]
        for_u[t, :, 2 * n :] *= reset
        back = back * update + for_u[t] @ u.T
    loss = np.mean(np.square(states[1:]))
    return [loss, *weight_slopes(x, states[:-1], for_w, for_u)]


def lstm_values(row: Row, x: Any, h: Any, c: Any, w: Any, u: Any, b: Any) -> tuple[Any, ...]:
    """States and cells with the first ones, gates, and the cells' tanh."""
    n, inputs = row.width, x @ w + b
    states, cells = (np.empty((len(x) + 1, *h.shape), h.dtype) for _ in range(2))
    shown = np.empty((len(x), *h.shape), h.dtype)
    states[0], cells[0] = h, c
    for t in range(len(x)):
        g = inputs[t]
        g += states[t] @ u
        g[:, : 3 * n], g[:, 3 * n :] = sigmoid(g[:, : 3 * n]), np.tanh(g[:, 3 * n :])
        write, keep, show, candidate = gates(g, n)
        cells[t + 1] = keep * cells[t] + write * candidate
        shown[t] = np.tanh(cells[t + 1])
        states[t + 1] = show * shown[t]
    return states, cells, inputs, shown


def lstm(row: Row, *data: Any) -> list[Any]:
    return [lstm_values(row, *data)[0][1:]]


def lstm_grad(row: Row, x: Any, h: Any, c: Any, w: Any, u: Any, b: Any) -> list[Any]:
    """Loss and gradients, by hand."""
    states, cells, inputs, shown = lstm_values(row, x, h, c, w, u, b)
    n, scale = row.width, 2 / states[1:].size
    back, dcell, slopes = np.zeros_like(h), np.zeros_like(c), np.empty_like(inputs)
    for t in reversed(range(len(x))):
        write, keep, show, candidate = gates(inputs[t], n)
        dwrite, dkeep, dshow, dcandidate = gates(slopes[t], n)
        back += scale * states[t + 1]
        dcell += back * show * (1 - shown[t] * shown[t])
        dshow[:] = back * shown[t] * show * (1 - show)
        dwrite[:] = dcell * candidate * write * (1 - write)
        dkeep[:] = dcell * cells[t] * keep * (1 - keep)
        dcandidate[:] = dcell * write * (1 - candidate * candidate)
        dcell *= keep
        back = slopes[t] @ u.T
    loss = np.mean(np.square(states[1:]))
    return [loss, *weight_slopes(x, states[:-1], slopes, slopes)]


def weight_slopes(x: Any, states: Any, for_w: Any, for_u: Any) -> list[Any]:
    """Gradients of the weights from the slopes of the products of all steps."""
    flat = [a.reshape(-1, a.shape[-1]) for a in (x, states, for_w, for_u)]
    return [flat[0].T @ flat[2], flat[1].T @ flat[3], flat[2].sum(axis=0)]


def ar2(row: Row, e: Any, start: Any, a: Any, b: Any) -> list[Any]:
    values, (before, last) = np.empty_like(e), start
    for t in range(len(e)):
        before, last = last, steps.ar2(e[t], before, last, a, b)
        values[t] = last
    return [values]


def sir(row: Row, s: Any, i: Any, r: Any, beta: Any, gamma: Any) -> list[Any]:
    values = [np.empty(row.steps, row.dtype) for _ in range(3)]
    for t in range(row.steps):
        s, i, r = steps.sir(s, i, r, beta, gamma)
        values[0][t], values[1][t], values[2][t] = s, i, r
    return values


def cumsum(row: Row, x: Any, s: Any) -> list[Any]:
    sums = np.empty_like(x)
    for t in range(len(x)):
        s = steps.cumsum(x[t], s)
        sums[t] = s
    return [sums]


def logistic(row: Row, s: Any, rate: Any) -> list[Any]:
    for _ in range(row.steps):
        s = steps.logistic(s, rate)
    return [s]


MODELS = {
    "gru": gru,
    "gru-grad": gru_grad,
    "lstm": lstm,
    "lstm-grad": lstm_grad,
    "ar2": ar2,
    "sir": sir,
    "cumsum": cumsum,
    "logistic": logistic,
}
