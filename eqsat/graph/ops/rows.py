"""Rows of a tensor written by a vector of indices: the update of an embedding, which rules see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import BoundsError, RankError, ShapeError
from eqsat.graph.batch_rules import first_of_each, rows_placed
from eqsat.graph.core import Apply, Constant
from eqsat.graph.declare import Cost, structural
from eqsat.graph.ops.index import OUTSIDE, adds, check_value
from eqsat.graph.parameters import OBJECT
from eqsat.graph.tensor_type import TensorType, tensor_type


def _rows_type(op: Any, x: Any, *rest: Any) -> TensorType:
    *factor, y, i = rest
    one = all(a.type == tensor_type(x.dtype, (1,) * x.ndim) for a in factor)
    if i.ndim != 1 or y.ndim != x.ndim or not x.ndim or i.dtype != "int64" or y.dtype != x.dtype or not one:
        raise RankError(
            f"{op}: x, y and the factor, which has one element, have one rank and dtype, "
            "the index is an int64 vector",
            operands=[("x", x), *(("a", a) for a in factor), ("y", y), ("i", i)],
        )
    for axis, (have, want) in enumerate(zip(y.type.shape, (*i.type.shape, *x.type.shape[1:]), strict=True)):
        if have is not None and want is not None and have not in (1, want):
            raise ShapeError(
                f"{op}: axis {axis} of the value has length {have}, the part has {want}",
                operands=[("x", x), ("y", y), ("i", i)],
            )
    return x.type  # type: ignore[no-any-return]


def _rows_check(node: Apply, values: Sequence[Any]) -> None:
    x, *_, y, i = values
    check_value(node, y, [len(i), *x.shape[1:]], len(values) - 2)


def checked_rows(x: Any, i: Any) -> Any:
    """A copy of x, after a check of the indices."""
    outside = i[(i < -len(x)) | (i >= len(x))]
    if outside.size:
        raise BoundsError(OUTSIDE.format(outside[0], len(x), axis=0))
    return np.array(x)


def _add_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    from eqsat.graph.ops.elemwise import mul
    from eqsat.graph.sum_to import sum_to

    _, a, y, i = inputs
    return [dy, sum_to(mul(dy[i], y), a), sum_to(mul(dy[i], a), y), None]


def _set_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    from eqsat.graph.ops.gather import last_written
    from eqsat.graph.sum_to import sum_to

    x, y, i = inputs
    kept = last_written(x, (0,) + (-1,) * (x.ndim - 1), [i], dy[i])
    zero = np.zeros((1,) * y.ndim, x.type.dtype)
    return [set_rows(dy, zero, i), sum_to(kept, y), None]


def _rows_cost(op: Any, ins: Sequence[Sequence[float]], out: Sequence[float]) -> Cost:
    """Each row is found on its own."""
    count, rows = float(np.prod(ins[-2])), float(np.prod(ins[-1]))
    return Cost(flops=2 * count + 26 * rows, vector=False, places=max(rows, count / 8))


ROWS: dict[str, Any] = {
    "batch": rows_placed,
    "infer": _rows_type,
    "builder": "rows.write",
    "checks_first": True,
    "in_place": 0,
    "check": _rows_check,
    "cost": _rows_cost,
}


@structural("block", signature="x,_,_,_->x", grad=_add_grad, real="with_rows(x, a, y, i)", **ROWS)
def add_rows(x: Any, a: Any, y: Any, i: Any) -> Any:
    """Copy of x in which row i[k] has a times row k of y added, once per occurrence of an index."""
    result = checked_rows(x, i)
    np.add.at(result, i, a * y)
    return result


@structural("block", signature="x,_,_->x", linear="x y", grad=_set_grad, **ROWS)
def set_rows(x: Any, y: Any, i: Any) -> Any:
    """Copy of x in which row i[k] is row k of y, the last one where an index occurs again."""
    result = checked_rows(x, i)
    result[i] = y
    return result


# ------------------------------------------------------------------------------------------- rows of a sequence

TOO_SHORT = "{what} has length {0}, it needs {1}"
NEGATIVE = "{who}: the number of steps is {0}"


def _first_type(op: Any, x: Any, n: Any) -> TensorType:
    count = int(n.data) if isinstance(n, Constant) else None
    have = x.type.shape[0]
    if count is not None and have is not None and have < count:
        raise ShapeError(TOO_SHORT.format(have, count, what=op.params["what"]), operands=[(str(x), x)])
    return TensorType(x.type.dtype, shape=(count, *x.type.shape[1:]))


def _first_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    from eqsat.graph.ops.create import zeros_like
    from eqsat.graph.ops.subscript import set_subtensor

    x, n = inputs
    return [set_subtensor(zeros_like(x)[:n], dy), None]


@structural(
    "view",
    linear="x",
    batch=first_of_each,
    parameters={"what": OBJECT},
    elements=("x",),
    signature="(m,x...),()->(n,x...)",
    infer=_first_type,
    grad=_first_grad,
    builder="rows.first",
    cost=Cost(flops=0, bytes=0, calls=0),
)
def first_rows(x: Any, n: Any, *, what: str) -> Any:
    """The first n rows of x, which must have as many; ``what`` is x in the error where it has not, as ``scan: x``."""
    if n < 0:
        raise ShapeError(NEGATIVE.format(int(n), who=what.partition(":")[0]))
    if len(x) < n:
        raise ShapeError(TOO_SHORT.format(len(x), int(n), what=what))
    return x[: int(n)]


def write_rows(x: Any, y: Any, indices: Sequence[Any], pattern: Sequence[int], add: int) -> Any:
    """A write by one index array on the first axis as add_rows or set_rows; None for any other.

    An array of another rank is made a vector, and so are the axes of y that belong to it.
    """
    from eqsat.graph.ops.reshape import reshape_op
    from eqsat.graph.ops.shape import length, make_vector

    if tuple(pattern) != (0,) + (-1,) * (len(pattern) - 1) or x.dtype.startswith("complex"):
        return None
    (i,) = indices
    if i.ndim != 1:
        lead = y.type.shape[: i.ndim]
        if any(have == 1 and want != 1 for have, want in zip(lead, i.type.shape, strict=True)):
            return None
        rest = [length(y, a) for a in range(i.ndim, y.ndim)]
        count = length_of_all(i)
        y = reshape_op(y, make_vector([count, *rest]), ndim=x.ndim)
        i = reshape_op(i, make_vector([count]), ndim=1)
    return add_rows(x, np.ones((1,) * x.ndim, x.dtype), y, i) if add else set_rows(x, y, i)


def length_of_all(i: Any) -> Any:
    """Number of elements as a 0-d int64."""
    from eqsat.graph.constant import constant
    from eqsat.graph.ops.elemwise import mul
    from eqsat.graph.ops.shape import length

    total: Any = constant(1, dtype="int64")
    for a in range(i.ndim):
        total = mul(total, length(i, a))
    return total


def sum_of_gradients(total: Any, piece: Any) -> Any:
    """The sum of two gradients of one variable: what was added to a part of zeros is added to the other one instead.

    So a gradient through many picks is one chain; sums of them would be equal to too many others.
    """
    from eqsat.graph.ops.elemwise import add

    if total.type == piece.type:
        for one, other in ((piece, total), (total, piece)):
            if one.owner is not None and _adds_to_part(one.owner.op) and _is_zeros(one.owner.inputs[0]):
                return one.owner.op(other, *one.owner.inputs[1:])
    return add(total, piece)


def _adds_to_part(op: Any) -> bool:
    return getattr(op, "name", "") in ("add_rows", "scatter", "set_part", "set_diagonal") and adds(op)


def _is_zeros(x: Any) -> bool:
    """True for a filling with the constant 0."""
    while x.owner is not None and x.owner.op.name in ("alloc", "dimshuffle", "forget_shape"):
        x = x.owner.inputs[0]
    return isinstance(x, Constant) and x.data.size == 1 and not x.data.any()
