"""Running sums, products, extremes and logarithms of sums, and linear recurrences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eqsat.cgen.ir.expressions import (
    ZERO,
    Binary,
    Cast,
    Expression,
    Function,
    Int,
    Name,
    either,
    least,
    ne,
    select,
)
from eqsat.cgen.ir.expressions import product as whole_size
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.statements import Joining
from eqsat.cgen.ir.writer import BodyWriter
from eqsat.graph.ops.cumulate import LENGTHS

TILE = 512  # columns that run together
FEW = 2048  # columns that are too few for a thread each
Joined = Callable[[Expression, Expression], Expression]
Step = Callable[[Sequence[Expression], Expression | None], Expression]


def _along(
    w: BodyWriter, x: Memory, out: Memory, axis: int, step: Step, joined: Joined | None = None
) -> None:
    """Each element along an axis is made of the one before, which the first has not; they may be ``joined`` in any groups."""
    if axis == len(x.n) - 1:
        _in_rows(w, x, out, axis, step, joined)
    elif w.by_places:
        with w.when(whole_size([n for a, n in enumerate(x.n) if a != axis]) < (FEW if joined else 0)):
            _in_rows(w, x, out, axis, step, joined)
        with w.otherwise():
            _in_rows(w, x, out, axis, step)
    else:
        _in_columns(w, x, out, axis, step)


def _in_rows(
    w: BodyWriter, x: Memory, out: Memory, axis: int, step: Step, joined: Joined | None = None
) -> None:
    with w.parallel([*x.n[:axis], *x.n[axis + 1 :]]) as kept, w.when(x.n[axis] > 0):

        def at(k: Expression) -> list[Expression]:
            return [*kept[:axis], k, *kept[axis:]]

        carried = w.variable("total", step(at(ZERO), None), out.dtype)
        w.store(out.at(*at(ZERO)), carried)

        def joining(k: Name) -> Joining:
            assert joined is not None
            a, b = (Name(name, out.dtype) for name in "ab")
            return Joining(carried.name, step(at(k), None), joined(a, b))

        with w.loop("k", x.n[axis], 1, running=joining if joined else None) as k:
            w.assign(carried, step(at(k), carried))
            w.store(out.at(*at(k)), carried)


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

        _along(w, x, out, node.params["axis"], step, lambda a, b: joined(x.dtype, a, b))

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
logaddexp = _running(lambda dtype, before, given: Function("logaddexp", (before, given), dtype))
