"""A diagonal as a view, and writes to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.builders.index import write_view
from eqsat.cgen.ir.expressions import select
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter, ViewWriter
from eqsat.graph.ops.diagonal import other_axes


def diagonal_of(w: ViewWriter, pattern: tuple[int, int, int], x: Memory) -> Memory:
    """The view of a diagonal."""
    offset, first, second = pattern
    rows = w.define("rows", x.n[first] - max(-offset, 0))
    columns = w.define("columns", x.n[second] - max(offset, 0))
    least = w.define("least", select(rows < columns, rows, columns))
    count = w.define("count", select(least > 0, least, 0))
    place, axis = (offset, second) if offset >= 0 else (-offset, first)
    start = w.define("start", select(count > 0, x.s[axis] * place, 0))
    whole = other_axes(pattern, len(x.n))
    return x.seen(
        [*(x.n[a] for a in whole), count], [*(x.s[a] for a in whole), x.s[first] + x.s[second]], start
    )


def write(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    x, y = ins
    write_view(w, op, diagonal_of(w, op.params["pattern"], out), x, y, out)


def read(w: ViewWriter, op: Any, ins: Sequence[Memory]) -> Memory:
    return diagonal_of(w, op.params["pattern"], ins[0])
