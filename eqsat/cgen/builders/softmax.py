"""softmax and its kin: per row the maximum, then the sum of exponentials."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from eqsat.cgen.builders.reduce import split_index
from eqsat.cgen.ir.expressions import (
    Cast,
    Expression,
    Function,
    Int,
    Name,
    Number,
    binary,
    both,
    negated,
    select,
)
from eqsat.cgen.ir.operand import Element, Memory
from eqsat.cgen.ir.writer import BodyWriter

_SHORT = 64  # elements of a row below which many rows share one loop of exponentials
_ROOM = 1024  # elements of such rows at a time


def _by_rows(finish: str) -> Callable[..., None]:
    """A builder that ends a row with its ``part`` of the sum, with its ``log``, or with the log of the sum, ``total``."""

    def write(w: BodyWriter, op: Any, ins: Sequence[Memory], out: Memory) -> None:
        (x,), axes = ins, op.params["axes"]
        rows = _Rows(w, x, out, axes, finish)
        if axes == (len(x.n) - 1,) and rows.around:
            with w.when(both(x.n[-1] > 0, x.n[-1] <= _SHORT)):
                rows.many()
            with w.otherwise():
                rows.each()
        else:
            rows.each()

    return write


class _Rows:
    """The loops over the rows of an operand: one row after the other, or many short ones together."""

    def __init__(self, w: BodyWriter, x: Memory, out: Memory, axes: Sequence[int], finish: str) -> None:
        self.w, self.x, self.out, self.axes, self.finish, self.dtype = w, x, out, axes, finish, x.dtype
        self.lengths = [x.n[a] for a in axes]
        self.around = [n for a, n in enumerate(x.n) if a not in axes]

    def _index(self, kept: Sequence[Expression], along: Sequence[Expression]) -> list[Any]:
        return split_index(len(self.x.n), self.axes, kept, along)

    def _top(self, name: str) -> Name:
        return self.w.variable(name, Number(-float("inf"), self.dtype), self.dtype)

    def each(self) -> None:
        """One row after the other."""
        w = self.w
        with w.loops(self.around) as kept:
            top = self._top("top")
            with w.vector(self.lengths, ("max", top), index="r") as along:
                v = self.x.at(*self._index(kept, along))
                w.assign(top, select(v > top, v, top))
            _finite(w, top)
            total = w.variable("total", 0, "float64")
            with w.vector(self.lengths, ("+", total), index="r") as along:
                index = self._index(kept, along)
                e = w.let("e", Function("exp", (self.x.at(*index) - top,), self.dtype))
                if self.finish == "part":
                    w.store(self.out.at(*index), e)
                w.assign(total, total + e)
            with self._ends(kept, top, total, vector=True) as (index, end):
                w.store(self.out.at(*index), end(self.out.at(*index)))

    def many(self) -> None:
        """As many short rows as there is room for, with one loop over all their exponentials."""
        w, n, (length,), dtype = self.w, self.around[-1], self.lengths, self.dtype
        count = Int(_ROOM) // length
        with w.loops(self.around[:-1]) as outer, w.loop("b", n, step=count) as b:
            e, tops = (w.row(name, dtype, _ROOM) for name in ("e", "tops"))
            stop = w.let("stop", select(b + count < n, b + count, n))
            with w.loop(f"i{len(outer)}", stop, start=b) as i:
                top = self._top("top")
                with w.loop("r0", length) as r:
                    v = w.let("v", self.x.at(*outer, i, r))
                    w.assign(top, select(v > top, v, top))
                _finite(w, top)
                w.store(tops.at(i - b), top)
                with w.loop("r0", length) as r:
                    w.store(e.at((i - b) * length + r), self.x.at(*outer, i, r) - top)
            with w.vector([(stop - b) * length], index="j") as (j,):
                w.store(e.at(j), Function("exp", (e.at(j),), dtype))
            with w.loop(f"i{len(outer)}", stop, start=b) as i:
                total = w.variable("total", 0, "float64")
                with w.loop("r0", length) as r:
                    w.assign(total, total + e.at((i - b) * length + r))
                with self._ends([*outer, i], tops.at(i - b), total, vector=False) as (index, end):
                    w.store(self.out.at(*index), end(e.at((i - b) * length + Name("r0"))))

    @contextmanager
    def _ends(
        self, kept: Sequence[Expression], top: Expression, total: Name, vector: bool
    ) -> Iterator[tuple[list[Any], Callable[[Element], Expression]]]:
        """Statements for each result of a row, once it has its sum: the index, and the value from its exponential."""
        w, dtype = self.w, self.dtype
        if self.finish == "total":
            log = Function("log", (total,), "float64")
            yield self._index(kept, [Int(0)] * len(self.axes)), lambda e: Cast(dtype, top + log)
            return
        if self.finish == "log":
            log_total = w.let("logs", Function("log", (total,), "float64"))
        elif dtype == "float32":  # in float64 the quotient and the product round to the same float32
            scale = w.let("scale", Number(1.0, "float64") // total)
        loops = w.vector(self.lengths, index="r") if vector else w.loops(self.lengths, "r")
        with loops as along:
            index = self._index(kept, along)
            if self.finish == "log":
                yield index, lambda e: (self.x.at(*index) - top) - log_total
            else:
                yield index, lambda e: e * scale if dtype == "float32" else binary("/", e, total)


def _finite(w: BodyWriter, top: Name) -> None:
    """Take 0 for a maximum that is not finite."""
    with w.when(negated(both(top > Number(-float("inf"), top.of), top < Number(float("inf"), top.of)))):
        w.assign(top, 0)


softmax = _by_rows("part")
log_softmax = _by_rows("log")
logsumexp = _by_rows("total")
