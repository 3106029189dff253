"""The full convolution of two vectors, or of vectors row by row."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import RankError, ShapeError
from eqsat.graph.batch_rules import leading
from eqsat.graph.declare import Cost, structural
from eqsat.graph.ops.cumulate import flip_op
from eqsat.graph.ops.shape import length
from eqsat.graph.ops.specify import specify
from eqsat.graph.ops.subscript import getitem
from eqsat.graph.tensor_type import TensorType

EMPTY = "convolve: a vector is empty"


def _type(op: Any, x: Any, y: Any) -> TensorType:
    if not x.ndim or x.ndim != y.ndim:
        raise RankError(
            f"convolve: the operands have {x.ndim} and {y.ndim} dimensions",
            operands=[(str(x), x), (str(y), y)],
            needs="vectors, or rows of as many axes",
        )
    n, m = x.type.shape[-1], y.type.shape[-1]
    if n == 0 or m == 0:
        raise ShapeError(EMPTY, operands=[(str(x), x), (str(y), y)])
    return TensorType(x.type.dtype, shape=(*x.type.shape[:-1], None if n is None or m is None else n + m - 1))


def _grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    def piece(x: Any, y: Any) -> Any:
        last = x.ndim - 1
        first = length(y, last) - 1
        whole = convolve_op(dy, flip_op(y, last))
        part = getitem(whole, (Ellipsis, slice(first, first + length(x, last))))
        return specify(part, x.type.shape)

    x, y = inputs
    return [piece(x, y), piece(y, x)]


@structural(
    "block",
    name="convolve",
    batch=leading,
    infer=_type,
    grad=_grad,
    builder="convolve.full",
    cost=lambda op, ins, out: Cost(flops=2 * float(np.prod(ins[0])) * float(ins[1][-1])),
)
def convolve_op(x: Any, y: Any) -> Any:
    """Sums of products of the elements of two vectors whose places add up to each place; row by row."""
    n, m = x.shape[-1], y.shape[-1]
    if n == 0 or m == 0:
        raise ShapeError(EMPTY)
    out = np.zeros((*x.shape[:-1], n + m - 1), x.dtype)
    for row in np.ndindex(x.shape[:-1]):
        out[row] = np.convolve(x[row], y[row])
    return out
