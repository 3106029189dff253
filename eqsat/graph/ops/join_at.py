"""Tensors joined along an axis that is known only when the function runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import AxisError, ShapeError
from eqsat.graph.batch_rules import joined_at
from eqsat.graph.c_operand import COperand, CWriter, loops, total_length
from eqsat.graph.declare import Cost, structural
from eqsat.graph.ops.elemwise import add, eq, lt, switch
from eqsat.graph.ops.shape import length, specify
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


def _dims(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[str]:
    axis, *xs = ins
    ndim = len(xs[0].n)
    given = axis.scalar()
    stop = w.fail("AxisError", AXIS, given, str(ndim))
    w.emit(f"if ({given} < -{ndim} || {given} >= {ndim}) {stop}")
    place = w.define("axis", f"{given} < 0 ? {given} + {ndim} : {given}")
    dims = []
    for a in range(ndim):
        for _, x in w.each(xs[1:]):
            stop = w.fail("ShapeError", LENGTHS.replace("{axis}", str(a)), xs[0].n[a], x.n[a])
            w.emit(f"if ({place} != {a} && {xs[0].n[a]} != {x.n[a]}) {stop}")
        dims.append(w.define("n", f"{place} == {a} ? {total_length(w, xs, a)} : {xs[0].n[a]}"))
    return dims


def _c(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    axis, *xs = ins
    given = axis.scalar()
    ndim = len(xs[0].n)
    place = w.define("axis", f"{given} < 0 ? {given} + {ndim} : {given}")
    offsets = [w.running("o") for _ in range(ndim)]
    for _, x in w.each(xs):
        index = [f"i{a}" for a in range(ndim)]
        target = [f"({o.text} + {i})" for o, i in zip(offsets, index, strict=True)]
        w.emit(loops(x.n, f"{out.at(target)} = {x.at(index)};"))
        for a, o in enumerate(offsets):
            o.become(f"{place} == {a} ? {o.text} + {x.n[a]} : 0")


@structural(
    "block",
    name="concatenate_at",
    batch=joined_at,
    variadic=True,
    infer=lambda op, axis, *xs: TensorType(xs[0].type.dtype, shape=(None,) * xs[0].ndim),
    grad=_grad,
    dims=_dims,
    c=_c,
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
