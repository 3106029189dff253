"""The full convolution of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.ir.expressions import Binary, Cast, Expression, either, eq, least, select
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter
from eqsat.graph.ops.convolve import EMPTY


def full_lengths(w: BodyWriter, op: Any, ins: Sequence[Memory]) -> list[Expression]:
    n, m = ins[0].n[-1], ins[1].n[-1]
    w.check(either(eq(n, 0), eq(m, 0)), "ShapeError", EMPTY)
    return [*ins[0].n[:-1], w.define("n", n + m - 1)]


def full(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    x, y = ins
    times, plus = ("&", "|") if x.dtype == "bool" else ("*", "+")
    if w.by_places:
        with w.parallel(out.n) as (*rows, i):
            total = w.variable("total", 0, out.dtype)
            first = w.let("first", select(i < y.n[-1], 0, i - y.n[-1] + 1))
            with w.loop("j", least(x.n[-1], i + 1), first) as j:
                term = Binary(times, x.at(*rows, j), y.at(*rows, i - j))
                w.assign(total, Cast(out.dtype, Binary(plus, total, term)))
            w.store(out.at(*rows, i), total)
        return
    with w.parallel(x.n[:-1]) as rows:
        with w.loop("i", out.n[-1]) as i:
            w.store(out.at(*rows, i), 0)
        with w.loop("i", x.n[-1]) as i:
            a = w.let("a", x.at(*rows, i))
            with w.loop("j", y.n[-1]) as j:
                target = out.at(*rows, i + j)
                w.store(target, Binary(plus, target, Binary(times, a, y.at(*rows, j))))
