"""Views that move axes, and lengths as values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.builders import saying
from eqsat.cgen.ir.cuts import Box, Cut, Placed, Side
from eqsat.cgen.ir.expressions import ZERO, Int, both, either, eq, ne, product, select, strides_of
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter, ViewWriter


def dimshuffle(w: ViewWriter, op: Any, ins: Sequence[Memory]) -> Memory:
    (x,), pattern = ins, op.params["pattern"]
    n = [Int(1) if p == "x" else x.n[p] for p in pattern]
    return x.seen(n, [Int(0) if p == "x" else x.s[p] for p in pattern])


@saying(light=True)
def length(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    w.store(out.scalar(), ins[0].n[op.params["axis"]])


@saying(light=True)
def make_vector(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    for i, operand in w.each(ins):
        w.store(out.at(i), operand.scalar())


def make_vector_pieces(w: ViewWriter, op: Any, ins: Sequence[Memory]) -> Cut:
    boxes = [Box((Side(0, Int(k), Int(k + 1), 1),), (k,)) for k in range(len(ins))]
    return Cut((Int(len(ins)),), (Placed((), ()),) * len(ins), tuple(boxes))


def reshape(w: ViewWriter, op: Any, ins: Sequence[Memory]) -> Memory:
    x, new = ins
    ndim = op.params["ndim"]
    text = f"reshape: the new shape has {{0}} lengths, ndim is {ndim}"
    w.check(ne(new.n[0], ndim), "ShapeError", text, new.n[0])
    total = w.define("total", x.size)
    raw = [w.define("d", new.at(k)) for k in range(ndim)]
    known = w.define("known", product(select(eq(d, -1), 1, d) for d in raw))
    free = w.define("free", sum((eq(d, -1) for d in raw), start=ZERO))
    n = [w.define("n", select(both(eq(d, -1), ne(known, 0)), total // known, d)) for d in raw]
    bad = either(free > 1, *(d < -1 for d in raw), ne(product(n), total), *(d < 0 for d in n))
    w.check(bad, "ShapeError", "reshape: {0} elements do not fit the new shape", total)
    return x.seen(n, strides_of(n))


def specify(w: ViewWriter, op: Any, ins: Sequence[Memory]) -> Memory:
    (x,), lengths = ins, op.params["lengths"]
    for axis, want in enumerate(lengths):
        if want is not None:
            text = f"specify_shape: axis {axis} has length {{0}}, not {want}"
            w.check(ne(x.n[axis], want), "PromisedShapeError", text, x.n[axis])
    return x.seen([have if k is None else Int(k) for have, k in zip(x.n, lengths, strict=True)], x.s)


def same(w: ViewWriter, op: Any, ins: Sequence[Memory]) -> Memory:
    return ins[0]
