"""Products of matrices over the steps of a loop: of every one with the same matrix, and added up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.graph.batch_rules import rows_dots, sums_of_dots
from eqsat.graph.declare import Cost, structural
from eqsat.graph.ops.shape import dimshuffle


def swapped(x: Any) -> Any:
    """A stack of matrices, each transposed."""
    return dimshuffle(x, 0, 2, 1)


# ---------------------------------------------------------------------------------------- one matrix for all rows


def _rows_cost(op: Any, ins: Sequence[Sequence[float]], out: Sequence[float]) -> Cost:
    (n, m, k), (_, p) = ins
    return Cost(flops=2 * n * m * k * p, product=(n * m, k, p))


@structural(
    "block",
    signature="(n,m,k),(k,p)->(n,m,p)",
    free="n m p",
    sums="k",
    linear="x, y",
    batch=rows_dots,
    grad=lambda op, inputs, out, dy: [
        rows_dot(dy, dimshuffle(inputs[1], 1, 0)),
        sum_dots(swapped(inputs[0]), dy),
    ],
    conjugate=True,
    builder="dots.rows_dot",
    cost=_rows_cost,
)
def rows_dot(x: Any, y: Any) -> Any:
    """Product of every matrix of a stack with one matrix.

    Shapes   x: f[n, m, k], y: f[k, p] -> f[n, m, p]
    """
    return np.matmul(x, y)


# --------------------------------------------------------------------------------------------- a sum of products


def _sum_cost(op: Any, ins: Sequence[Sequence[float]], out: Sequence[float]) -> Cost:
    (n, m, k), (_, _, p) = ins
    return Cost(flops=2 * n * m * k * p, product=(m, n * k, p))


@structural(
    "block",
    signature="(n,m,k),(n,k,p)->(m,p)",
    free="m p",
    sums="n k",
    linear="x, y",
    batch=sums_of_dots,
    grad=lambda op, inputs, out, dy: [
        swapped(rows_dot(inputs[1], dimshuffle(dy, 1, 0))),
        rows_dot(swapped(inputs[0]), dy),
    ],
    conjugate=True,
    builder="dots.sum_dots",
    cost=_sum_cost,
)
def sum_dots(x: Any, y: Any) -> Any:
    """Sum of the products of the matrices of two stacks.

    Shapes   x: f[n, m, k], y: f[n, k, p] -> f[m, p]
    """
    return np.einsum("nmk,nkp->mp", x, y, optimize=True) if x.dtype != bool else np.matmul(x, y).any(axis=0)
