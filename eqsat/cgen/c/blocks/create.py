"""Fillings as views, and ranges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.blocks import saying
from eqsat.cgen.c.operand import COperand, CView, CWriter
from eqsat.graph.dtypes import FLOATS
from eqsat.graph.ops.create import ENDLESS, MISFIT


@saying(light=False)
def fill(w: CWriter, op: Any, ins: Sequence[COperand]) -> CView:
    value, *rest = ins
    n, s = [], []
    for axis, scalar in enumerate(rest):
        name = w.define("n", scalar.scalar())
        w.check(f"{name} < 0", "ShapeError", "alloc: the length {0} is negative", name)
        if value.n[axis] == "1":
            s.append("0")
        else:
            text = MISFIT.replace("{axis}", str(axis))
            w.check(f"{value.n[axis]} != {name}", "ShapeError", text, value.n[axis], name)
            s.append(value.s[axis])
        n.append(name)
    return CView(value.ptr, tuple(n), tuple(s))


def arange_lengths(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[str]:
    start, stop, step = (v.scalar() for v in ins)
    w.check(f"{step} == 0", "ShapeError", "arange: the step is 0")
    if ins[0].dtype in FLOATS:
        exact = w.fresh("length")
        w.emit(f"double {exact} = ceil(((double){stop} - (double){start}) / (double){step});")
        w.check(f"!isfinite({exact})", "ShapeError", ENDLESS)
        return [w.define("n", f"{exact} > 0 ? (int64_t){exact} : 0")]
    span = w.define("span", f"(int64_t){stop} - (int64_t){start}")
    by = w.define("by", f"(int64_t){step}")
    return [
        w.define(
            "n", f"({span} > 0) == ({by} > 0) && {span} != 0 ? ({span} - ({by} > 0 ? 1 : -1)) / {by} + 1 : 0"
        )
    ]


def arange(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    start, _, step = (v.scalar() for v in ins)
    t = out.ctype
    w.emit(
        f"{{ {t} first = {start}, by = ({t})(({t})(first + {step}) - first); "
        f"for (int64_t i = 0; i < {out.n[0]}; i++) ({out.ptr})[i] = ({t})(first + ({t})i * by); }}"
    )
