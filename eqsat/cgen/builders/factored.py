"""LU factorisations that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.builders.matrices import matrix
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter
from eqsat.graph.ops.solve import SINGULAR


def factors(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    (x,) = ins
    memory = w.fail("MemoryError", "solve: no memory for a matrix")
    stop = w.fail("LinAlgError", f"solve: {SINGULAR}")
    w.call("lu_factors", x.dtype, x.n[0], *matrix(x, ()), out.address, stops=[memory, stop])


def solve(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    f, b = ins
    memory = w.fail("MemoryError", "solve: no memory for a matrix")
    arguments = [*b.n, int(op.params["turned"]), *matrix(f, ()), *matrix(b, ()), out.address]
    w.call("lu_solve", f.dtype, *arguments, stops=[memory])
