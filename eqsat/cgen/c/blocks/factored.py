"""LU factorisations that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.operand import COperand, CWriter
from eqsat.graph.ops.solve import SINGULAR


def factors(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    (x,) = ins
    n = x.n[0]
    memory, stop = (
        w.fail("MemoryError", "solve: no memory for a matrix"),
        w.fail("LinAlgError", f"solve: {SINGULAR}"),
    )
    call = f"eq_lu_factors__{x.ctype}({n}, {x.ptr}, {x.s[0]}, {x.s[1]}, {out.ptr})"
    w.emit(f"{{ int64_t bad = {call}; if (bad == 1) {memory} if (bad) {stop} }}")


def solve(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    f, b = ins
    n, k, turned = b.n[0], b.n[1], op.params["turned"]
    call = (
        f"eq_lu_solve__{f.ctype}({n}, {k}, {turned}, {f.ptr}, {f.s[0]}, {f.s[1]}, "
        f"{b.ptr}, {b.s[0]}, {b.s[1]}, {out.ptr})"
    )
    w.check(call, "MemoryError", "solve: no memory for a matrix")
