"""Products of stacks of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.builders import saying
from eqsat.cgen.builders.matrices import matrix
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter


@saying(calls="product")
def matmul(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    x, y = ins
    stop = w.fail("MemoryError", "matmul: no memory to pack an operand")
    with w.loops(out.n[:-2]) as batch:
        lengths = (x.n[-2], y.n[-1], x.n[-1])
        w.call(
            "dot", x.dtype, *lengths, *matrix(x, batch), *matrix(y, batch), out.place(*batch), stops=[stop]
        )
