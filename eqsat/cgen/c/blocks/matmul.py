"""Products of stacks of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.blocks import saying
from eqsat.cgen.c.blocks.linalg import dot_call
from eqsat.cgen.c.blocks.matrices import item
from eqsat.cgen.c.operand import COperand, CWriter, loops


@saying(calls="product")
def matmul(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    x, y = ins
    m, n, k = x.n[-2], y.n[-1], x.n[-1]
    lengths = out.n[:-2]
    stop = w.fail("MemoryError", "matmul: no memory to pack an operand")
    call = (
        f"{dot_call(x.dtype, x.ctype)}{m}, {n}, {k}, {item(x, 2)}, {x.s[-2]}, {x.s[-1]}, "
        f"{item(y, 2)}, {y.s[-2]}, {y.s[-1]}, {item(out, 2)})"
    )
    w.emit(loops(lengths, f"if ({call}) {stop}"))
