"""Patterns of dimshuffle: one after another, and the axes of operand and result that belong together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def compose_patterns(p: tuple[Any, ...], q: tuple[Any, ...]) -> tuple[Any, ...]:
    """Pattern of doing p and then q.

    >>> compose_patterns((1, 0), (0, "x", 1))
    (1, 'x', 0)
    """
    return tuple("x" if a == "x" else p[a] for a in q)


def operand_axes(p: tuple[Any, ...], axes: Iterable[int]) -> tuple[int, ...] | None:
    """Axes of the operand at some axes of the result; None where one of them is new."""
    axes = tuple(axes)
    if any(a >= len(p) or p[a] == "x" for a in axes):
        return None
    return tuple(sorted(p[a] for a in axes))


def result_axes(p: tuple[Any, ...], axes: Iterable[int]) -> tuple[int, ...] | None:
    """Axes of the result at some axes of the operand; None where one of them is dropped."""
    axes = tuple(axes)
    return tuple(sorted(p.index(a) for a in axes)) if all(a in p for a in axes) else None
