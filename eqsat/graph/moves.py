"""Moves of axes that rules name: a vector as a column, a column as a vector, the transpose."""

from __future__ import annotations

from typing import Any

Move = tuple[tuple[Any, ...], int]  # a dimshuffle pattern and the rank of its operand

MOVES: dict[str, Move] = {
    "swap": ((1, 0), 2),
    "column": ((0, "x"), 1),
    "row": (("x", 0), 1),
    "of column": ((0,), 2),
    "of row": ((1,), 2),
    "number": ((), 1),
    "number of matrix": ((), 2),
    "cell": (("x", "x"), 0),
    "unit": (("x",), 0),
}
"""The vector or number in a matrix, and the matrix around a vector or number."""
