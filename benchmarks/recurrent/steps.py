"""One step of each model. The first argument is where the functions come from: ``tanh``, ``sigmoid``, ``dot``."""

from __future__ import annotations

from typing import Any


def gru(m: Any, x: Any, h: Any, w: Any, u: Any, b: Any, n: int) -> Any:
    """Next state of a gated recurrent unit of n values; w, u and b hold reset, update and candidate side by side."""
    g, k = m.dot(x, w) + b, m.dot(h, u)
    reset = m.sigmoid(g[:, :n] + k[:, :n])
    update = m.sigmoid(g[:, n : 2 * n] + k[:, n : 2 * n])
    candidate = m.tanh(g[:, 2 * n :] + reset * k[:, 2 * n :])
    return (1 - update) * candidate + update * h


def lstm(m: Any, x: Any, h: Any, c: Any, w: Any, u: Any, b: Any, n: int) -> tuple[Any, Any]:
    """Next state and cell of n values; w, u and b hold input, forget, output and candidate side by side."""
    g = m.dot(x, w) + m.dot(h, u) + b
    write, keep = m.sigmoid(g[:, :n]), m.sigmoid(g[:, n : 2 * n])
    show, candidate = m.sigmoid(g[:, 2 * n : 3 * n]), m.tanh(g[:, 3 * n :])
    cell = keep * c + write * candidate
    return show * m.tanh(cell), cell


def ar2(e: Any, before: Any, last: Any, a: Any, b: Any) -> Any:
    """Next value of an autoregressive series of order two."""
    return a * last + b * before + e


def sir(s: Any, i: Any, r: Any, beta: Any, gamma: Any) -> tuple[Any, Any, Any]:
    """Susceptible, infected and recovered shares after a short time."""
    infected, recovered = beta * s * i, gamma * i
    return s - infected, i + infected - recovered, r + recovered


def cumsum(x: Any, s: Any) -> Any:
    """Next sum."""
    return s + x


def logistic(s: Any, rate: Any) -> Any:
    """Logistic growth for a short time."""
    return s + rate * s * (1 - s)
