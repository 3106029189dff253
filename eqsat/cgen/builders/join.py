"""Tensors one after the other along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.builders import saying
from eqsat.cgen.ir.expressions import Expression, ne
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter, total_length


def join_lengths(w: BodyWriter, op: Any, ins: Sequence[Memory]) -> list[Expression]:
    axis, first = op.params["axis"], ins[0].n
    total = w.define("n", total_length(w, ins, axis))
    for _, x in w.each(ins[1:]):
        for a, (want, have) in enumerate(zip(first, x.n, strict=True)):
            if a != axis:
                text = f"concatenate: axis {a} has the lengths {{0}} and {{1}}"
                w.check(ne(have, want), "ShapeError", text, want, have)
    return [total if a == axis else n for a, n in enumerate(first)]


@saying(light=True)
def join(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    axis, offset = op.params["axis"], w.running("offset")
    for _, x in w.each(ins):
        with w.parallel(x.n) as index:
            target = [offset.value + i if a == axis else i for a, i in enumerate(index)]
            w.store(out.at(*target), x.at(*index))
        offset.become(offset.value + x.n[axis])
