"""The largest element and its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.operand import COperand, CWriter, loops
from eqsat.graph.ops.max_and_argmax import EMPTY


def both(w: CWriter, op: Any, ins: Sequence[COperand], outs: Sequence[COperand]) -> None:
    (x,), (best, place) = ins, outs
    axes = op.params["axes"]
    kept = [a for a in range(len(x.n)) if a not in axes]
    stop = w.fail("ShapeError", EMPTY)
    w.emit(f"if ({' || '.join(f'{x.n[a]} == 0' for a in axes) or '0'}) {stop}")
    index = [f"r{axes.index(a)}" if a in axes else f"i{kept.index(a)}" for a in range(len(x.n))]
    target = ["0" if a in axes else i for a, i in enumerate(index)]
    test = "k == 0 || v > best || (v != v && best == best)"
    inner = loops(
        [x.n[a] for a in axes],
        f"{x.ctype} v = {x.at(index)}; if ({test}) {{ best = v; place = k; }} k++;",
        index="r",
    )
    write = f"{best.at(target)} = best; {place.at(target)} = place;"
    w.emit(loops([x.n[a] for a in kept], f"{x.ctype} best = 0; int64_t k = 0, place = 0; {inner} {write}"))
