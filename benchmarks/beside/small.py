"""Calls that are over before they begin."""

from __future__ import annotations

from typing import Any

from beside.workload import normal, workload


@workload("x + y of ten float64", 1e-15, x=normal("float64", 10), y=normal("float64", 10))
def add10(m: Any, x: Any, y: Any) -> Any:
    return x + y


@workload(
    "a small network: 8 x 16 -> 16 -> 1 float64",
    1e-12,
    x=normal("float64", 8, 16),
    v=normal("float64", 16, 16),
    w=normal("float64", 16),
)
def tiny_network(m: Any, x: Any, v: Any, w: Any) -> Any:
    return m.tanh(x @ v) @ w
