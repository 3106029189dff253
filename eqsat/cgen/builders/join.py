"""Tensors one after the other along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.builders import saying
from eqsat.cgen.ir.cuts import Box, Cut, Placed, Side
from eqsat.cgen.ir.expressions import ZERO, Expression, Int, ne
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter, ViewWriter, total_length


def join_lengths(w: BodyWriter, op: Any, ins: Sequence[Memory]) -> list[Expression]:
    axis, first = op.params["axis"], ins[0].n
    total = w.define("n", total_length(w, ins, axis))
    for _, x in w.each(ins[1:]):
        _check_lengths(w, axis, first, x)
    return [total if a == axis else n for a, n in enumerate(first)]


def join_pieces(w: ViewWriter, op: Any, ins: Sequence[Memory]) -> Cut:
    axis, first = op.params["axis"], ins[0].n
    start: Expression = ZERO
    boxes, placed = [], []
    for k, x in enumerate(ins):
        _check_lengths(w, axis, first, x)
        end = w.define("n", start + x.n[axis])
        most = x.n[axis].value if isinstance(x.n[axis], Int) else None
        boxes.append(Box((Side(axis, start, end, most),), (k,)))
        starts = tuple(start if a == axis else ZERO for a in range(len(first)))
        placed.append(Placed(tuple(range(len(first))), starts))
        start = end
    lengths = tuple(start if a == axis else n for a, n in enumerate(first))
    return Cut(lengths, tuple(placed), tuple(boxes))


def _check_lengths(w: ViewWriter | BodyWriter, axis: int, first: Sequence[Expression], x: Memory) -> None:
    for a, (want, have) in enumerate(zip(first, x.n, strict=True)):
        if a != axis:
            text = f"concatenate: axis {a} has the lengths {{0}} and {{1}}"
            w.check(ne(have, want), "ShapeError", text, want, have)


@saying(light=True)
def join(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    axis, offset = op.params["axis"], w.running("offset")
    for _, x in w.each(ins):
        with w.parallel(x.n) as index:
            target = [offset.value + i if a == axis else i for a, i in enumerate(index)]
            w.store(out.at(*target), x.at(*index))
        offset.become(offset.value + x.n[axis])
