"""A diagonal as a view, and writes to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.blocks.index import write_view
from eqsat.cgen.c.operand import COperand, CView, CWriter
from eqsat.graph.ops.diagonal import other_axes


def c_diagonal(w: CWriter, pattern: tuple[int, int, int], x: COperand) -> CView:
    """The C view of a diagonal."""
    offset, first, second = pattern
    n, m = (
        (x.n[first], f"{x.n[second]} - {offset}")
        if offset >= 0
        else (f"{x.n[first]} - {-offset}", x.n[second])
    )
    rows, columns = w.define("rows", n), w.define("columns", m)
    least = w.define("least", f"{rows} < {columns} ? {rows} : {columns}")
    count = w.define("count", f"{least} > 0 ? {least} : 0")
    place, axis = (offset, second) if offset >= 0 else (-offset, first)
    start = w.define("start", f"{count} > 0 ? {place}*({x.s[axis]}) : 0")
    whole = other_axes(pattern, len(x.n))
    step = f"({x.s[first]}) + ({x.s[second]})"
    return CView(
        f"({x.ptr} + {start})", (*(x.n[a] for a in whole), count), (*(x.s[a] for a in whole), f"({step})")
    )


def write(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    x, y = ins
    write_view(w, op, c_diagonal(w, op.params["pattern"], out), x, y, out)


def read(w: CWriter, op: Any, ins: Sequence[COperand]) -> CView:
    return c_diagonal(w, op.params["pattern"], ins[0])
