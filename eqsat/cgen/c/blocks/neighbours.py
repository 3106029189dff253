"""The number of neighbourhoods along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.operand import COperand, CWriter
from eqsat.graph.ops.neighbours import EXACT, REACH, SHORT, UNEVEN


def count(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    size, step, mode = (op.params[name] for name in ("size", "step", "mode"))
    n = w.define("n", ins[0].scalar())
    if mode not in ("ignore_borders", "full"):
        w.check(f"{n} < {size}", "ShapeError", SHORT, n, str(size))
    reach = w.define("reach", f"{n} + ({REACH[mode](size)})")
    if mode in EXACT:
        w.check(f"{reach} % {step}", "ShapeError", UNEVEN, n, str(step))
    w.emit(f"{out.scalar()} = {reach} < 0 ? 0 : {reach} / {step} + 1;")
