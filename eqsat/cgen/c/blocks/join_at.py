"""Tensors joined along an axis that is known when the function runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.operand import COperand, CWriter, total_length
from eqsat.graph.ops.join_at import AXIS, LENGTHS


def join_lengths(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[str]:
    axis, *xs = ins
    ndim = len(xs[0].n)
    given = axis.scalar()
    w.check(f"{given} < -{ndim} || {given} >= {ndim}", "AxisError", AXIS, given, str(ndim))
    place = w.define("axis", f"{given} < 0 ? {given} + {ndim} : {given}")
    dims = []
    for a in range(ndim):
        for _, x in w.each(xs[1:]):
            unlike = f"{place} != {a} && {xs[0].n[a]} != {x.n[a]}"
            w.check(unlike, "ShapeError", LENGTHS.replace("{axis}", str(a)), xs[0].n[a], x.n[a])
        dims.append(w.define("n", f"{place} == {a} ? {total_length(w, xs, a)} : {xs[0].n[a]}"))
    return dims


def join(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    axis, *xs = ins
    given = axis.scalar()
    ndim = len(xs[0].n)
    place = w.define("axis", f"{given} < 0 ? {given} + {ndim} : {given}")
    offsets = [w.running("o") for _ in range(ndim)]
    for _, x in w.each(xs):
        index = [f"i{a}" for a in range(ndim)]
        target = [f"({o.text} + {i})" for o, i in zip(offsets, index, strict=True)]
        w.parallel(x.n, f"{out.at(target)} = {x.at(index)};")
        for a, o in enumerate(offsets):
            o.become(f"{place} == {a} ? {o.text} + {x.n[a]} : 0")
