"""Products of matrices; vectors become matrices with an axis of length 1 before they reach these ops."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np

from eqsat.errors import RankError, ShapeError
from eqsat.graph.batch_rules import dot_batched, dots_batched
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.core import Apply
from eqsat.graph.declare import Cost, structural
from eqsat.graph.dtypes import promote
from eqsat.graph.ops.elemwise import mul
from eqsat.graph.ops.shape import dimshuffle


def _prepare(*args: Any) -> list[Any]:
    """Operands in one dtype."""
    dtype = promote(*(v.type.dtype for v in args))
    return [cast_to(v, dtype) for v in args]


def inner_mismatch(name: str, x: Any, y: Any, k: Any, other: Any, needs: str) -> ShapeError:
    """The error for a product whose inner lengths differ, with the transposed spelling where that fits."""
    fits = y.type.ndim == 2 and x.type.ndim == 2 and y.type.shape[1] == k
    return ShapeError(
        f"{name}({x}, {y}): k is {k} in {x} but {other} in {y}",
        operands=[(str(x), x), (str(y), y)],
        needs=needs,
        hint=f"{name}({x}, {y}.T)" if fits else None,
        lengths=(k, other),
    )


def _dot_cost(op: Any, ins: Sequence[Sequence[float]], out: Sequence[float]) -> Cost:
    (m, k), (_, n) = ins
    return Cost(flops=2 * m * k * n, product=(m, k, n))


def _product(x: Any, y: Any) -> Any:
    """dot, written elementwise for a column and a row: nothing is summed."""
    return mul(x, y) if x.type.shape[1] == y.type.shape[0] == 1 else dot_op(x, y)


@structural(
    "block",
    name="dot",
    signature="(m,k),(k,n)->(m,n)",
    free="m n",
    sums="k",
    transposed="swapped",
    linear="x, y",
    batch=dot_batched,
    grad=lambda op, inputs, out, dy: [
        _product(dy, dimshuffle(inputs[1], 1, 0)),
        _product(dimshuffle(inputs[0], 1, 0), dy),
    ],
    conjugate=True,
    builder="linalg.dot",
    brings=("rows_dot", "sum_dots", "batched_dot"),
    cost=_dot_cost,
)
def dot_op(x: Any, y: Any) -> Any:
    """Product of two matrices.

    Shapes   x: f[m, k], y: f[k, n] -> f[m, n]
    """
    return np.dot(x, y)


def cost_of_stack(count: float, m: float, k: float, n: float) -> Cost:
    """The cost of so many products of short matrices, which stay in registers, in tiles of 8 x 8; of vectors, in halves of these."""
    m, n = (4.0 if length <= 1 else 8.0 * ceil(length / 8) for length in (m, n))
    return Cost(flops=2 * count * m * k * n, product=(2 * m, k, 2 * n), calls=1 + count / 8)


def _batched_cost(op: Any, ins: Sequence[Sequence[float]], out: Sequence[float]) -> Cost:
    (b, m, k), (_, _, n) = ins
    return cost_of_stack(b, m, k, n)


@structural(
    "block",
    name="batched_dot",
    signature="(b,m,k),(b,k,n)->(b,m,n)",
    free="b m n",
    sums="k",
    linear="x, y",
    batch=dots_batched,
    grad=lambda op, inputs, out, dy: [
        batched_op(dy, dimshuffle(inputs[1], 0, 2, 1)),
        batched_op(dimshuffle(inputs[0], 0, 2, 1), dy),
    ],
    conjugate=True,
    builder="linalg.batched_dot",
    cost=_batched_cost,
)
def batched_op(x: Any, y: Any) -> Any:
    """Product of matrices, one pair for each index of the first axis.

    Shapes   x: f[b, m, k], y: f[b, k, n] -> f[b, m, n]
    """
    return np.matmul(x, y)


# ------------------------------------------------------------------------------------------- for the user


def dot(x: Any, y: Any) -> Any:
    """Product of vectors and matrices, as numpy.dot for up to two dimensions each.

    Shapes   f[k], f[k] -> f[];  f[m, k], f[k] -> f[m];  f[k], f[k, n] -> f[n];  f[m, k], f[k, n] -> f[m, n]
    Errors   ShapeError where known inner lengths differ; RankError above two dimensions
    """
    x, y = as_tensor(x), as_tensor(y)
    if x.ndim == 0 or y.ndim == 0:
        return mul(x, y)
    for label, v in (("x", x), ("y", y)):
        if v.ndim > 2:
            raise RankError(
                f"dot: {v} has {v.ndim} dimensions",
                operands=[(label, v)],
                needs="at most 2",
                hint="T.batched_dot",
            )
    k, other = x.type.shape[-1], y.type.shape[0]
    if k is not None and other is not None and k != other:
        raise inner_mismatch("dot", x, y, k, other, "(m,k),(k,n)->(m,n)")
    left = dimshuffle(x, "x", 0) if x.ndim == 1 else x
    right = dimshuffle(y, 0, "x") if y.ndim == 1 else y
    product = dot_op(*_prepare(left, right))
    kept = ([0] if x.ndim == 2 else []) + ([1] if y.ndim == 2 else [])
    return dimshuffle(product, *kept)


def batched_dot(x: Any, y: Any) -> Any:
    """Product for each index of the first axis, of matrices or vectors.

    Shapes   f[b, m, k], f[b, k, n] -> f[b, m, n];  an operand f[b, k] is a batch of vectors
    Errors   RankError for other ranks; ShapeError where known lengths differ

    >>> import eqsat.tensor as T
    >>> T.batched_dot([[1, 2], [3, 4]], [[1, 0], [1, 1]]).eval()
    array([1, 7])
    """
    x, y = as_tensor(x), as_tensor(y)
    for label, v in (("x", x), ("y", y)):
        if v.ndim not in (2, 3):
            raise RankError(
                f"batched_dot: {v} has {v.ndim} dimensions", operands=[(label, v)], needs="2 or 3"
            )
    left = dimshuffle(x, 0, "x", 1) if x.ndim == 2 else x
    right = dimshuffle(y, 0, 1, "x") if y.ndim == 2 else y
    product = batched_op(*_prepare(left, right))
    kept = [0] + ([1] if x.ndim == 3 else []) + ([2] if y.ndim == 3 else [])
    return dimshuffle(product, *kept)


def outer(x: Any, y: Any) -> Any:
    """Products of all pairs of elements of two vectors.

    Shapes   x: f[m], y: f[n] -> f[m, n]
    """
    x, y = (as_tensor(v) for v in (x, y))
    if x.ndim != 1 or y.ndim != 1:
        raise RankError("outer: both operands are vectors", operands=[("x", x), ("y", y)])
    return dot_op(*_prepare(dimshuffle(x, 0, "x"), dimshuffle(y, "x", 0)))


def is_product(node: Apply) -> bool:
    """True for an application of a matrix product."""
    return node.op in (dot_op, batched_op)
