"""Systems of linear equations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.builders.matrices import attempt, each_matrix, failing, fill_with_nan, matrix
from eqsat.cgen.ir.expressions import ONE, ZERO, Expression, Number, eq, ne
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter


def solve(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    """A matrix is factored once for the systems that follow each other and share it."""
    a, b = ins
    n, k = b.n[-2:]
    memory = w.fail("MemoryError", "solve: no memory for a matrix")
    quiet = bool(op.declaration.raises)
    with w.rooms(memory, ("t", a.dtype, n * n + n * k + 1), ("q", "int32", n + 1)) as (t, q):
        last = w.variable("last", Number(-(2**63), "int64"))
        bad = w.variable("bad", 0) if quiet else None
        stops = [] if quiet else [failing(w, op)]
        with w.loops(out.n[:-2]) as batch:
            now: Expression = sum((i * s for i, s in zip(batch, a.s, strict=False)), start=ZERO)
            with w.when(ne(last, now)):
                w.call("factor", a.dtype, n, *matrix(a, batch), t.address, q.address, stops=stops, result=bad)
                w.assign(last, now)
            arguments = [n, k, t.address, q.address, *matrix(b, batch), t.place(n * n), out.place(*batch)]
            with w.when(ONE if bad is None else eq(bad, 0)):
                w.call("factored", a.dtype, *arguments)
            with w.otherwise():
                fill_with_nan(w, out, batch)


def triangle(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    a, b = ins
    kind = int(op.params["lower"]), int(op.params["unit"])
    with w.parallel(out.n[:-2]) as batch:
        arguments = [*b.n[-2:], *kind, *matrix(a, batch), *matrix(b, batch), out.place(*batch)]
        memory = "solve_triangular: no memory for a matrix"
        attempt(w, op, "triangle", a.dtype, *arguments, memory=memory, results=[out], batch=batch)


inv = each_matrix("inv")
pinv = each_matrix("pinv", flags=("cutoff",))
