"""Tensors joined along an axis that they have, or along a new one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, AxisError, RankError, ShapeError
from eqsat.graph.batch_rules import next_axis
from eqsat.graph.constant import as_tensor, cast_to
from eqsat.graph.core import Constant
from eqsat.graph.declare import Cost, structural
from eqsat.graph.dtypes import promote
from eqsat.graph.parameters import AXIS
from eqsat.graph.tensor_type import TensorType
from eqsat.lengths.expression import equal


def _check_ranks(xs: Sequence[Any]) -> None:
    """Refuse tensors of several ranks, and scalars."""
    if len({x.ndim for x in xs}) > 1 or xs[0].ndim == 0:
        raise RankError(
            "concatenate: the tensors have " + ", ".join(str(x.ndim) for x in xs) + " dimensions",
            operands=[(str(x), x) for x in xs],
            needs="one rank of at least 1 for all",
            hint="T.stack(tensors) for scalars",
        )


def _join_type(op: Any, *xs: Any) -> TensorType:
    axis = normal_axis("concatenate", op.params["axis"], xs[0].type.ndim, xs[0])
    _check_ranks(xs)
    shape: list[int | None] = []
    for a, lengths in enumerate(zip(*(x.type.shape for x in xs), strict=True)):
        known = [n for n in lengths if n is not None]
        if a == axis:
            shape.append(sum(known) if len(known) == len(lengths) else None)
        elif len(set(known)) > 1:
            raise ShapeError(
                f"concatenate: axis {a} has the lengths {' and '.join(map(str, sorted(set(known))))}",
                operands=[(str(x), x) for x in xs],
                needs=f"equal lengths on every axis but axis {axis}",
            )
        else:
            shape.append(known[0] if known else None)
    return TensorType(xs[0].type.dtype, shape=shape)


def _join_lengths(op: Any, *xs: Any) -> list[Any]:
    """The sum of the lengths along the axis; the others are those of every operand."""
    total = xs[0][op.params["axis"]]
    for x in xs[1:]:
        total = total + x[op.params["axis"]]
    return [total if a == op.params["axis"] else equal(*ns) for a, ns in enumerate(zip(*xs, strict=True))]


def _join_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    from eqsat.graph.ops.shape import length
    from eqsat.graph.ops.specify import unbroadcast_like

    axis, grads = op.params["axis"], []
    lengths = [length(x, axis) if x.type.shape[axis] is None else x.type.shape[axis] for x in inputs]
    for k, x in enumerate(inputs):
        start, stop = _sum(lengths[:k]), _sum(lengths[: k + 1])
        part = dy[(slice(None),) * axis + (slice(start, stop),)]
        grads.append(unbroadcast_like(_with_lengths(part, x), x))
    return grads


def _sum(lengths: Sequence[Any]) -> Any:
    """A sum of lengths from the last on, so that the first is one of two terms, as rules on parts of joins ask."""
    total: Any = lengths[-1] if lengths else 0
    for n in lengths[-2::-1]:
        total = n + total
    return total


def _with_lengths(part: Any, model: Any) -> Any:
    from eqsat.graph.ops.specify import specify

    return specify(part, model.type.shape)


@structural(
    "block",
    name="concatenate",
    linear="xs",
    batch=next_axis,
    parameters={"axis": AXIS},
    variadic=True,
    forms=tuple(range(1, 13)),
    elements=("xs",),
    pieces=lambda op, count: count,
    infer=_join_type,
    shape=_join_lengths,
    grad=_join_grad,
    builder="join.join",
    cost=lambda op, ins, out: Cost(flops=float(np.prod(out))),
    indexing="join",
)
def join_op(*xs: Any, axis: int) -> Any:
    """Tensors one after the other along an axis."""
    for x in xs[1:]:
        for a, (n, first) in enumerate(zip(x.shape, xs[0].shape, strict=True)):
            if a != axis and n != first:
                raise ShapeError(f"concatenate: axis {a} has the lengths {first} and {n}")
    return np.concatenate(xs, axis)


def normal_axis(name: str, axis: Any, ndim: int, variable: Any) -> int:
    """Axis counted from the left; raises AxisError where the tensor does not have it."""
    held = axis.data if isinstance(axis, Constant) else axis
    if isinstance(held, np.ndarray) and held.ndim == 0 and held.dtype.kind in "iu":
        axis = int(held)
    if not isinstance(axis, (int, np.integer)) or isinstance(axis, bool):
        raise AxisError(f"{name}: an axis is an integer, not {axis!r}", operands=[(str(variable), variable)])
    if not -ndim <= axis < ndim:
        raise AxisError(
            f"{name}: {variable} has no axis {axis}",
            operands=[(str(variable), variable)],
            needs=f"{-ndim} to {ndim - 1}" if ndim else "a tensor with axes",
            axis=axis,
        )
    return int(axis) % ndim


def concatenate(tensors: Sequence[Any], axis: int = 0) -> Any:
    """Tensors of one rank joined along an axis.

    Shapes   [f[a, n], f[b, n]] -> f[a + b, n]
    Errors   ShapeError where another axis differs; RankError where the ranks differ
    """
    xs = [as_tensor(t) for t in tensors]
    if not xs:
        raise ArgumentError("concatenate: no tensors are given")
    _check_ranks(xs)
    axis = normal_axis("concatenate", axis, xs[0].ndim, xs[0])
    dtype = promote(*(x.type.dtype for x in xs))
    return join_op(*(cast_to(x, dtype) for x in xs), axis=axis)


def stack(*tensors: Any, axis: int = 0) -> Any:
    """Tensors of one shape joined along a new axis; takes a list or several arguments.

    Shapes   [f[n], f[n], f[n]] -> f[3, n]
    """
    from eqsat.graph.ops.shape import dimshuffle

    items = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else list(tensors)
    xs = [as_tensor(t) for t in items]
    if not xs:
        raise ArgumentError("stack: no tensors are given")
    if len({x.ndim for x in xs}) > 1:
        raise RankError("stack: the tensors differ in rank", operands=[(str(x), x) for x in xs])
    axis = normal_axis("stack", axis, xs[0].ndim + 1, xs[0])
    pattern = [*range(xs[0].ndim)]
    pattern.insert(axis, "x")  # type: ignore[arg-type]
    return concatenate([dimshuffle(x, *pattern) for x in xs], axis)
