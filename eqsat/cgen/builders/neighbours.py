"""The number of neighbourhoods along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.ir.expressions import Expression, Int, ne, select
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter
from eqsat.graph.ops.neighbours import EXACT, REACH, SHORT, UNEVEN


def count_lengths(w: BodyWriter, op: Any, ins: Sequence[Memory]) -> list[Expression]:
    return []


def count(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    size, step, mode = (op.params[name] for name in ("size", "step", "mode"))
    n = w.define("n", ins[0].scalar())
    if mode not in ("ignore_borders", "full"):
        w.check(n < size, "ShapeError", SHORT, n, size)
    reach = w.define("reach", n + REACH[mode](size))
    if mode in EXACT:
        w.check(ne(reach % Int(step), 0), "ShapeError", UNEVEN, n, step)
    w.store(out.scalar(), select(reach < 0, 0, reach // step + 1))
