"""Tensors joined along an axis that is known only when the function runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import AxisError, ShapeError
from eqsat.graph.batch_rules import joined_at
from eqsat.graph.declare import Cost, structural
from eqsat.graph.ops.elemwise import add, eq, lt, switch
from eqsat.graph.ops.shape import length
from eqsat.graph.ops.specify import specify
from eqsat.graph.ops.subscript import getitem
from eqsat.graph.tensor_type import TensorType

AXIS = "concatenate: there is no axis {0}, the tensors have {1} dimensions"
LENGTHS = "concatenate: axis {axis} has the lengths {0} and {1}"


def _grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    axis, *xs = inputs
    place = switch(lt(axis, 0), add(axis, dy.ndim), axis)
    zero = np.zeros((), "int64")
    offsets: list[Any] = [zero] * dy.ndim
    grads: list[Any] = [None]
    for x in xs:
        ends = [add(start, length(x, a)) for a, start in enumerate(offsets)]
        part = getitem(dy, tuple(slice(s, e) for s, e in zip(offsets, ends, strict=True)))
        grads.append(specify(part, x.type.shape))
        offsets = [switch(eq(place, a), end, zero) for a, end in enumerate(ends)]
    return grads


@structural(
    "block",
    name="concatenate_at",
    batch=joined_at,
    variadic=True,
    infer=lambda op, axis, *xs: TensorType(xs[0].type.dtype, shape=(None,) * xs[0].ndim),
    grad=_grad,
    builder="join_at.join",
    cost=lambda op, ins, out: Cost(flops=float(np.prod(out))),
)
def join_at_op(axis: Any, *xs: Any) -> Any:
    """Tensors one after the other along an axis given as a 0-d int64."""
    ndim = xs[0].ndim
    if not -ndim <= axis < ndim:
        raise AxisError(AXIS.format(int(axis), ndim))
    place = int(axis) % ndim
    for a in range(ndim):
        for x in xs[1:]:
            if a != place and x.shape[a] != xs[0].shape[a]:
                raise ShapeError(LENGTHS.format(xs[0].shape[a], x.shape[a], axis=a))
    return np.concatenate(xs, place)
