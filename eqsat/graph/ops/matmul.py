"""Products of stacks of matrices, as numpy.matmul; leading axes of length 1 broadcast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import RankError
from eqsat.graph.constant import as_tensor, cast_to, pad_left
from eqsat.graph.declare import Cost, structural
from eqsat.graph.dtypes import promote
from eqsat.graph.ops.linalg import batched_op, cost_of_stack, dot_op, inner_mismatch
from eqsat.graph.ops.matrices import swap
from eqsat.graph.ops.reshape import reshape
from eqsat.graph.ops.shape import dimshuffle, length


def _cost(op: Any, ins: Sequence[Sequence[float]], out: Sequence[float]) -> Cost:
    (m, n), k = out[-2:], ins[0][-1]
    batch = float(np.prod(out[:-2]))
    return cost_of_stack(batch, m, k, n)


@structural(
    "block",
    name="matmul",
    signature="(...,m,k),(...,k,n)->(...,m,n)",
    free="m n",
    sums="k",
    additive="x y",
    grad=lambda op, inputs, out, dy: [matmul_op(dy, swap(inputs[1])), matmul_op(swap(inputs[0]), dy)],
    builder="matmul.matmul",
    conjugate=True,
    cost=_cost,
)
def matmul_op(x: Any, y: Any) -> Any:
    """Products of the matrices of two stacks of one rank; leading axes of length 1 broadcast.

    Shapes   x: f[..., m, k], y: f[..., k, n] -> f[..., m, n]
    """
    return np.matmul(x, y)


def stacked(x: Any, y: Any) -> Any:
    """Products of the matrices of two stacks by the op that serves their ranks best; dtypes are equal."""
    ndim = max(x.ndim, y.ndim)
    if x.ndim == y.ndim == 2:
        return dot_op(x, y)
    if y.ndim == 2 or all(n == 1 for n in y.type.shape[:-2]):
        return _one_right(x, y, ndim)
    x, y = pad_left(x, ndim), pad_left(y, ndim)
    if ndim == 3 and x.type.broadcastable[0] == y.type.broadcastable[0]:
        return batched_op(x, y)
    return matmul_op(x, y)


def _one_right(x: Any, y: Any, ndim: int) -> Any:
    """All matrices of a stack times one matrix: a single product with the rows of all of them."""
    y = dimshuffle(y, y.ndim - 2, y.ndim - 1)
    x = pad_left(x, ndim)
    k, other = x.type.shape[-1], y.type.shape[0]
    if k is not None and other is not None and k != other:
        raise inner_mismatch("matmul", x, y, k, other, "(...,m,k),(k,n)->(...,m,n)")
    rows = 1
    for axis in range(ndim - 1):
        rows = length(x, axis) * rows
    flat = dot_op(reshape(x, (rows, length(x, ndim - 1)), ndim=2), y)
    return reshape(flat, [*(length(x, a) for a in range(ndim - 1)), length(y, 1)], ndim=ndim)


def matmul(x: Any, y: Any) -> Any:
    """Product of vectors, matrices or stacks of matrices, as numpy.matmul and the operator ``@``.

    A vector counts as a row on the left, as a column on the right. Leading axes broadcast where the type says
    length 1.

    Shapes   f[k], f[k] -> f[];  f[..., m, k], f[..., k, n] -> f[..., m, n];  f[..., m, k], f[k] -> f[..., m]
    Errors   RankError for a number; ShapeError where known lengths do not fit

    >>> import eqsat.tensor as T
    >>> x, y = T.tensor3("x"), T.matrix("y")
    >>> T.matmul(x, y).eval({x: [[[1.0, 2.0]]], y: [[3.0], [4.0]]})
    array([[[11.]]])
    """
    x, y = as_tensor(x), as_tensor(y)
    for label, v in (("x", x), ("y", y)):
        if v.ndim == 0:
            raise RankError(
                f"matmul: {v} is a number", operands=[(label, v)], needs="at least 1 dimension", hint="x * y"
            )
    k, other = x.type.shape[-1], y.type.shape[-min(y.ndim, 2)]
    if k is not None and other is not None and k != other:
        raise inner_mismatch("matmul", x, y, k, other, "(...,m,k),(...,k,n)->(...,m,n)")
    dtype = promote(x.type.dtype, y.type.dtype)
    left, right = cast_to(x, dtype), cast_to(y, dtype)
    left = dimshuffle(left, "x", 0) if x.ndim == 1 else left
    right = dimshuffle(right, 0, "x") if y.ndim == 1 else right
    product = stacked(left, right)
    ndim = product.ndim
    kept = list(range(ndim - 2)) + ([ndim - 2] if x.ndim > 1 else []) + ([ndim - 1] if y.ndim > 1 else [])
    return dimshuffle(product, *kept)
