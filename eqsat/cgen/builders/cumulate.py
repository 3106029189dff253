"""Running sums, products and extremes, and linear recurrences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eqsat.cgen.ir.expressions import ZERO, Binary, Cast, Expression, Int, either, least, ne, select
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.writer import BodyWriter
from eqsat.graph.ops.cumulate import LENGTHS

TILE = 512  # columns that run together
Step = Callable[[Sequence[Expression], Expression | None], Expression]


def _along(w: BodyWriter, x: Memory, out: Memory, axis: int, step: Step) -> None:
    """Each element along an axis is made of the one before, which the first has not."""
    if axis == len(x.n) - 1:
        _in_rows(w, x, out, axis, step)
    else:
        _in_columns(w, x, out, axis, step)


def _in_rows(w: BodyWriter, x: Memory, out: Memory, axis: int, step: Step) -> None:
    with w.parallel(x.n[:axis]) as kept, w.when(x.n[axis] > 0):
        total = w.variable("total", step([*kept, ZERO], None), out.dtype)
        w.store(out.at(*kept, 0), total)
        with w.loop("k", x.n[axis], 1) as k:
            w.assign(total, step([*kept, k], total))
            w.store(out.at(*kept, k), total)


def _in_columns(w: BodyWriter, x: Memory, out: Memory, axis: int, step: Step) -> None:
    """Rows of the elements that lie side by side, each made of the row before, some columns at a time."""
    *others, last = [n for a, n in enumerate(x.n) if a != axis]
    with w.parallel([*others, (last + (TILE - 1)) // TILE]) as (*kept, tile), w.when(x.n[axis] > 0):
        start = w.let("start", tile * TILE)
        width = w.let("width", least(last - start, Int(TILE)))

        def row(k: Expression) -> None:
            with w.vector([width], index="j") as (j,):
                index = [*kept[:axis], k, *kept[axis:], start + j]
                before = [*kept[:axis], k - 1, *kept[axis:], start + j]
                w.store(out.at(*index), step(index, None if k == ZERO else out.at(*before)))

        row(ZERO)
        with w.loop("k", x.n[axis], 1) as k:
            row(k)


def _running(joined: Callable[[str, Expression, Expression], Expression]) -> Callable[..., None]:
    def write(w: BodyWriter, node: Any, ins: Sequence[Memory], out: Memory) -> None:
        (x,) = ins

        def step(index: Sequence[Expression], before: Expression | None) -> Expression:
            given = x.at(*index)
            return given if before is None else joined(x.dtype, before, given)

        _along(w, x, out, node.params["axis"], step)

    return write


def _by(op: str) -> Callable[..., None]:
    return _running(lambda dtype, before, given: Cast(dtype, Binary(op, before, given)))


def _extreme(better: str) -> Callable[..., None]:
    """NaN is better than all else, and nothing is better than NaN."""

    def joined(dtype: str, before: Expression, given: Expression) -> Expression:
        return select(either(Binary(better, given, before), ne(given, given)), given, before)

    return _running(joined)


def recurrence(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    a, b = ins
    for k, (have, want) in enumerate(zip(a.n, b.n, strict=True)):
        w.check(ne(have, want), "ShapeError", LENGTHS.replace("{axis}", str(k)), have, want)

    def step(index: Sequence[Expression], before: Expression | None) -> Expression:
        given = b.at(*index)
        return given if before is None else given + a.at(*index) * before

    _along(w, b, out, op.params["axis"], step)


total = _by("+")
product = _by("*")
largest = _extreme(">")
smallest = _extreme("<")
