"""Tensors one after the other along an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.blocks import saying
from eqsat.cgen.c.operand import COperand, CWriter, total_length


def join_lengths(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[str]:
    axis = op.params["axis"]
    total = w.define("n", total_length(w, ins, axis))
    for _, x in w.each(ins[1:]):
        for a in range(len(x.n)):
            if a != axis and x.n[a] != ins[0].n[a]:
                text = f"concatenate: axis {a} has the lengths {{0}} and {{1}}"
                w.check(f"{x.n[a]} != {ins[0].n[a]}", "ShapeError", text, ins[0].n[a], x.n[a])
    return [total if a == axis else n for a, n in enumerate(ins[0].n)]


@saying(light=True)
def join(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    axis, offset = op.params["axis"], w.running("offset")
    for _, x in w.each(ins):
        index = [f"i{a}" for a in range(len(x.n))]
        target = [f"({offset.text} + {i})" if a == axis else i for a, i in enumerate(index)]
        w.parallel(x.n, f"{out.at(target)} = {x.at(index)};")
        offset.become(f"{offset.text} + {x.n[axis]}")
