"""Views that move axes, and lengths as values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.blocks import saying
from eqsat.cgen.c.operand import COperand, CView, CWriter, c_strides


def dimshuffle(w: CWriter, op: Any, ins: Sequence[COperand]) -> CView:
    pattern = op.params["pattern"]
    n = tuple("1" if p == "x" else ins[0].n[p] for p in pattern)
    return CView(ins[0].ptr, n, tuple("0" if p == "x" else ins[0].s[p] for p in pattern))


@saying(light=True)
def length(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    w.emit(f"{out.scalar()} = {ins[0].n[op.params['axis']]};")


@saying(light=True)
def make_vector(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    for i, operand in w.each(ins):
        w.emit(f"({out.ptr})[{i}] = {operand.scalar()};")


def reshape(w: CWriter, op: Any, ins: Sequence[COperand]) -> CView:
    x, new = ins
    ndim = op.params["ndim"]
    w.check(
        f"{new.n[0]} != {ndim}",
        "ShapeError",
        f"reshape: the new shape has {{0}} lengths, ndim is {ndim}",
        new.n[0],
    )
    total = w.define("total", x.size)
    raw = [w.define("d", f"({new.ptr})[{k}*({new.s[0]})]") for k in range(ndim)]
    known = w.define("known", "*".join(f"({d} == -1 ? 1 : {d})" for d in raw) or "1")
    free = w.define("free", " + ".join(f"({d} == -1)" for d in raw) or "0")
    n = tuple(w.define("n", f"{d} == -1 && {known} ? {total} / {known} : {d}") for d in raw)
    size = "*".join(n) or "1"
    below = " || ".join(f"{d} < -1" for d in raw) or "0"
    w.check(
        f"{free} > 1 || {below} || {size} != {total} || {' || '.join(f'{d} < 0' for d in n) or '0'}",
        "ShapeError",
        "reshape: {0} elements do not fit the new shape",
        total,
    )
    return CView(x.ptr, n, c_strides(n))


def specify(w: CWriter, op: Any, ins: Sequence[COperand]) -> CView:
    (x,) = ins
    for axis, want in enumerate(op.params["lengths"]):
        if want is not None:
            w.check(
                f"{x.n[axis]} != {want}",
                "ShapeError",
                f"specify_shape: axis {axis} has length {{0}}, not {want}",
                x.n[axis],
            )
    n = tuple(h if k is None else str(k) for h, k in zip(x.n, op.params["lengths"], strict=True))
    return CView(x.ptr, n, x.s)


def same(w: CWriter, op: Any, ins: Sequence[COperand]) -> CView:
    return CView(ins[0].ptr, ins[0].n, ins[0].s)
