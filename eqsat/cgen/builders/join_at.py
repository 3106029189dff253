"""Tensors joined along an axis that is known when the function runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.ir.expressions import Expression, both, either, eq, ne, select
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter, total_length
from eqsat.graph.ops.join_at import AXIS, LENGTHS


def _place(w: BodyWriter, given: Expression, ndim: int) -> Expression:
    return w.define("axis", select(given < 0, given + ndim, given))


def join_lengths(w: BodyWriter, op: Any, ins: Sequence[Memory]) -> list[Expression]:
    axis, *xs = ins
    ndim, given = len(xs[0].n), axis.scalar()
    w.check(either(given < -ndim, given >= ndim), "AxisError", AXIS, given, ndim)
    place = _place(w, given, ndim)
    dims = []
    for a, want in enumerate(xs[0].n):
        for _, x in w.each(xs[1:]):
            unlike = both(ne(place, a), ne(want, x.n[a]))
            w.check(unlike, "ShapeError", LENGTHS.replace("{axis}", str(a)), want, x.n[a])
        dims.append(w.define("n", select(eq(place, a), total_length(w, xs, a), want)))
    return dims


def join(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    axis, *xs = ins
    ndim = len(xs[0].n)
    place = _place(w, axis.scalar(), ndim)
    offsets = [w.running("o") for _ in range(ndim)]
    for _, x in w.each(xs):
        with w.parallel(x.n) as index:
            target = [o.value + i for o, i in zip(offsets, index, strict=True)]
            w.store(out.at(*target), x.at(*index))
        for a, o in enumerate(offsets):
            o.become(select(eq(place, a), o.value + x.n[a], 0))
