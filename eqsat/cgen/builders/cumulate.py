"""Running sums and products, and linear recurrences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from eqsat.cgen.ir.expressions import Binary, Cast, Expression, Name, ne, select
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter
from eqsat.graph.ops.cumulate import LENGTHS


@contextmanager
def _along(w: BodyWriter, x: Memory, axis: int, first: int) -> Iterator[tuple[list[Expression], Name]]:
    """Statements for each element along an axis: its index, and a variable that begins with ``first`` in each row."""
    with w.parallel([n for a, n in enumerate(x.n) if a != axis]) as kept:
        total = w.variable("total", first, x.dtype)
        with w.loop("k", x.n[axis]) as k:
            yield [*kept[:axis], k, *kept[axis:]], total


def _running(first: int, op: str) -> Callable[..., None]:
    def write(w: BodyWriter, node: Any, ins: Sequence[Memory], out: Memory) -> None:
        (x,) = ins
        with _along(w, x, node.params["axis"], first) as (index, total):
            w.assign(total, Cast(x.dtype, Binary(op, total, x.at(*index))))
            w.store(out.at(*index), total)

    return write


def recurrence(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    a, b = ins
    for k, (have, want) in enumerate(zip(a.n, b.n, strict=True)):
        w.check(ne(have, want), "ShapeError", LENGTHS.replace("{axis}", str(k)), have, want)
    with _along(w, b, op.params["axis"], 0) as (index, total):
        given = b.at(*index)
        w.assign(total, select(ne(Name("k"), 0), given + a.at(*index) * total, given))
        w.store(out.at(*index), total)


total = _running(0, "+")
product = _running(1, "*")
