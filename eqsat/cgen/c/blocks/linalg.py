"""Products of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.blocks import saying
from eqsat.cgen.c.operand import COperand, CWriter
from eqsat.graph.dtypes import INEXACT


def dot_call(dtype: str, ctype: str) -> str:
    """The C function of products, and what it takes before the lengths."""
    if dtype in ("float32", "float64"):
        return f"eq_dot__{ctype}(c, "
    name = "eq_dot_blas" if dtype in INEXACT else "eq_dot_bool" if dtype == "bool" else "eq_dot_loops"
    return f"{name}__{ctype}("


@saying(calls="product")
def dot(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    x, y = ins
    w.emit(
        f"if ({dot_call(x.dtype, x.ctype)}{x.n[0]}, {y.n[1]}, {x.n[1]}, {x.ptr}, {x.s[0]}, {x.s[1]}, "
        f"{y.ptr}, {y.s[0]}, {y.s[1]}, {out.ptr})) {w.fail('MemoryError', 'dot: no memory to pack an operand')}"
    )


@saying(calls="product")
def batched_dot(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    x, y = ins
    w.emit(
        f"for (int64_t q = 0; q < {x.n[0]}; q++) if ({dot_call(x.dtype, x.ctype)}{x.n[1]}, {y.n[2]}, {x.n[2]}, "
        f"{x.ptr} + q*({x.s[0]}), {x.s[1]}, {x.s[2]}, {y.ptr} + q*({y.s[0]}), {y.s[1]}, {y.s[2]}, "
        f"{out.ptr} + q*({out.s[0]}))) {w.fail('MemoryError', 'batched_dot: no memory to pack an operand')}"
    )
