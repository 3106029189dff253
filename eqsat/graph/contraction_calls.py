"""Functions that rules on products written with broadcasting may call: of the moves of both factors, and the axes of the sum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Pattern = Sequence[Any]
Move = tuple[tuple[Any, ...], int]


def _places(p: Pattern, q: Pattern, axes: Sequence[int]) -> tuple[int, int, int] | None:
    """The axis of the first factor alone, that of both, which is summed, and that of the second alone; two matrices have no others."""
    left, right = ({a for a, axis in enumerate(r) if axis != "x"} for r in (p, q))
    both = left & right
    if (len(left), len(right)) != (2, 2) or len(both) != 1 or both != set(axes) or len(p) != len(q):
        return None
    return min(left - both), min(both), min(right - both)


def left_factor(p: Pattern, q: Pattern, axes: Sequence[int]) -> Move | None:
    """The move that makes the first factor of a product of matrices, of x with its axes moved by p.

    >>> left_factor((0, 1, "x"), ("x", 0, 1), (1,)), left_factor((0, "x", 1), ("x", 0, 1), (1,))
    (((0, 1), 2), None)
    """
    found = _places(p, q, axes)
    return None if found is None else ((p[found[0]], p[found[1]]), 2)


def right_factor(p: Pattern, q: Pattern, axes: Sequence[int]) -> Move | None:
    """The move that makes the second factor, of y with its axes moved by q."""
    found = _places(p, q, axes)
    return None if found is None else ((q[found[1]], q[found[2]]), 2)


def product_in_place(p: Pattern, q: Pattern, axes: Sequence[int]) -> Move | None:
    """The move of that product to where the sum of the factors has its axes."""
    found = _places(p, q, axes)
    if found is None:
        return None
    places: dict[int, int] = {found[0]: 0, found[2]: 1}
    return tuple(places.get(a, "x") for a in range(len(p))), 2


CONTRACTION_CALLS = {
    left_factor: ("move move axes", "move"),
    right_factor: ("move move axes", "move"),
    product_in_place: ("move move axes", "move"),
}
