"""Diagonals: read as a window onto the tensor, and written into a copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, AxisError, RankError, ShapeError
from eqsat.graph.batch_rules import shift_diagonal
from eqsat.graph.constant import as_tensor
from eqsat.graph.core import Apply
from eqsat.graph.declare import Cost, structural
from eqsat.graph.ops.index import check_fits, check_value, put_type
from eqsat.graph.ops.join import normal_axis
from eqsat.graph.ops.shape import FREE
from eqsat.graph.parameters import DIAGONAL, INTEGER
from eqsat.graph.tensor_type import TensorType

# A diagonal pattern is (offset, axis1, axis2): elements [i, i + offset] of the two axes, which become the last axis.


def other_axes(pattern: tuple[int, int, int], ndim: int) -> list[int]:
    return [a for a in range(ndim) if a not in pattern[1:]]


def _diagonal_type(op: Any, x: Any) -> TensorType:
    offset, first, second = op.params["pattern"]
    n, m = x.type.shape[first], x.type.shape[second]
    count = None
    if n is not None and m is not None:
        count = max(0, min(n, m - offset) if offset >= 0 else min(n + offset, m))
    shape = [x.type.shape[a] for a in other_axes(op.params["pattern"], x.ndim)]
    return TensorType(x.type.dtype, shape=[*shape, count])


def _diagonal_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    from eqsat.graph.ops.create import zeros_like

    return [set_diagonal_op(zeros_like(inputs[0]), dy, pattern=op.params["pattern"], add=1)]


@structural(
    "view",
    name="diagonal",
    linear="x",
    batch=shift_diagonal,
    parameters={"pattern": DIAGONAL},
    signature="(n,x...)->x?",
    infer=_diagonal_type,
    put=lambda op, inputs, y: set_diagonal_op(inputs[0], y, pattern=op.params["pattern"], add=0),
    grad=_diagonal_grad,
    builder="diagonal.read",
    cost=FREE,
    of_matrices=True,
)
def diagonal_op(x: Any, *, pattern: tuple[int, int, int]) -> Any:
    """A diagonal of two axes of x, as its last axis."""
    return np.diagonal(x, *pattern)


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Diagonal of two axes, which stands on the last axis of the result; it takes no memory of its own.

    Shapes   x: any[n, m, k], diagonal(x) -> any[k, min(n, m)]
    Errors   RankError for fewer than two axes; AxisError where the two axes are one

    >>> import eqsat.tensor as T
    >>> T.diagonal([[1.0, 2.0], [3.0, 4.0]]).eval()
    array([1., 4.])
    """
    x = as_tensor(x)
    if x.ndim < 2:
        raise RankError(f"diagonal: {x} has {x.ndim} dimensions, not 2 or more", operands=[(str(x), x)])
    return diagonal_op(x, pattern=diagonal_pattern("diagonal", x, offset, axis1, axis2))


def diagonal_pattern(name: str, x: Any, offset: Any, axis1: int, axis2: int) -> tuple[int, int, int]:
    """Offset and axes of a diagonal as plain integers, checked."""
    if isinstance(offset, bool) or not isinstance(offset, (int, np.integer)):
        raise ArgumentError(f"{name}: the offset {offset!r} is not an integer", operands=[(str(x), x)])
    first, second = (normal_axis(name, a, x.ndim, x) for a in (axis1, axis2))
    if first == second:
        raise AxisError(f"{name}: axis1 and axis2 are both axis {first}", operands=[(str(x), x)])
    return (int(offset), first, second)


# ---------------------------------------------------------------------------------------- writing a diagonal


def _set_type(op: Any, x: Any, y: Any) -> TensorType:
    """The type of x; the value has one axis less, and the length of the diagonal where both are known."""
    assert y.ndim == x.ndim - 1, (str(op), x.ndim, y.ndim)
    count, have = _diagonal_type(op, x).shape[-1], y.type.shape[-1]
    if None not in (count, have) and have not in (1, count):
        raise ShapeError(
            f"{op.name}: a value of length {have} does not fit a diagonal of length {count}",
            operands=[(str(x), x), (str(y), y)],
        )
    return put_type(op, x, y)


def _set_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    from eqsat.graph.sum_to import sum_to

    x, y = inputs
    pattern = op.params["pattern"]
    dx = dy
    if not op.params["add"]:
        dx = set_diagonal_op(dy, np.zeros((1,) * y.ndim, x.type.dtype), pattern=pattern, add=0)
    return [dx, sum_to(diagonal_op(dy, pattern=pattern), y)]


def _set_check(node: Apply, values: Sequence[Any]) -> None:
    x, y = values
    check_value(node, y, np.diagonal(x, *node.op.params["pattern"]).shape)  # type: ignore[attr-defined]


@structural(
    "block",
    name="set_diagonal",
    signature="x,_->x",
    linear="x y",
    batch=shift_diagonal,
    parameters={"pattern": DIAGONAL, "add": INTEGER},
    infer=_set_type,
    grad=_set_grad,
    builder="diagonal.write",
    checks_first=True,
    in_place=0,
    check=_set_check,
    cost=lambda op, ins, out: Cost(flops=float(np.prod(ins[1]))),
    of_matrices=True,
    real="with_diagonal(x, y, pattern, add)",
)
def set_diagonal_op(x: Any, y: Any, *, pattern: tuple[int, int, int], add: int) -> Any:
    """Copy of x in which a diagonal is replaced by y, or has y added to it."""
    result = np.array(x)
    part = np.diagonal(result, *pattern)
    check_fits(y, part)
    part.setflags(write=True)
    part[...] = (part | y if part.dtype == bool else part + y) if add else y
    return result
