"""Products of matrices over the steps of a loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.blocks import saying
from eqsat.cgen.c.blocks.linalg import dot_call
from eqsat.cgen.c.operand import COperand, CWriter, loops


@saying(calls="product")
def rows_dot(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    """One product where the rows of all matrices lie at one distance, else one for each matrix."""
    x, y = ins
    dot = dot_call(x.dtype, x.ctype)
    whole = f"{x.n[1]} == 1 || {x.s[0]} == ({x.n[1]})*({x.s[1]})"
    step = w.define("step", f"{x.n[1]} == 1 ? {x.s[0]} : {x.s[1]}")
    tail = f"{x.s[2]}, {y.ptr}, {y.s[0]}, {y.s[1]}"
    one = f"{dot}({x.n[0]})*({x.n[1]}), {y.n[1]}, {x.n[2]}, {x.ptr}, {step}, {tail}, {out.ptr})"
    each = f"{dot}{x.n[1]}, {y.n[1]}, {x.n[2]}, {x.ptr} + q*({x.s[0]}), {x.s[1]}, {tail}, {out.ptr} + q*({out.s[0]}))"
    stop = w.fail("MemoryError", "rows_dot: no memory to pack an operand")
    w.emit(
        f"if ({whole}) {{ if ({one}) {stop} }} else for (int64_t q = 0; q < {x.n[0]}; q++) if ({each}) {stop}"
    )


def _flat(x: COperand, inner: int) -> str:
    """C text that is true where the first axis and the inner one of a stack run at one distance."""
    return f"({x.n[0]} == 1 || {x.n[inner]} == 1 || {x.s[0]} == ({x.n[inner]})*({x.s[inner]}))"


def sum_dots_room(op: Any, ins: Sequence[COperand], out: COperand) -> str:
    x, y = ins
    return f"({_flat(x, 2)} ? 0 : {x.size}) + ({_flat(y, 1)} ? 0 : {y.size})"


@saying(calls="product")
def sum_dots(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    """One product over the steps and the inner axis together, after a copy of an operand in which they are apart."""
    x, y = ins
    a = _in_one(w, x, (0, 2, 1), 2, "room")
    b = _in_one(w, y, (0, 1, 2), 1, f"room + ({_flat(x, 2)} ? 0 : {x.size})")
    w.emit(
        f"if ({dot_call(x.dtype, x.ctype)}{out.n[0]}, {out.n[1]}, ({x.n[0]})*({x.n[2]}), {a[0]}, {a[2]}, {a[1]}, "
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
