"""The full convolution of two vectors, or of vectors row by row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import ShapeError
from eqsat.graph.batch_rules import leading
from eqsat.graph.c_operand import COperand, CWriter, loops
from eqsat.graph.declare import Cost, structural
from eqsat.graph.ops.cumulate import flip_op
from eqsat.graph.ops.shape import length, specify
from eqsat.graph.ops.subscript import getitem
from eqsat.graph.tensor_type import TensorType

EMPTY = "convolve: a vector is empty"


def _type(op: Any, x: Any, y: Any) -> TensorType:
    n, m = x.type.shape[-1], y.type.shape[-1]
    if n == 0 or m == 0:
        raise ShapeError(EMPTY, operands=[(str(x), x), (str(y), y)])
    return TensorType(x.type.dtype, shape=(*x.type.shape[:-1], None if n is None or m is None else n + m - 1))


def _dims(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[str]:
    n, m = ins[0].n[-1], ins[1].n[-1]
    w.emit(f"if ({n} == 0 || {m} == 0) {w.fail('ShapeError', EMPTY)}")
    return [*ins[0].n[:-1], w.define("n", f"{n} + {m} - 1")]


def _c(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    x, y = ins
    step = "|= x & y" if x.dtype == "bool" else "+= x * y"
    rows = [f"i{k}" for k in range(len(x.n) - 1)]
    body = (
        f"for (int64_t i = 0; i < {out.n[-1]}; i++) {out.at([*rows, 'i'])} = 0; "
        f"for (int64_t i = 0; i < {x.n[-1]}; i++) {{ {x.ctype} x = {x.at([*rows, 'i'])}; "
        f"for (int64_t j = 0; j < {y.n[-1]}; j++) {{ {x.ctype} y = {y.at([*rows, 'j'])}; "
        f"{out.at([*rows, 'i + j'])} {step}; }} }}"
    )
    w.emit(loops(x.n[:-1], body))


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
    dims=_dims,
    c=_c,
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
