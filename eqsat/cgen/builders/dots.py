"""Products of matrices over the steps of a loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.builders import saying
from eqsat.cgen.builders.matrices import matrix
from eqsat.cgen.ir.expressions import (
    Expression,
    Int,
    Select,
    Shifted,
    either,
    eq,
    negated,
    select,
    strides_of,
)
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter


@saying(calls="product")
def rows_dot(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    """One product where the rows of all matrices lie at one distance, else one for each matrix."""
    x, y = ins
    stop = w.fail("MemoryError", "rows_dot: no memory to pack an operand")
    step = w.define("step", select(eq(x.n[1], 1), x.s[0], x.s[1]))
    with w.when(either(eq(x.n[1], 1), eq(x.s[0], x.n[1] * x.s[1]))):
        lengths = (x.n[0] * x.n[1], y.n[1], x.n[2])
        w.call("dot", x.dtype, *lengths, x.address, step, x.s[2], *matrix(y, ()), out.address, stops=[stop])
    with w.otherwise(), w.loop("q", x.n[0]) as q:
        lengths = (x.n[1], y.n[1], x.n[2])
        w.call("dot", x.dtype, *lengths, *matrix(x, [q]), *matrix(y, ()), out.place(q), stops=[stop])


def _flat(x: Memory, inner: int) -> Expression:
    """True where the first axis and the inner one of a stack run at one distance."""
    return either(eq(x.n[0], 1), eq(x.n[inner], 1), eq(x.s[0], x.n[inner] * x.s[inner]))


def _room(x: Memory, inner: int) -> Expression:
    return select(_flat(x, inner), 0, x.size)


def sum_dots_room(op: Any, ins: Sequence[Memory], out: Memory) -> Expression:
    x, y = ins
    return _room(x, 2) + _room(y, 1)


@saying(calls="product")
def sum_dots(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory, room: Memory) -> None:
    """One product over the steps and the inner axis together, after a copy of an operand in which they are apart."""
    x, y = ins
    a = _in_one(w, x, (0, 2, 1), 2, room.address)
    b = _in_one(w, y, (0, 1, 2), 1, Shifted(room.address, room.dtype, _room(x, 2)))
    stop = w.fail("MemoryError", "sum_dots: no memory to pack an operand")
    lengths = (out.n[0], out.n[1], x.n[0] * x.n[2])
    w.call("dot", x.dtype, *lengths, a[0], a[2], a[1], *b, out.address, stops=[stop])


def _in_one(
    w: BodyWriter, x: Memory, order: Sequence[int], inner: int, room: Expression
) -> tuple[Expression, Expression, Expression]:
    """Address and distances, along the steps and across, of a stack whose steps and inner axis run as one."""
    across = order[2]
    flat = w.define("flat", _flat(x, inner))
    lengths = tuple(x.n[a] for a in order)
    with w.when(negated(flat)), w.loops(lengths) as index:
        to = Memory(room, x.dtype, lengths, strides_of(lengths), (False,) * 3)
        w.store(to.at(*index), x.at(*(index[order.index(a)] for a in range(3))))
    along = select(flat, select(eq(x.n[inner], 1), x.s[0], x.s[inner]), x.n[across])
    whole = x.address if flat == Int(1) else Select(flat, x.address, room)
    return whole, w.define("along", along), w.define("across", select(flat, x.s[across], 1))
