"""Products of matrices over the steps of a loop: of every one with the same matrix, and added up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.graph.batch_rules import rows_dots, sums_of_dots
from eqsat.graph.c_operand import COperand, CWriter, loops
from eqsat.graph.declare import Cost, structural
from eqsat.graph.ops.linalg import _dot_call
from eqsat.graph.ops.shape import dimshuffle


def swapped(x: Any) -> Any:
    """A stack of matrices, each transposed."""
    return dimshuffle(x, 0, 2, 1)


# ---------------------------------------------------------------------------------------- one matrix for all rows


def _rows_c(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    """One product where the rows of all matrices lie at one distance, else one for each matrix."""
    x, y = ins
    dot = _dot_call(x.dtype, x.ctype)
    whole = f"{x.n[1]} == 1 || {x.s[0]} == ({x.n[1]})*({x.s[1]})"
    step = w.define("step", f"{x.n[1]} == 1 ? {x.s[0]} : {x.s[1]}")
    tail = f"{x.s[2]}, {y.ptr}, {y.s[0]}, {y.s[1]}"
    one = f"{dot}({x.n[0]})*({x.n[1]}), {y.n[1]}, {x.n[2]}, {x.ptr}, {step}, {tail}, {out.ptr})"
    each = f"{dot}{x.n[1]}, {y.n[1]}, {x.n[2]}, {x.ptr} + q*({x.s[0]}), {x.s[1]}, {tail}, {out.ptr} + q*({out.s[0]}))"
    stop = w.fail("MemoryError", "rows_dot: no memory to pack an operand")
    w.emit(
        f"if ({whole}) {{ if ({one}) {stop} }} else for (int64_t q = 0; q < {x.n[0]}; q++) if ({each}) {stop}"
    )


def _rows_cost(op: Any, ins: Sequence[Sequence[float]], out: Sequence[float]) -> Cost:
    (n, m, k), (_, p) = ins
    return Cost(flops=2 * n * m * k * p, product=(n * m, k, p))


@structural(
    "block",
    signature="(n,m,k),(k,p)->(n,m,p)",
    linear="x, y",
    batch=rows_dots,
    grad=lambda op, inputs, out, dy: [
        rows_dot(dy, dimshuffle(inputs[1], 1, 0)),
        sum_dots(swapped(inputs[0]), dy),
    ],
    conjugate=True,
    c=_rows_c,
    cost=_rows_cost,
)
def rows_dot(x: Any, y: Any) -> Any:
    """Product of every matrix of a stack with one matrix.

    Shapes   x: f[n, m, k], y: f[k, p] -> f[n, m, p]
    """
    return np.matmul(x, y)


# --------------------------------------------------------------------------------------------- a sum of products


def _flat(x: COperand, inner: int) -> str:
    """C text that is true where the first axis and the inner one of a stack run at one distance."""
    return f"({x.n[0]} == 1 || {x.n[inner]} == 1 || {x.s[0]} == ({x.n[inner]})*({x.s[inner]}))"


def _sum_room(op: Any, ins: Sequence[COperand], out: COperand) -> str:
    x, y = ins
    return f"({_flat(x, 2)} ? 0 : {x.size}) + ({_flat(y, 1)} ? 0 : {y.size})"


def _sum_c(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    """One product over the steps and the inner axis together, after a copy of an operand in which they are apart."""
    x, y = ins
    a = _in_one(w, x, (0, 2, 1), 2, "room")
    b = _in_one(w, y, (0, 1, 2), 1, f"room + ({_flat(x, 2)} ? 0 : {x.size})")
    w.emit(
        f"if ({_dot_call(x.dtype, x.ctype)}{out.n[0]}, {out.n[1]}, ({x.n[0]})*({x.n[2]}), {a[0]}, {a[2]}, {a[1]}, "
        f"{b[0]}, {b[1]}, {b[2]}, {out.ptr})) {w.fail('MemoryError', 'sum_dots: no memory to pack an operand')}"
    )


def _in_one(w: CWriter, x: COperand, order: Sequence[int], inner: int, room: str) -> tuple[str, str, str]:
    """Pointer and distances, along the steps and across, of a stack whose steps and inner axis run as one."""
    across = order[2]
    flat = w.define("flat", _flat(x, inner))
    pointer = w.fresh("whole")
    w.emit(f"const {x.ctype} *{pointer} = {x.ptr};")
    lengths = [x.n[a] for a in order]
    place = {a: f"i{k}" for k, a in enumerate(order)}
    source = x.at([place[a] for a in range(3)])
    copy = loops(lengths, f"to[(i0*({lengths[1]}) + i1)*({lengths[2]}) + i2] = {source};")
    w.emit(f"if (!{flat}) {{ {x.ctype} *to = {room}; {pointer} = to; {copy} }}")
    along = w.define("along", f"!{flat} ? {x.n[across]} : {x.n[inner]} == 1 ? {x.s[0]} : {x.s[inner]}")
    return pointer, along, w.define("across", f"{flat} ? {x.s[across]} : 1")


def _sum_cost(op: Any, ins: Sequence[Sequence[float]], out: Sequence[float]) -> Cost:
    (n, m, k), (_, _, p) = ins
    return Cost(flops=2 * n * m * k * p, product=(m, n * k, p))


@structural(
    "block",
    signature="(n,m,k),(n,k,p)->(m,p)",
    linear="x, y",
    batch=sums_of_dots,
    grad=lambda op, inputs, out, dy: [
        swapped(rows_dot(inputs[1], dimshuffle(dy, 1, 0))),
        rows_dot(swapped(inputs[0]), dy),
    ],
    conjugate=True,
    scratch=_sum_room,
    c=_sum_c,
    cost=_sum_cost,
)
def sum_dots(x: Any, y: Any) -> Any:
    """Sum of the products of the matrices of two stacks.

    Shapes   x: f[n, m, k], y: f[n, k, p] -> f[m, p]
    """
    return np.einsum("nmk,nkp->mp", x, y, optimize=True) if x.dtype != bool else np.matmul(x, y).any(axis=0)
