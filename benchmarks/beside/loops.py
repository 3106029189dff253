"""Recurrences: gated networks, time series, differential equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from beside.libraries import InNumpy
from beside.workload import normal, number, workload, zeros

T, B, H = 200, 32, 128


def weights(gates: int) -> dict[str, Any]:
    """Inputs of a gated network."""
    kernel = normal("float32", H, gates * H, scale=H**-0.5)
    return {"wx": kernel, "wh": kernel, "b": zeros("float32", gates * H)}


def gru(m: Any, x: Any, h: Any, wx: Any, wh: Any, b: Any) -> Any:
    """States of a GRU at all steps."""

    def step(h: Any, row: Any) -> Any:
        past = h @ wh
        reset = m.sigmoid(row[:, :H] + past[:, :H])
        keep = m.sigmoid(row[:, H : 2 * H] + past[:, H : 2 * H])
        new = m.tanh(row[:, 2 * H :] + reset * past[:, 2 * H :])
        return (1 - keep) * new + keep * h

    return m.scan(step, h, x @ wx + b)


@workload(
    "GRU, 200 steps of 32 x 128 float32",
    1e-4,
    x=normal("float32", T, B, H),
    h=zeros("float32", B, H),
    **weights(3),
)
def gru_fwd(m: Any, x: Any, h: Any, wx: Any, wh: Any, b: Any) -> Any:
    return gru(m, x, h, wx, wh, b)


@workload(
    "GRU with gradients, 200 steps of 32 x 128 float32",
    1e-3,
    ("torch",),
    x=normal("float32", T, B, H),
    h=zeros("float32", B, H),
    **weights(3),
)
def gru_bptt(m: Any, x: Any, h: Any, wx: Any, wh: Any, b: Any) -> Any:
    return m.value_and_grad(lambda *w: (gru(m, x, h, *w) ** 2).mean(), [wx, wh, b])


@gru_bptt.in_numpy
def _(x: Any, h: Any, wx: Any, wh: Any, b: Any) -> Any:
    sigmoid = InNumpy().sigmoid
    rows, tape, states = x @ wx + b, [], []
    for row in rows:
        past = h @ wh
        reset = sigmoid(row[:, :H] + past[:, :H])
        keep = sigmoid(row[:, H : 2 * H] + past[:, H : 2 * H])
        new = np.tanh(row[:, 2 * H :] + reset * past[:, 2 * H :])
        tape.append((h, reset, keep, new, past[:, 2 * H :]))
        h = (1 - keep) * new + keep * h
        states.append(h)
    d_rows, d_wh, d_h = np.empty_like(rows), np.zeros_like(wh), np.zeros_like(h)
    scale = np.float32(2 / (T * B * H))
    for t in reversed(range(T)):
        before, reset, keep, new, past = tape[t]
        d_h = d_h + scale * states[t]
        d_new = d_h * (1 - keep) * (1 - new * new)
        d_keep = d_h * (before - new) * keep * (1 - keep)
        d_reset = d_new * past * reset * (1 - reset)
        d_rows[t] = np.concatenate([d_reset, d_keep, d_new], 1)
        d_past = np.concatenate([d_reset, d_keep, d_new * reset], 1)
        d_wh += before.T @ d_past
        d_h = d_h * keep + d_past @ wh.T
    flat = d_rows.reshape(T * B, 3 * H)
    return (np.stack(states) ** 2).mean(), [x.reshape(T * B, H).T @ flat, d_wh, flat.sum(0)]


@workload(
    "LSTM, 200 steps of 32 x 128 float32",
    1e-4,
    ("torch",),
    x=normal("float32", T, B, H),
    h=zeros("float32", B, H),
    c=zeros("float32", B, H),
    **weights(4),
)
def lstm_fwd(m: Any, x: Any, h: Any, c: Any, wx: Any, wh: Any, b: Any) -> Any:
    def step(state: Any, row: Any) -> Any:
        h, c = state
        gates = row + h @ wh
        i, f, g, o = (gates[:, k * H : (k + 1) * H] for k in range(4))
        c = m.sigmoid(f) * c + m.sigmoid(i) * m.tanh(g)
        return m.sigmoid(o) * m.tanh(c), c

    return m.scan(step, (h, c), x @ wx + b)[0]


STEPS = 10_000
SLOW = ("torch",)  # unrolls loops


@workload("AR(2), 10000 steps, float64", 1e-10, SLOW, e=normal("float64", STEPS), start=zeros("float64"))
def ar2_10k(m: Any, e: Any, start: Any) -> Any:
    return m.scan(lambda s, row: (0.6 * s[0] + 0.3 * s[1] + row, s[0] + 0), (start, start), e)[0]


@ar2_10k.in_numba
def _() -> Any:
    import numba

    @numba.njit(fastmath=True)
    def run(e, start):  # type: ignore[no-untyped-def]
        out = np.empty_like(e)
        a = b = start[()]
        for t in range(e.size):
            a, b = 0.6 * a + 0.3 * b + e[t], a
            out[t] = a
        return out

    return run


@workload(
    "SIR by Euler's method, 10000 steps, float64",
    1e-9,
    SLOW,
    start=lambda rng: np.array([0.99, 0.01, 0.0]),
    beta=number(0.4),
    gamma=number(0.1),
)
def sir_10k(m: Any, start: Any, beta: Any, gamma: Any) -> Any:
    def step(s: Any) -> Any:
        caught, healed = beta * s[0] * s[1], gamma * s[1]
        return s + 0.01 * m.stack([-caught, caught - healed, healed])

    return m.scan(step, start, steps=STEPS)


@sir_10k.in_numba
def _() -> Any:
    import numba

    @numba.njit(fastmath=True)
    def run(start, beta, gamma):  # type: ignore[no-untyped-def]
        out = np.empty((STEPS, 3))
        s, i, r = start
        for t in range(STEPS):
            caught, healed = beta[()] * s * i, gamma[()] * i
            s, i, r = s - 0.01 * caught, i + 0.01 * (caught - healed), r + 0.01 * healed
            out[t] = s, i, r
        return out

    return run


@workload(
    "Lorenz attractor by Runge and Kutta's method, 5000 steps, float64",
    1e-3,
    SLOW,
    start=lambda rng: np.array([1.0, 1.0, 1.0]),
)
def lorenz(m: Any, start: Any) -> Any:
    def slope(s: Any) -> Any:
        return m.stack([10 * (s[1] - s[0]), s[0] * (28 - s[2]) - s[1], s[0] * s[1] - 8 / 3 * s[2]])

    def step(s: Any) -> Any:
        a = slope(s)
        b = slope(s + 0.0005 * a)
        c = slope(s + 0.0005 * b)
        return s + 0.001 / 6 * (a + 2 * b + 2 * c + slope(s + 0.001 * c))

    return m.scan(step, start, steps=5000)


@workload(
    "Kalman filter of one number, 10000 steps, float64",
    1e-9,
    SLOW,
    y=normal("float64", STEPS),
    start=zeros("float64"),
)
def kalman(m: Any, y: Any, start: Any) -> Any:
    def step(state: Any, row: Any) -> Any:
        mean, variance = state
        before = variance + 0.1
        gain = before / (before + 1.0)
        return mean + gain * (row - mean), (1 - gain) * before

    return m.scan(step, (start, start + 1), y)


@workload("heat in a rod of 1000 points, 2000 steps, float64", 1e-10, SLOW, u=normal("float64", 1000))
def heat(m: Any, u: Any) -> Any:
    def step(u: Any) -> Any:
        inside = u[1:-1] + 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2])
        return m.joined([u[:1], inside, u[-1:]])

    return m.scan(step, u, steps=2000)[-1]
