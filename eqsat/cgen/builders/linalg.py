"""Products of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.builders import saying
from eqsat.cgen.builders.matrices import matrix
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter


@saying(calls="product")
def dot(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    x, y = ins
    stop = w.fail("MemoryError", "dot: no memory to pack an operand")
    arguments = [x.n[0], y.n[1], x.n[1], *matrix(x, ()), *matrix(y, ()), out.address]
    w.call("dot", x.dtype, *arguments, stops=[stop])


@saying(calls="product")
def batched_dot(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    x, y = ins
    stop = w.fail("MemoryError", "batched_dot: no memory to pack an operand")
    with w.loop("q", x.n[0]) as q:
        lengths = (x.n[1], y.n[2], x.n[2])
        w.call("dot", x.dtype, *lengths, *matrix(x, [q]), *matrix(y, [q]), out.place(q), stops=[stop])
