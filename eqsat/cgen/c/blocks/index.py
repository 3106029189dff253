"""Parts of tensors: a basic index as a view, and writes to it after their checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.blocks import saying
from eqsat.cgen.c.operand import COperand, CView, CWriter, loops
from eqsat.graph.ops.index import MISFIT, OUTSIDE, ZERO_STEP, adds, bound_entries, writer


def c_part(w: CWriter, pattern: Sequence[Any], x: COperand, scalars: Sequence[COperand]) -> CView:
    """The C view of a basic index; emits the bounds checks of integers and the clipping of slices."""
    entries = bound_entries(pattern, [s.scalar() for s in scalars])
    offset, n, s = "0", [], []
    for axis, entry in enumerate(entries):
        if entry[0] == "int":
            i = w.define("i", f"{entry[1]}")
            text = OUTSIDE.replace("{axis}", str(axis))
            w.check(f"{i} < -({x.n[axis]}) || {i} >= {x.n[axis]}", "BoundsError", text, i, x.n[axis])
            offset += f" + ({i} < 0 ? {i} + {x.n[axis]} : {i})*({x.s[axis]})"
        elif entry[1:] == (None, None, None):
            n.append(x.n[axis])
            s.append(x.s[axis])
        else:
            first, count, step = _c_slice(w, entry[1:], x.n[axis])
            offset += f" + {first}*({x.s[axis]})"
            n.append(count)
            s.append(x.s[axis] if step == "1" else f"({x.s[axis]})*{step}")
    start = w.define("offset", offset)
    return CView(f"({x.ptr} + {start})", tuple(n), tuple(s))


def _c_slice(w: CWriter, parts: Sequence[Any], n: str) -> tuple[str, str, str]:
    step = "1" if parts[2] is None else w.define("step", f"{parts[2]}")
    w.check(f"{step} == 0", "ShapeError", ZERO_STEP)
    low, high = f"({step} > 0 ? 0 : -1)", f"({step} > 0 ? {n} : {n} - 1)"

    def clipped(value: Any, default: str) -> str:
        if value is None:
            return w.define("bound", default)
        raw = w.define("raw", f"{value}")
        at = w.define("at", f"{raw} < 0 ? {raw} + {n} : {raw}")
        return w.define("bound", f"{at} < {low} ? {low} : {at} > {high} ? {high} : {at}")

    first = clipped(parts[0], f"{step} > 0 ? 0 : {n} - 1")
    last = clipped(parts[1], f"{step} > 0 ? {n} : -1")
    span = w.define("span", f"{step} > 0 ? {last} - {first} : {first} - {last}")
    size = f"({step} > 0 ? {step} : -({step}))"
    return first, w.define("n", f"{span} > 0 ? ({span} - 1) / {size} + 1 : 0"), step


def c_stored(op: Any, out: COperand, target: str, source: str) -> str:
    """C text of what is written at a target: the source, or the sum, which for bool is the or."""
    if not adds(op):
        return source
    return f"({out.ctype})({target} {'|' if out.dtype == 'bool' else '+'} {source})"


def copy_into(w: CWriter, x: COperand, out: COperand) -> None:
    """Emit the copy of x to the result, unless the result takes x's place."""
    index = [f"i{a}" for a in range(len(x.n))]
    size = f"({x.size})*sizeof({x.ctype})"
    whole = contiguous(x)
    slow = loops(x.n, f"{out.at(index)} = {x.at(index)};")
    w.emit(
        f"if ((const void *){out.ptr} != (const void *){x.ptr}) {{ "
        f"if ({whole}) __builtin_memcpy({out.ptr}, {x.ptr}, {size}); else {slow} }}"
    )


def contiguous(x: COperand, first: int = 0) -> str:
    """C text that is true where the axes of an operand from ``first`` on lie in one piece, in order."""
    tests = []
    for axis in range(first, len(x.n)):
        below = "*".join(f"({n})" for n in x.n[axis + 1 :]) or "1"
        tests.append(f"({x.n[axis]} == 1 || {x.s[axis]} == {below})")
    return " && ".join(tests) or "1"


DRY = "if (c->dry) return 0;"  # after the checks of a write: see cgen/updates.py


def broadcast_check(w: CWriter, op: Any, y: COperand, n: Sequence[str]) -> list[str]:
    """Emit the checks of a value's lengths; gives its index in terms of i0, i1 ..."""
    index = []
    for axis, (have, want) in enumerate(zip(y.n, n, strict=True)):
        if have == "1":
            index.append("0")
            continue
        text = MISFIT.replace("{name}", writer(op)).replace("{axis}", str(axis))
        w.check(f"{have} != {want}", "ShapeError", text, have, want)
        index.append(f"i{axis}")
    return index


@saying(light=True)
def write(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    x, y, *scalars = ins
    write_view(w, op, c_part(w, op.params["pattern"], out, scalars), x, y, out)


def write_view(w: CWriter, op: Any, view: CView, x: COperand, y: COperand, out: COperand) -> None:
    """Copy x to the result, and write y to a view of it, after their checks."""
    part = COperand(view.ptr, out.dtype, view.n, view.s)
    source = y.at(broadcast_check(w, op, y, view.n))
    w.emit(DRY)
    copy_into(w, x, out)
    target = part.at([f"i{a}" for a in range(len(view.n))])
    w.parallel(view.n, f"{target} = {c_stored(op, out, target, source)};")


def part(w: CWriter, op: Any, ins: Sequence[COperand]) -> CView:
    return c_part(w, op.params["pattern"], ins[0], ins[1:])
