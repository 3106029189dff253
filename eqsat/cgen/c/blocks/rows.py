"""Rows written by a vector of indices, and the first rows as a view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.blocks.index import DRY, broadcast_check, c_stored, copy_into
from eqsat.cgen.c.operand import COperand, CView, CWriter, loops
from eqsat.graph.ops.index import OUTSIDE, adds
from eqsat.graph.ops.rows import NEGATIVE, TOO_SHORT


def write(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    """All checks come first, so that a call that fails has written nothing."""
    x, *scale, y, i = ins
    broadcast = broadcast_check(w, op, y, [i.n[0], *x.n[1:]])
    text = OUTSIDE.replace("{axis}", "0")
    n, inner = x.n[0], [f"i{a}" for a in range(1, len(x.n))]
    stop = w.fail("BoundsError", text, "g", n)
    w.emit(loops(i.n, f"const int64_t g = {i.at(['i0'])}; if (g < -({n}) || g >= {n}) {stop}"))
    w.emit(DRY)
    copy_into(w, x, out)
    find = f"int64_t g = {i.at(['i0'])}; if (g < 0) g += {n}; "
    target = out.at(["g", *inner])
    factor = scale[0].at(["0"] * len(x.n)) if scale else "1"
    body = f"{target} = {_stored(op, out, target, factor, y.at(broadcast))};"
    plain = _nest([i.n[0], *x.n[1:]], find, body)
    if len(inner) == 0 or "0" in broadcast[1:]:
        w.emit(plain)
        return
    flat = w.define("flat", " && ".join(f"{y.s[a]} == {out.s[a]}" for a in range(1, len(x.n))))
    to, start = out.at(["g"] + ["0"] * len(inner)), y.at([broadcast[0]] + ["0"] * len(inner))
    size = "*".join(f"({k})" for k in out.n[1:])
    stored = _stored(op, out, "to[j]", "factor", "from[j]")
    fast = (
        f"const {out.ctype} factor = {factor}; {out.ctype} *const to = &{to}; const {out.ctype} *const from = &{start}; "
        f"for (int64_t j = 0; j < {size}; j++) to[j] = {stored};"
    )
    w.emit(f"if ({flat}) {loops(i.n, find + fast)} else {plain}")


def _stored(op: Any, out: COperand, target: str, factor: str, source: str) -> str:
    if not adds(op):
        return source
    return c_stored(op, out, target, f"({factor} {'&' if out.dtype == 'bool' else '*'} {source})")


def _nest(lengths: Sequence[str], find: str, body: str) -> str:
    inside = "".join(f"for (int64_t i{k} = 0; i{k} < {n}; i{k}++) " for k, n in enumerate(lengths) if k)
    return f"for (int64_t i0 = 0; i0 < {lengths[0]}; i0++) {{ {find}{inside}{{ {body} }} }}"


def first(w: CWriter, op: Any, ins: Sequence[COperand]) -> CView:
    x, n = ins
    rows = w.define("rows", n.scalar())
    what = op.params["what"].replace("{", "{{").replace("}", "}}")
    who, text = what.partition(":")[0], TOO_SHORT.replace("{what}", what)
    w.check(f"{rows} < 0", "ShapeError", NEGATIVE.replace("{who}", who), rows)
    w.check(f"{x.n[0]} < {rows}", "ShapeError", text, x.n[0], rows)
    return CView(x.ptr, (rows, *x.n[1:]), tuple(x.s))
