"""Places among sorted values, counts of values, repeated places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.ir.expressions import Expression, Function, Int, ne
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter
from eqsat.graph.ops.search import BELOW, COUNT, NEGATIVE, PARTS, SIZE, TOTAL


def search(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    a, v = ins
    with w.parallel(v.n) as index:
        args = (a.address, a.n[0], a.s[0], v.at(*index), Int(int(op.params["right"])))
        w.store(out.at(*index), Function("search", args, a.dtype))


def bins(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    x, least = ins
    count = w.variable("count", least.scalar())
    with w.loop("i0", x.n[0]) as i:
        at = x.at(i)
        w.check(at < 0, "ArgumentError", NEGATIVE, at)
        with w.when(at >= count):
            w.assign(count, at + 1)
    w.store(out.scalar(), count)


def spread_lengths(w: BodyWriter, op: Any, ins: Sequence[Memory]) -> list[Expression]:
    counts, n = ins
    w.check(ne(counts.n[0], n.scalar()), "ShapeError", COUNT, counts.n[0], n.scalar())
    total = w.variable("total", 0)
    with w.loop("i0", counts.n[0]) as i:
        w.check(counts.at(i) < 0, "ShapeError", BELOW, counts.at(i))
        w.assign(total, total + counts.at(i))
    return [total]


def spread(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    counts = ins[0]
    at = w.variable("at", 0)
    with w.loop("i0", counts.n[0]) as i, w.loop("j", counts.at(i)):
        w.store(out.at(at), i)
        w.assign(at, at + 1)


def ends(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    sizes, n = ins
    parts = op.params["parts"]
    w.check(ne(sizes.n[0], parts), "ShapeError", PARTS, sizes.n[0], parts)
    total = w.variable("total", 0)
    w.store(out.at(0), 0)
    with w.loop("i0", sizes.n[0]) as i:
        w.check(sizes.at(i) < 0, "ShapeError", SIZE, sizes.at(i))
        w.assign(total, total + sizes.at(i))
        w.store(out.at(i + 1), total)
    w.check(ne(total, n.scalar()), "ShapeError", TOTAL, total, n.scalar())
