"""Rows written by a vector of indices, and the first rows as a view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eqsat.cgen.builders.index import broadcast_check, check_inside, copy_into, stop_at_first, stored
from eqsat.cgen.ir.expressions import (
    Binary,
    Elsewhere,
    Expression,
    Function,
    Int,
    both,
    eq,
    least,
    ne,
    product,
    select,
)
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.statements import Rehearse
from eqsat.cgen.ir.writer import BodyWriter, ViewWriter
from eqsat.graph.ops.index import adds
from eqsat.graph.ops.rows import NEGATIVE, TOO_SHORT

SOME, EACH = 1024, 8  # numbers that are added at a time; of so many neighbours, two are compared
Term = Callable[[Expression], tuple[Any, Expression]]  # the factor and the number at a place


def write(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    """All checks come first, so that a call that fails has written nothing."""
    x, *scale, y, i = ins
    free = broadcast_check(w, op, y, [i.n[0], *x.n[1:]])
    n, inner = x.n[0], x.n[1:]
    factor = scale[0].at(*[0] * len(x.n)) if scale else None
    if not inner and adds(op) and not w.by_places:
        by = None if factor is None else w.let("factor", factor)
        _add_numbers(w, op, i, x, out, lambda k: (by, y.at(*_at(free, [k]))))
        return
    check_inside(w, i, n, 0)
    w.emit(Rehearse())
    copy_into(w, x, out)

    def plain() -> None:
        with w.loop("i0", i.n[0]) as k:
            g = _row(w, i.at(k), n)
            with w.loops(inner, first=1) as rest:
                target = out.at(g, *rest)
                w.store(target, _stored(op, out, target, factor, y.at(*_at(free, [k, *rest]))))

    if w.by_places:
        plain()
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


def _add_numbers(w: BodyWriter, op: Any, i: Memory, x: Memory, out: Memory, term: Term) -> None:
    """Add numbers to elements, some at a time: their places are looked at in vectors, and then near.

    Where x itself is written, or nothing may be yet, all places are looked at in a first turn.
    """
    count, n = i.n[0], x.n[0]
    places = w.row("places", "int64", SOME)
    written = both(eq(Function("dry", (), "int64"), 0), Elsewhere(out.address, x.address))
    with w.loop("turn", 2, select(written, 1, 0)) as turn:
        with w.when(eq(turn, 1)):
            w.emit(Rehearse())
            copy_into(w, x, out)
        with w.loop("first", count, step=SOME) as first:
            many = w.let("many", least(count - first, Int(SOME)))
            _look_up(w, i, first, many, n, places)
            with w.when(eq(turn, 1)):
                _add_some(w, op, many, places, out, lambda k: term(first + k))


def _look_up(
    w: BodyWriter, i: Memory, first: Expression, many: Expression, n: Expression, places: Memory
) -> None:
    """Write the places of some numbers, once they are known to be inside: first whether one is not, then which."""
    outside = w.variable(w.fresh("outside"), 0)
    with w.vector([many], ("+", outside), index="k") as (k,):
        g = w.let("g", i.at(first + k))
        w.assign(outside, outside + Binary("+", g < -n, g >= n))
        w.store(places.at(k), select(g < 0, g + n, g))
    with w.when(outside > 0):
        stop_at_first(w, Memory(i.place(first), i.dtype, (many,), i.s, (False,)), n, 0)


def _add_some(w: BodyWriter, op: Any, many: Expression, places: Memory, out: Memory, term: Term) -> None:
    """Add one number after the other; where neighbours often go to one element, this is loaded and stored once for all in turn."""
    changes = w.variable(w.fresh("changes"), 0)
    with w.loop("k", many - 1, step=EACH) as k:
        w.assign(changes, changes + ne(places.at(k), places.at(k + 1)))
    with w.when(changes * (2 * EACH) > many), w.loop("k", many) as k:
        g = w.let("g", places.at(k))
        w.store(out.at(g), _stored(op, out, out.at(g), *term(k)))
    with w.otherwise():
        last = w.variable(w.fresh("last"), places.at(0))
        total = w.variable(w.fresh("total"), out.at(last), out.dtype)
        with w.loop("k", many) as k:
            g = w.let("g", places.at(k))
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
