"""Functions that rules on products written with broadcasting may call: of the moves of both factors, and the axes of the sum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Pattern = Sequence[Any]
Move = tuple[tuple[Any, ...], int]


def _moves(p: Pattern, q: Pattern, axes: Sequence[int], batch: int = 0) -> tuple[Move, Move, Move] | None:
    """The moves of both factors before a product, and of the product to where the sum has its axes.

    Each factor has an axis alone, and both share the one that is summed and those along which products of matrices are
    stacked; there are no others.
    """
    left, right = ({a for a, axis in enumerate(r) if axis != "x"} for r in (p, q))
    both, rank = left & right, 2 + batch
    stacked = sorted(both - set(axes))
    if (len(left), len(right)) != (rank, rank) or len(p) != len(q) or len(stacked) != batch:
        return None
    if len(axes) != 1 or not set(axes) <= both or len(both) != 1 + batch:
        return None
    (first,), (last,), (summed,) = left - both, right - both, axes
    places = {a: k for k, a in enumerate((*stacked, first, last))}
    return (
        (tuple(p[a] for a in (*stacked, first, summed)), rank),
        (tuple(q[a] for a in (*stacked, summed, last)), rank),
        (tuple(places.get(a, "x") for a in range(len(p))), rank),
    )


def left_factor(p: Pattern, q: Pattern, axes: Sequence[int]) -> Move | None:
    """The move that makes the first factor of a product of matrices, of x with its axes moved by p.

    >>> left_factor((0, 1, "x"), ("x", 0, 1), (1,)), left_factor((0, "x", 1), ("x", 0, 1), (1,))
    (((0, 1), 2), None)
    """
    found = _moves(p, q, axes)
    return found and found[0]


def right_factor(p: Pattern, q: Pattern, axes: Sequence[int]) -> Move | None:
    """The move that makes the second factor, of y with its axes moved by q."""
    found = _moves(p, q, axes)
    return found and found[1]


def product_in_place(p: Pattern, q: Pattern, axes: Sequence[int]) -> Move | None:
    """The move of that product to where the sum of the factors has its axes."""
    found = _moves(p, q, axes)
    return found and found[2]


def left_stack(p: Pattern, q: Pattern, axes: Sequence[int]) -> Move | None:
    """The same as ``left_factor`` for stacks of matrices.

    >>> left_stack((0, 1, 2, "x"), (0, "x", 1, 2), (2,)), left_stack((1, "x", 0, 2), (1, 0, "x", 2), (3,))
    (((0, 1, 2), 3), ((1, 0, 2), 3))
    """
    found = _moves(p, q, axes, 1)
    return found and found[0]


def right_stack(p: Pattern, q: Pattern, axes: Sequence[int]) -> Move | None:
    """The same as ``right_factor`` for stacks of matrices."""
    found = _moves(p, q, axes, 1)
    return found and found[1]


def stack_in_place(p: Pattern, q: Pattern, axes: Sequence[int]) -> Move | None:
    """The same as ``product_in_place`` for stacks of matrices."""
    found = _moves(p, q, axes, 1)
    return found and found[2]


CONTRACTION_CALLS = dict.fromkeys(
    (left_factor, right_factor, product_in_place, left_stack, right_stack, stack_in_place),
    ("move move axes", "move"),
)
