"""Sorting along an axis, and runs of equal elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.ir.expressions import Expression, Int, both, either, eq, ne
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter


def sort(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    """Sort a copy of each row, beside memory for merging: where it is to be, or in memory of its own where that has gaps."""
    x, axis = ins[0], op.params["axis"]
    n, apart = x.n[axis], out.s[axis] != Int(1)
    missing = w.fail("MemoryError", f"{op.name}: no memory for a row")
    with (
        w.rooms(missing, ("row", x.dtype, n * (1 + apart) + 1)) as (room,),
        w.loops(_others(x, axis)) as kept,
    ):
        row = room.place(n) if apart else out.place(*kept[:axis], 0, *kept[axis:])
        own = Memory(row, x.dtype, (n,), (Int(1),))
        with w.loop("k", n) as k:
            w.store(own.at(k), x.at(*kept[:axis], k, *kept[axis:]))
        w.call(op.name, x.dtype, row, room.address, n)
        if apart:
            with w.loop("k", n) as k:
                w.store(out.at(*kept[:axis], k, *kept[axis:]), own.at(k))


def argsort(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    """Sort the places in a copy of each row, in memory that has as much again for merging."""
    x, axis = ins[0], op.params["axis"]
    n = x.n[axis]
    missing = w.fail("MemoryError", f"{op.name}: no memory for a row")
    rooms = (("row", x.dtype, n + 1), ("place", "int64", n * 2 + 1))
    with w.rooms(missing, *rooms) as (row, place), w.loops(_others(x, axis)) as kept:
        with w.loop("k", n) as k:
            w.store(row.at(k), x.at(*kept[:axis], k, *kept[axis:]))
        w.call(op.name, x.dtype, row.address, place.address, place.place(n), n)
        with w.loop("k", n) as k:
            w.store(out.at(*kept[:axis], k, *kept[axis:]), place.at(k))


def _others(x: Memory, axis: int) -> list[Expression]:
    return [m for a, m in enumerate(x.n) if a != axis]


def _is_new(x: Memory, k: Expression) -> Expression:
    """True where element k of a sorted vector differs from the one before; NaN equals NaN."""
    here, before = x.at(k), x.at(k - 1)
    return either(eq(k, 0), both(ne(here, before), either(eq(here, here), eq(before, before))))


def runs_lengths(w: BodyWriter, op: Any, ins: Sequence[Memory]) -> list[Expression]:
    (x,) = ins
    count = w.variable("count", 0)
    with w.loop("k", x.n[0]) as k, w.when(_is_new(x, k)):
        w.assign(count, count + 1)
    return [count]


def runs(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    (x,) = ins
    at = w.variable("at", 0)
    with w.loop("k", x.n[0]) as k, w.when(_is_new(x, k)):
        w.store(out.at(at), k)
        w.assign(at, at + 1)
