"""Running sums and products along an axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eqsat.graph.batch_rules import next_axis
from eqsat.graph.c_operand import COperand, CWriter, loops
from eqsat.graph.constant import cast_to
from eqsat.graph.declare import Cost, structural
from eqsat.graph.ops.elemwise import and_, eq, gt, switch
from eqsat.graph.ops.subscript import getitem
from eqsat.graph.parameters import INTEGER


def flip_op(x: Any, axis: int) -> Any:
    """Tensor with one axis in reverse order."""
    return getitem(x, (slice(None),) * axis + (slice(None, None, -1),))


def _cumulate_c(first: str, sign: str) -> Callable[..., None]:
    def write(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
        (x,), axis = ins, op.params["axis"]
        kept = [n for a, n in enumerate(x.n) if a != axis]
        index = [f"i{a - (a > axis)}" if a != axis else "k" for a in range(len(x.n))]
        step = f"{out.at(index)} = total = ({x.ctype})(total {sign} {x.at(index)});"
        inner = f"for (int64_t k = 0; k < {x.n[axis]}; k++) {step}"
        w.emit(loops(kept, f"{x.ctype} total = {first}; {inner}"))

    return write


def _cumsum_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    axis = op.params["axis"]
    return [flip_op(cumsum_op(flip_op(dy, axis), axis=axis), axis)]


def _cumprod_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    """Without dividing by zero: what lies behind the first zero has no gradient, the zero itself has that
    of the product without it."""
    (x,), axis = inputs, op.params["axis"]
    zero = eq(x, 0)
    zeros = cumsum_op(cast_to(zero, "int64"), axis=axis)
    first = and_(zero, eq(zeros, 1))
    without = cumprod_op(switch(first, np.ones((), x.type.dtype), x), axis=axis)
    behind = _sums_from_the_end(dy * without, axis)
    before = _sums_from_the_end(dy * out, axis) / switch(zero, np.ones((), x.type.dtype), x)
    return [switch(first, behind, switch(gt(zeros, 0), np.zeros((), x.type.dtype), before))]


def _sums_from_the_end(x: Any, axis: int) -> Any:
    return flip_op(cumsum_op(flip_op(x, axis), axis=axis), axis)


def _cost(op: Any, ins: Sequence[Sequence[float]], out: Sequence[float]) -> Cost:
    return Cost(flops=2 * float(np.prod(out)))


@structural(
    "block",
    name="cumsum",
    parameters={"axis": INTEGER},
    batch=next_axis,
    infer=lambda op, x: x.type,
    grad=_cumsum_grad,
    dims=lambda w, op, ins: list(ins[0].n),
    c=_cumulate_c("0", "+"),
    cost=_cost,
)
def cumsum_op(x: Any, *, axis: int) -> Any:
    """Sums of the elements up to and including each one along an axis; integers wrap."""
    return np.cumsum(x, axis=axis, dtype=x.dtype)


@structural(
    "block",
    name="cumprod",
    parameters={"axis": INTEGER},
    batch=next_axis,
    infer=lambda op, x: x.type,
    grad=_cumprod_grad,
    dims=lambda w, op, ins: list(ins[0].n),
    c=_cumulate_c("1", "*"),
    cost=_cost,
)
def cumprod_op(x: Any, *, axis: int) -> Any:
    """Products of the elements up to and including each one along an axis; integers wrap."""
    return np.cumprod(x, axis=axis, dtype=x.dtype)
