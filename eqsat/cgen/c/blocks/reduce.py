"""Counts, and places of extremes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.operand import COperand, CWriter, loops


def _place(name: str, sign: str) -> Any:
    def write(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
        (x,) = ins
        axes = op.params["axes"]
        kept = [a for a in range(len(x.n)) if a not in axes]
        stop = w.fail("ShapeError", f"{name}: an axis of length 0 has no {name}")
        w.emit(f"if ({' || '.join(f'{x.n[a]} == 0' for a in axes) or '0'}) {stop}")
        index = [f"r{axes.index(a)}" if a in axes else f"i{kept.index(a)}" for a in range(len(x.n))]
        target = ["0" if a in axes else index[a] for a in range(len(x.n))]
        test = f"k == 0 || v {sign} best || (v != v && best == best)"
        inner = loops(
            [x.n[a] for a in axes],
            f"{x.ctype} v = {x.at(index)}; if ({test}) {{ best = v; place = k; }} k++;",
            index="r",
        )
        body = f"{x.ctype} best = 0; int64_t k = 0, place = 0; {inner} {out.at(target)} = place;"
        w.emit(loops([x.n[a] for a in kept], body))

    return write


def count(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    (x,) = ins
    size = " * ".join(f"({x.ctype})({x.n[a]})" for a in op.params["axes"]) or "1"
    index = [f"i{a}" for a in range(len(out.n))]
    w.emit(loops(out.n, f"{out.at(index)} = {size};"))


argmax = _place("argmax", ">")
argmin = _place("argmin", "<")
