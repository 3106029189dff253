"""Running sums and products, and linear recurrences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eqsat.cgen.c.operand import COperand, CWriter
from eqsat.graph.ops.cumulate import LENGTHS


def _running(first: str, sign: str) -> Callable[..., None]:
    def write(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
        (x,), axis = ins, op.params["axis"]
        kept = [n for a, n in enumerate(x.n) if a != axis]
        index = [f"i{a - (a > axis)}" if a != axis else "k" for a in range(len(x.n))]
        step = f"{out.at(index)} = total = ({x.ctype})(total {sign} {x.at(index)});"
        inner = f"for (int64_t k = 0; k < {x.n[axis]}; k++) {step}"
        w.parallel(kept, f"{x.ctype} total = {first}; {inner}")

    return write


def recurrence(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    (a, b), axis = ins, op.params["axis"]
    for k, (have, want) in enumerate(zip(a.n, b.n, strict=True)):
        w.check(f"{have} != {want}", "ShapeError", LENGTHS.replace("{axis}", str(k)), have, want)
    kept = [n for k, n in enumerate(b.n) if k != axis]
    index = [f"i{k - (k > axis)}" if k != axis else "k" for k in range(len(b.n))]
    step = f"{out.at(index)} = total = k ? {b.at(index)} + {a.at(index)} * total : {b.at(index)};"
    inner = f"for (int64_t k = 0; k < {b.n[axis]}; k++) {step}"
    w.parallel(kept, f"{b.ctype} total = 0; {inner}")


total = _running("0", "+")
product = _running("1", "*")
