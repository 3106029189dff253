"""Places of true elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.operand import COperand, CWriter, loops
from eqsat.graph.ops.mask import MISMATCH


def nonzero_lengths(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[str]:
    x, *lengths = ins
    for axis, wanted in enumerate(lengths):
        text = MISMATCH.replace("{axis}", str(axis))
        w.check(f"{x.n[axis]} != {wanted.scalar()}", "BoundsError", text, x.n[axis], wanted.scalar())
    count = w.fresh("count")
    at = x.at([f"i{a}" for a in range(len(x.n))])
    w.emit(f"int64_t {count} = 0; {loops(x.n, f'{count} += {at} != 0;')}")
    return [str(len(x.n)), count]


def nonzero(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    x = ins[0]
    index = [f"i{a}" for a in range(len(x.n))]
    writes = " ".join(f"({out.ptr})[{a}*{out.n[1]} + at] = i{a};" for a in range(len(x.n)))
    w.emit(f"int64_t at = 0; {loops(x.n, f'if ({x.at(index)} != 0) {{ {writes} at++; }}')}")


def within(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    i, n = ins[0], ins[1].scalar()
    index = [f"i{a}" for a in range(len(i.n))]
    stop = w.fail("BoundsError", "the index {0} is outside the range from 0 to {1}", "g", f"{n} - 1")
    body = f"const int64_t g = {i.at(index)}; if (g < 0 || g >= {n}) {stop} {out.at(index)} = g;"
    w.parallel(i.n, body)
