"""Elements picked and written by index arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eqsat.cgen.builders.index import broadcast_check, copy_into, stored
from eqsat.cgen.ir.expressions import Expression, Int, Name, either, eq, ne, product, select
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.statements import Copy
from eqsat.cgen.ir.writer import BodyWriter
from eqsat.graph.ops.gather import gather_layout
from eqsat.graph.ops.index import OUTSIDE


def pick_lengths(w: BodyWriter, op: Any, ins: Sequence[Memory]) -> list[Expression]:
    return _Picked(w, op.params["pattern"], ins[0], ins[1:]).lengths


class _Picked:
    """The elements of an operand at index arrays: ``lengths`` of their space, whose axes after ``split`` are the operand's."""

    def __init__(self, w: BodyWriter, pattern: Sequence[int], x: Memory, indices: Sequence[Memory]) -> None:
        self.w, self.pattern, self.x, self.indices = w, pattern, x, indices
        self.first, self.whole = gather_layout(pattern)
        self.count = len(indices[0].n)
        self.split = self.first + self.count
        kept = [x.n[a] for a in self.whole]
        self.lengths = [*kept[: self.first], *map(self._length, range(self.count)), *kept[self.first :]]

    def _length(self, axis: int) -> Expression:
        full = [i.n[axis] for i in self.indices if not i.mask[axis]]
        for other in full[1:]:
            text = f"index arrays: axis {axis} has the lengths {{0}} and {{1}}"
            self.w.check(ne(full[0], other), "ShapeError", text, full[0], other)
        return full[0] if full else Int(1)

    def each(
        self, row: Callable[[Sequence[Expression], list[Expression]], None], in_order: bool = False
    ) -> None:
        """Statements for each place before ``split``: ``row`` is given its index, and that in the operand without its last axes."""
        self._check_for_none()
        space = self.w.loops if in_order else self.w.parallel
        with space(self.lengths[: self.split]) as index:
            found = iter([*index[: self.first], *self._rest()])
            at = [
                next(found) if number < 0 else self._picked(axis, self.indices[number], index)
                for axis, number in enumerate(self.pattern)
            ]
            row(index, at)

    def _check_for_none(self) -> None:
        """Look at the numbers alone where the axes before theirs have no places."""
        before = self.lengths[: self.first]
        if not before:
            return
        places = self.lengths[self.first : self.split]
        with self.w.when(eq(product(before), 0)), self.w.loops(places, first=self.first) as counters:
            index = [*[Int(0)] * self.first, *counters]
            for axis, number in enumerate(self.pattern):
                if number >= 0:
                    self._picked(axis, self.indices[number], index)

    def _rest(self) -> list[Name]:
        """Counters of the axes after ``split``."""
        return [Name(f"i{k}") for k in range(self.split, len(self.lengths))]

    def _picked(self, axis: int, numbers: Memory, index: Sequence[Expression]) -> Expression:
        """The place along an axis of the operand, once it is known to be inside."""
        w, n = self.w, self.x.n[axis]
        g = w.let(f"g{axis}", numbers.along(index[self.first : self.split]))
        w.check(either(g < -n, g >= n), "BoundsError", OUTSIDE.replace("{axis}", str(axis)), g, n)
        return w.let(f"h{axis}", select(g < 0, g + n, g))

    def elements(
        self, write: Callable[[Sequence[Expression], list[Expression]], None], in_order: bool = False
    ) -> None:
        """Statements for each place of the whole space."""

        def row(index: Sequence[Expression], at: list[Expression]) -> None:
            with self.w.loops(self.lengths[self.split :], first=self.split) as rest:
                write([*index, *rest], at)

        self.each(row, in_order)


def pick(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    x, *indices = ins
    picked = _Picked(w, op.params["pattern"], x, indices)
    inner = picked.lengths[picked.split :]

    def plain(index: Sequence[Expression], at: list[Expression]) -> None:
        w.store(out.at(*index), x.at(*at))

    def row(index: Sequence[Expression], at: list[Expression]) -> None:
        zeros = [0] * len(inner)
        w.emit(Copy(out.at(*index, *zeros), x.at(*at[: len(at) - len(inner)], *zeros), product(inner)))

    if not inner or any(p >= 0 for p in op.params["pattern"][-len(inner) :]):
        picked.elements(plain)
        return
    with w.when(x.whole(len(x.n) - len(inner))):
        picked.each(row)
    with w.otherwise():
        picked.elements(plain)


def write(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
    x, y, *indices = ins
    picked = _Picked(w, op.params["pattern"], out, indices)
    broadcast_check(w, op, y, picked.lengths)
    copy_into(w, x, out)

    def element(index: Sequence[Expression], at: list[Expression]) -> None:
        target = out.at(*at)
        w.store(target, stored(op, out, target, y.along(index)))

    picked.elements(element, in_order=True)
