"""The full convolution of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.operand import COperand, CWriter
from eqsat.graph.ops.convolve import EMPTY


def full_lengths(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[str]:
    n, m = ins[0].n[-1], ins[1].n[-1]
    w.check(f"{n} == 0 || {m} == 0", "ShapeError", EMPTY)
    return [*ins[0].n[:-1], w.define("n", f"{n} + {m} - 1")]


def full(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    x, y = ins
    step = "|= x & y" if x.dtype == "bool" else "+= x * y"
    rows = [f"i{k}" for k in range(len(x.n) - 1)]
    body = (
        f"for (int64_t i = 0; i < {out.n[-1]}; i++) {out.at([*rows, 'i'])} = 0; "
        f"for (int64_t i = 0; i < {x.n[-1]}; i++) {{ {x.ctype} x = {x.at([*rows, 'i'])}; "
        f"for (int64_t j = 0; j < {y.n[-1]}; j++) {{ {x.ctype} y = {y.at([*rows, 'j'])}; "
        f"{out.at([*rows, 'i + j'])} {step}; }} }}"
    )
    w.parallel(x.n[:-1], body)
