"""Rows written by a vector of indices, and the first rows as a view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eqsat.cgen.builders.index import broadcast_check, check_inside, copy_into, stored
from eqsat.cgen.ir.expressions import Binary, Expression, Int, both, eq, ne, product, select
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.statements import Rehearse
from eqsat.cgen.ir.writer import BodyWriter, ViewWriter
from eqsat.graph.ops.index import adds
from eqsat.graph.ops.rows import NEGATIVE, TOO_SHORT


def write(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    """All checks come first, so that a call that fails has written nothing."""
    x, *scale, y, i = ins
    free = broadcast_check(w, op, y, [i.n[0], *x.n[1:]])
    n, inner = x.n[0], x.n[1:]
    check_inside(w, i, n, 0)
    w.emit(Rehearse())
    copy_into(w, x, out)
    factor = scale[0].at(*[0] * len(x.n)) if scale else None

    def plain() -> None:
        with w.loop("i0", i.n[0]) as k:
            g = _row(w, i.at(k), n)
            with w.loops(inner, first=1) as rest:
                target = out.at(g, *rest)
                w.store(target, _stored(op, out, target, factor, y.at(*_at(free, [k, *rest]))))

    if w.by_places:
        plain()
        return
    if not inner and adds(op):
        _add_runs(w, op, i, n, out, lambda k: (factor, y.at(*_at(free, [k]))))
        return
    if not inner or not all(free[1:]):
        plain()
        return
    flat = w.define("flat", both(*(eq(a, b) for a, b in zip(y.s[1:], out.s[1:], strict=True))))
    with w.when(flat):
        size = product(inner)
        with w.loop("i0", i.n[0]) as k:
            g = _row(w, i.at(k), n)
            by = None if factor is None else w.let("factor", factor)
            to = Memory(out.place(g), out.dtype, (size,), (Int(1),))
            start = Memory(y.place(*_at(free[:1], [k])), y.dtype, (size,), (Int(1),))
            with w.loop("j", size) as j:
                w.store(to.at(j), _stored(op, out, to.at(j), by, start.at(j)))
    with w.otherwise():
        plain()


def _add_runs(
    w: BodyWriter,
    op: Any,
    i: Memory,
    n: Expression,
    out: Memory,
    term: Callable[[Expression], tuple[Any, Expression]],
) -> None:
    """Add numbers to elements, which are loaded and stored once for several numbers in turn that go to the same one."""
    with w.when(i.n[0] > 0):
        last = w.variable(w.fresh("last"), select(i.at(0) < 0, i.at(0) + n, i.at(0)))
        total = w.variable(w.fresh("total"), out.at(last), out.dtype)
        with w.loop("i0", i.n[0]) as k:
            g = _row(w, i.at(k), n)
            with w.when(ne(g, last)):
                w.store(out.at(last), total)
                w.assign(total, out.at(g))
                w.assign(last, g)
            w.assign(total, _stored(op, out, total, *term(k)))
        w.store(out.at(last), total)


def _row(w: BodyWriter, given: Expression, n: Expression) -> Expression:
    g = w.let("at", given)
    return w.let("g", select(g < 0, g + n, g))


def _at(free: Sequence[bool], index: Sequence[Expression]) -> list[Expression]:
    """The index of what is written, whose axes that broadcast stay at 0."""
    return [i if f else Int(0) for i, f in zip(index, free, strict=True)]


def _stored(op: Any, out: Memory, target: Expression, factor: Any, source: Expression) -> Expression:
    if adds(op) and factor is not None:
        source = Binary("&" if out.dtype == "bool" else "*", factor, source)
    return stored(op, out, target, source)


def first(w: ViewWriter, op: Any, ins: Sequence[Memory]) -> Memory:
    x, n = ins
    rows = w.define("rows", n.scalar())
    what = op.params["what"].replace("{", "{{").replace("}", "}}")
    who, text = what.partition(":")[0], TOO_SHORT.replace("{what}", what)
    w.check(rows < 0, "ShapeError", NEGATIVE.replace("{who}", who), rows)
    w.check(x.n[0] < rows, "ShapeError", text, x.n[0], rows)
    return x.seen([rows, *x.n[1:]], x.s)
