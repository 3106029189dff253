"""Counts, and places of extremes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.blocks import saying
from eqsat.cgen.c.operand import COperand, CWriter, loops
from eqsat.graph.ops.max_and_argmax import EMPTY


def _place(message: str, sign: str, both: bool = False) -> Any:
    """The place of the first element that no other one exceeds by ``sign``; with ``both`` the element before it."""

    @saying(light=not both)
    def write(w: CWriter, op: Any, ins: Sequence[COperand], out: Any) -> None:
        (x,), (*value, place) = ins, out if both else [out]
        axes = op.params["axes"]
        kept = [a for a in range(len(x.n)) if a not in axes]
        w.check(f"{' || '.join(f'{x.n[a]} == 0' for a in axes) or '0'}", "ShapeError", message)
        index = [f"r{axes.index(a)}" if a in axes else f"i{kept.index(a)}" for a in range(len(x.n))]
        target = ["0" if a in axes else index[a] for a in range(len(x.n))]
        test = f"k == 0 || v {sign} best || (v != v && best == best)"
        inner = loops(
            [x.n[a] for a in axes],
            f"{x.ctype} v = {x.at(index)}; if ({test}) {{ best = v; place = k; }} k++;",
            index="r",
        )
        store = "".join(f"{v.at(target)} = best; " for v in value) + f"{place.at(target)} = place;"
        w.parallel([x.n[a] for a in kept], f"{x.ctype} best = 0; int64_t k = 0, place = 0; {inner} {store}")

    return write


def count(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    (x,) = ins
    size = " * ".join(f"({x.ctype})({x.n[a]})" for a in op.params["axes"]) or "1"
    index = [f"i{a}" for a in range(len(out.n))]
    w.parallel(out.n, f"{out.at(index)} = {size};")


argmax = _place("argmax: an axis of length 0 has no argmax", ">")
argmin = _place("argmin: an axis of length 0 has no argmin", "<")
max_and_argmax = _place(EMPTY, ">", both=True)
