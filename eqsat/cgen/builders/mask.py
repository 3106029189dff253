"""Places of true elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.ir.expressions import Expression, Int, either, least, ne
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter
from eqsat.graph.ops.mask import MISMATCH

NEAR = 64  # places that are found before they are written


def nonzero_lengths(w: BodyWriter, op: Any, ins: Sequence[Memory]) -> list[Expression]:
    x, *lengths = ins
    for axis, (have, wanted) in enumerate(zip(x.n, lengths, strict=False)):
        text = MISMATCH.replace("{axis}", str(axis))
        w.check(ne(have, wanted.scalar()), "BoundsError", text, have, wanted.scalar())
    count = w.variable(w.fresh("count"), 0)
    with w.vector(x.n, ("+", count)) as index:
        w.assign(count, count + ne(x.at(*index), 0))
    return [Int(len(x.n)), count]


def nonzero(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    """The places in a row are found some at a time: each is written where the next one goes, so that no test is guessed wrongly."""
    x = ins[0]
    at, n = w.variable("at", 0), x.n[-1]
    with w.loops(x.n[:-1]) as rows, w.loop("b", n, step=NEAR) as first:
        near = w.row("near", "int64", NEAR)
        found = w.variable("found", 0)
        with w.loop("k", least(first + NEAR, n), first) as k:
            w.store(near.at(found), k)
            w.assign(found, found + ne(x.at(*rows, k), 0))
        with w.vector([found], index="q") as (q,):
            for a, i in enumerate([*rows, near.at(q)]):
                w.store(out.at(a, at + q), i)
        w.assign(at, at + found)


def within(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    i, n = ins[0], ins[1].scalar()
    with w.parallel(i.n) as index:
        g = w.let("g", i.at(*index))
        text = "the index {0} is outside the range from 0 to {1}"
        w.check(either(g < 0, g >= n), "BoundsError", text, g, n - 1)
        w.store(out.at(*index), g)
