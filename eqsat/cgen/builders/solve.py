"""Systems of linear equations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.builders.matrices import each_matrix, matrix
from eqsat.cgen.ir.expressions import ZERO, Expression, Number, ne
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter
from eqsat.graph.ops.matrices import DIVERGED
from eqsat.graph.ops.solve import SINGULAR


def solve(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    """A matrix is factored once for the systems that follow each other and share it."""
    a, b = ins
    n, k = b.n[-2:]
    memory = w.fail("MemoryError", "solve: no memory for a matrix")
    stop = w.fail("LinAlgError", f"solve: {SINGULAR}")
    with w.rooms(memory, ("t", a.dtype, n * n + n * k + 1), ("q", "int32", n + 1)) as (t, q):
        last = w.variable("last", Number(-(2**63), "int64"))
        with w.loops(out.n[:-2]) as batch:
            now: Expression = sum((i * s for i, s in zip(batch, a.s, strict=False)), start=ZERO)
            with w.when(ne(last, now)):
                w.call("factor", a.dtype, n, *matrix(a, batch), t.address, q.address, stops=[stop])
                w.assign(last, now)
            arguments = [n, k, t.address, q.address, *matrix(b, batch), t.place(n * n), out.place(*batch)]
            w.call("factored", a.dtype, *arguments)


def triangle(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    a, b = ins
    memory = w.fail("MemoryError", "solve_triangular: no memory for a matrix")
    stop = w.fail("LinAlgError", f"solve_triangular: {SINGULAR}")
    kind = int(op.params["lower"]), int(op.params["unit"])
    with w.parallel(out.n[:-2]) as batch:
        arguments = [*b.n[-2:], *kind, *matrix(a, batch), *matrix(b, batch), out.place(*batch)]
        w.call("triangle", a.dtype, *arguments, stops=[memory, stop])


inv = each_matrix("inv", SINGULAR)
pinv = each_matrix("pinv", DIVERGED, flags=("cutoff",))
