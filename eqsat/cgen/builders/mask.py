"""Places of true elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.ir.expressions import Expression, Int, either, ne
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter
from eqsat.graph.ops.mask import MISMATCH


def nonzero_lengths(w: BodyWriter, op: Any, ins: Sequence[Memory]) -> list[Expression]:
    x, *lengths = ins
    for axis, (have, wanted) in enumerate(zip(x.n, lengths, strict=False)):
        text = MISMATCH.replace("{axis}", str(axis))
        w.check(ne(have, wanted.scalar()), "BoundsError", text, have, wanted.scalar())
    count = w.variable(w.fresh("count"), 0)
    with w.loops(x.n) as index:
        w.assign(count, count + ne(x.at(*index), 0))
    return [Int(len(x.n)), count]


def nonzero(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    x = ins[0]
    at = w.variable("at", 0)
    with w.loops(x.n) as index, w.when(ne(x.at(*index), 0)):
        for a, i in enumerate(index):
            w.store(out.at(a, at), i)
        w.assign(at, at + 1)


def within(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    i, n = ins[0], ins[1].scalar()
    with w.parallel(i.n) as index:
        g = w.let("g", i.at(*index))
        text = "the index {0} is outside the range from 0 to {1}"
        w.check(either(g < 0, g >= n), "BoundsError", text, g, n - 1)
        w.store(out.at(*index), g)
