"""The largest element and its place in one pass: an op with two results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import ShapeError
from eqsat.graph.declare import Cost, structural
from eqsat.graph.ops.create import arange
from eqsat.graph.ops.elemwise import eq, switch
from eqsat.graph.ops.reduce import argmax_op
from eqsat.graph.ops.shape import dimshuffle, length
from eqsat.graph.parameters import AXES

EMPTY = "max_and_argmax: an axis of length 0 has no largest element"


def place_in(x: Any, axes: Sequence[int]) -> Any:
    """Place of each element in row-major order over some axes, with length 1 on the other axes."""
    places: Any = None
    for axis in axes:
        here = arange(length(x, axis))
        here = dimshuffle(here, *(0 if a == axis else "x" for a in range(x.ndim)))
        places = here if places is None else places * length(x, axis) + here
    return places


def _grad(op: Any, inputs: Any, outputs: Any, gradients: Any) -> list[Any]:
    (x,), (_, place), (dy, _) = inputs, outputs, gradients
    axes = op.params["axes"]
    if dy is None or not axes:
        return [dy]
    return [switch(eq(place_in(x, axes), place), dy, np.zeros((), dy.dtype))]


@structural(
    "block",
    name="max_and_argmax",
    signature="x->x[axes:=1],x[axes:=1]",
    dtypes="t->t,int64",
    outputs=2,
    parameters={"axes": AXES},
    grad=_grad,
    builder="reduce.max_and_argmax",
    cost=lambda op, ins, out: Cost(flops=40 * float(np.prod(ins[0])), vector=False),
)
def max_and_argmax_op(x: Any, *, axes: tuple[int, ...]) -> Any:
    """Largest element over axes, or NaN, and the place of the first one in row-major order over the axes.

    The gradient flows to the element at that place.
    """
    if any(x.shape[a] == 0 for a in axes):
        raise ShapeError(EMPTY)
    place = argmax_op.bind(axes=axes).compute(x)
    return np.max(x, axis=axes, keepdims=True), place
