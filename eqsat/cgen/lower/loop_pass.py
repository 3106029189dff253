"""One pass of a loop: the segments around and inside, what is set at its beginning, and what moves at its end."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any

from eqsat.cgen.ir.arrays import SIZE, Array, Storage
from eqsat.cgen.ir.expressions import (
    ZERO,
    Expression,
    Int,
    Name,
    Pointer,
    Read,
    both,
    either,
    length,
    mentions,
    ne,
    select,
)
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.statements import Clear, Local, Move, Point, Statement, Write
from eqsat.cgen.lower.loop_body import Body, address
from eqsat.cgen.lower.segment import Segment
from eqsat.graph.plan import Loop, State


class Unsteady(Exception):
    """Lengths that were taken to be the same in every pass are not known to be; the loop is written again."""

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.state = state


class Pass:
    """Values that the states of a loop share. ``count`` is the number of passes, ``now`` that of the present one.

    ``unsteady`` are the states whose lengths are not known before the loop. With a stack among them a loop of no passes
    makes one of zeros, to learn the lengths of its rows.
    """

    def __init__(self, w: Segment, loop: Loop, unsteady: list[State]) -> None:
        self.w, self.loop, self.unsteady = w, loop, unsteady
        self.stops = loop.stop is not None
        self.trial = any(state.kind == "stack" for state in unsteady)
        self.count = self.now = ""
        self.body: Body
        self.before: list[Statement] = []  # before the first pass, in the loop's function
        self.head: list[Statement] = []  # at the beginning of a pass
        self.tail: list[Statement] = []  # at its end
        self.after: list[Statement] = []  # after the last one
        self.moves: list[Move] = []  # at the end of a pass
        self.leaving: list[str] = []  # what is read after the loop

    def open(self, count: str, direct: Container[int], memory: Callable[[int, Sequence[str]], str]) -> None:
        """Begin the body."""
        self.count = count
        self.body = Body(self.w, self.loop, direct, memory)
        self.body.flat = self.body.flat and not self.trial
        self.body.rounds = self.loop.rounds
        self.now = self.body.new_number()
        self.leaving.append(self.now)

    def few(self, n: Sequence[str]) -> int:
        """The number of elements of a row, where they are local variables of the loop's function; else 0."""
        return self.body.few(n)

    def local(self, dtype: str, count: int, source: Expression | None = None) -> str:
        """The pointer to local variables, which have values before the first pass: those at an address, or 0."""
        name = self.body.new_local(dtype)
        if count == 1:
            self.before.append(Local(name, dtype, Read(source, dtype) if source is not None else ZERO))
            return address(name)
        self.before.append(Local(name, dtype, None, count))
        pointer = address(name, count)
        if source is not None:
            self.before += copied(Pointer(pointer), source, dtype, count)
        return pointer

    def move(self, to: Sequence[str], source: Sequence[str], dtype: str, count: int) -> None:
        """Local variables take, at the end of a pass, the values of others: the first of each list, then the second."""
        if count == 1:
            self.moves += [Move(a[1:], b[1:], dtype) for a, b in zip(to, source, strict=False)]
            return
        for a, b in reversed([*zip(to, source, strict=False)]):
            self.tail += copied(Pointer(a), Pointer(b), dtype, count)

    def pointer(self, address: Expression, zeros: Callable[[], str] | None = None) -> str:
        """A pointer that is set at the beginning of each pass; to zeros in a trial pass."""
        pointer = self.body.new_pointer()
        if zeros is not None and self.trial and not self.known_steps():
            address = select(self.steps > 0, address, Pointer(zeros()))
        self.head.append(Point(pointer, address))
        return pointer

    @property
    def steps(self) -> Expression:
        """The number of passes."""
        return length(self.count)

    def enter(
        self,
        variable: Any,
        n: Sequence[str],
        s: Sequence[str] | None,
        pointer: str,
        storage: Storage | None = None,
    ) -> None:
        """Note where the body finds a variable; without strides it is C-contiguous."""
        kind = variable.type
        lengths = tuple(t if k is None else str(k) for k, t in zip(kind.shape, n, strict=True))
        strides = self.w.lengths.strides(lengths) if s is None else tuple(s)
        self.body.env[variable] = Array(
            pointer, kind.dtype, lengths, strides, kind.broadcastable, storage or Storage("row")
        )

    def known_steps(self) -> bool:
        """True where it is known that there is a pass."""
        return self.count.isdigit() and self.count != "0"

    def zeros(self, n: Sequence[str], dtype: str) -> str:
        """Pointer to a row of zeros."""
        w = self.w
        size = w.lengths.product(n)
        storage = w.own(self.loop.apply.outputs[0], w.slots.take(size))
        pointer = w.buffer(storage, size, dtype)
        w.emit(Clear(Memory(Pointer(pointer), dtype, (), ()), length(size)))
        return pointer

    # ---------------------------------------------------------------------------------------------------- errors

    def enough(self, have: str, needed: Expression, what: str) -> None:
        """A check before the loop that an operand has so many rows."""
        test = length(have) < needed
        if test != ZERO:
            self.refuse(test, f"{what} has length {{0}}, it needs {{1}}", None, length(have), needed)

    def refuse(self, test: Expression, message: str, needs: str | None, *values: Expression) -> None:
        """A check before the loop."""
        w = self.w
        w.unit.new_step()
        w.note_apply()
        code = w.unit.error("ShapeError", f"{self.name()}: {message}", needs)
        w.check_code(test, code, *values)

    def name(self) -> str:
        """Name of the loop inside a message."""
        return str(self.loop.apply.op).replace("{", "{{").replace("}", "}}")

    def same_shape(self, what: str, known: Sequence[str], n: Sequence[str]) -> None:
        """A check that a new value has the lengths that the state has; afterwards they are known to be equal."""
        body = self.body
        pairs = [(body.lengths.find(a), body.lengths.find(b)) for a, b in zip(known, n, strict=True)]
        if all(a == b for a, b in pairs):
            return
        test = either(*(ne(length(a), length(b)) for a, b in pairs))
        now = Name(self.now) if body.table.depth(mentions(test)) == body.depth else ZERO
        if not self.known_steps():
            test = both(self.steps > 0, test)
        before, after = ([*map(length, lengths)] for lengths in zip(*pairs, strict=True))
        self._refuse_misfit(test, what, before, after, now)
        for a, b in pairs:
            body.lengths.unite(a, b)

    def _refuse_misfit(
        self,
        test: Expression,
        what: str,
        before: Sequence[Expression],
        after: Sequence[Expression],
        now: Expression,
    ) -> None:
        rank = len(before)
        places = [", ".join(f"{{{k}}}" for k in range(start, start + rank)) for start in (0, rank + 1)]
        first, last = (f"({text},)" if rank == 1 else f"({text})" for text in places)
        message = f"{what} has the shape {first} before step {{{rank}}} and {last} after it"
        unit = self.body.unit
        unit.new_step()
        self.w.note_apply()
        code = unit.error("ShapeError", f"{self.name()}: {message}", "one shape at all times")
        self.body.check_code(test, code, *before, now, *after)


def copied(to: Expression, source: Expression, dtype: str, count: int) -> list[Statement]:
    """Statements that copy a few numbers one by one."""
    places = [Int(k * SIZE[dtype]) for k in range(count)]
    return [Write(to + k, dtype, Read(source + k, dtype)) for k in places]


def row_bytes(w: Segment, n: Sequence[str], dtype: str) -> str:
    """Name of the bytes of a row, or their number."""
    size = w.lengths.product([*n, str(SIZE[dtype])])
    return w.number_of("row", length(size))
