"""Sorting along an axis, and runs of equal elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.ir.expressions import Expression, both, either, eq, ne
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter


def _by_rows(w: BodyWriter, op: Any, x: Memory, out: Memory, *rooms: str) -> None:
    """Sort a copy of each row, in memory that has as much again for merging; what the last room holds is the result."""
    axis = op.params["axis"]
    n = x.n[axis]
    missing = w.fail("MemoryError", f"{op.name}: no memory for a row")
    given = zip(("row", "place"), rooms, strict=False)
    with (
        w.rooms(missing, *((name, dtype, n * 2 + 1) for name, dtype in given)) as memory,
        w.loops([m for a, m in enumerate(x.n) if a != axis]) as kept,
    ):
        with w.loop("k", n) as k:
            w.store(memory[0].at(k), x.at(*kept[:axis], k, *kept[axis:]))
        w.call(op.name, x.dtype, *(m.address for m in memory), memory[-1].place(n), n)
        with w.loop("k", n) as k:
            w.store(out.at(*kept[:axis], k, *kept[axis:]), memory[-1].at(k))


def sort(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    _by_rows(w, op, ins[0], out, ins[0].dtype)


def argsort(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    _by_rows(w, op, ins[0], out, ins[0].dtype, "int64")


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
