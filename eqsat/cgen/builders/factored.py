"""LU factorisations that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.builders.matrices import attempt, matrix
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter


def factors(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    (x,) = ins
    arguments = [x.n[0], *matrix(x, ()), out.address]
    attempt(w, op, "lu_factors", x.dtype, *arguments, memory="solve: no memory for a matrix", results=[out])


def solve(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    f, b = ins
    memory = w.fail("MemoryError", "solve: no memory for a matrix")
    arguments = [*b.n, int(op.params["turned"]), *matrix(f, ()), *matrix(b, ()), out.address]
    w.call("lu_solve", f.dtype, *arguments, stops=[memory])
