"""The states of a loop in memory: what a pass reads, where it writes, and what is left after the loop.

``begin`` stands before the loop, ``enter`` says where a pass finds the variables that it reads, ``memory`` gives the
place of a value that a pass computes and ``store`` copies one there, ``finish`` says what the loop leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.ir.arrays import Array, Storage
from eqsat.cgen.ir.expressions import Expression, Int, Name, Pointer, Turn, eq, length, select
from eqsat.cgen.ir.operand import Memory
from eqsat.cgen.ir.statements import Copy, Define, For, If, Move, Point, Statement, Take
from eqsat.cgen.lower.block import contiguous, copy_to
from eqsat.cgen.lower.loop_pass import Pass, Unsteady, copied, row_bytes
from eqsat.cgen.lower.sooner import STEP
from eqsat.graph.plan import State, may_overwrite

MOST_NUMBERS = 32  # of earlier values of a state that are local variables


class Kept:
    """A state whose values are stacked; where nobody reads the stack, as many of them as the next passes read."""

    def __init__(self, p: Pass, state: State) -> None:
        self.p, self.state = p, state
        self.result: Any = state.result
        self.kind: Any = state.writes[0][1].type
        self.live = p.w.life.last(state.result) >= 0
        self.whole = self.live and state.late is None
        self.what = "a state" if state.reads else "an output"
        self.wanted = self.live or bool(state.reads)
        self.row: tuple[str, ...] | None = None
        self.base = self.target = self.bytes = ""

    def begin(self) -> None:
        w, state = self.p.w, self.state
        if state.initial is not None:
            given = w.array(state.initial)
            if state.stacked:
                self.p.enough(given.n[0], Int(state.first), "the initial value of a state")
            self.initial = contiguous(w, given, state.result)
            self.set_row(given.n[1:] if state.stacked else given.n)
        elif None not in self.kind.shape:
            self.set_row(self.kind.shape)

    def set_row(self, n: Sequence[Any]) -> None:
        """Fix the lengths of a row, and take memory."""
        w = self.p.w
        self.row = tuple(str(b) if a is None else str(a) for a, b in zip(self.kind.shape, n, strict=True))
        if not self.wanted:
            return
        self.bytes = row_bytes(w, self.row, self.kind.dtype)
        if self.whole and not self.p.stops:
            n = w.settled(self.result, (self.p.count, *self.row))
            self.base = w.allocate(self.result, n).pointer
            return
        w.direct.pop(self.result, None)
        rows = self.p.count if self.whole else str(self.ring)
        size = w.lengths.product((rows, *self.row))
        storage = w.own(self.result, w.slots.take(size))
        self.base = w.buffer(storage, size, self.kind.dtype)
        n = (self.p.now, *self.row)
        self.made = Array(
            self.base, self.kind.dtype, n, w.lengths.strides(n), self.result.type.broadcastable, storage
        )

    @property
    def ring(self) -> int:
        """Rows of a buffer that holds what later passes and steps after the loop read, and a new value."""
        late = self.state.late if self.live and self.state.late else 1
        return max([late, *(1 - tap for tap, _ in self.state.reads)])

    def place(self, back: int) -> Expression:
        """Address of the row written ``back`` steps ago."""
        now = Name(self.p.now) - back
        return Pointer(self.base) + (now if self.whole else now % self.ring) * length(self.bytes)

    def given(self, row: Expression) -> Expression:
        """Address of a row of the initial value."""
        return Pointer(self.initial.pointer) + row * length(self.bytes)

    def enter(self) -> None:
        p = self.p
        taps = [-tap for tap, _ in self.state.reads]
        count = p.few(self.row) if self.row is not None and taps else 0
        if count and max(taps) * count <= MOST_NUMBERS:
            self._enter_numbers(max(taps), count)
            return
        row = self.row or ()
        for tap, variable in self.state.reads:
            now = Name(p.now)
            row_of = select(now < -tap, self.given(now + (self.state.first + tap)), self.place(-tap))
            p.enter(variable, row, None, p.pointer(row_of, lambda: p.zeros(row, self.kind.dtype)))
        self.target = p.pointer(self.place(0)) if self.base else ""

    def _enter_numbers(self, taps: int, count: int) -> None:
        """A few numbers that the next passes read are local variables."""
        p, dtype = self.p, self.kind.dtype
        row = self.row or ()
        old = [p.local(dtype, count, self.given(Int(self.state.first - k))) for k in range(1, taps + 1)]
        for tap, variable in self.state.reads:
            p.enter(variable, row, None, old[-tap - 1])
            p.body.times[old[-tap - 1]] = STEP * (1 + tap - self._copies())
        self.target = new = p.local(dtype, count)
        if self.live:
            p.tail += copied(self.place(0), Pointer(new), dtype, count)
        p.move(old, [new, *old], dtype, count)

    def _copies(self) -> bool:
        """True where a pass only copies what another state, or this one, was before."""
        loop = self.p.loop
        return any(v is self.state.writes[0][1] for s in loop.states for _, v in s.reads)

    def memory(self, n: Sequence[str]) -> str:
        p = self.p
        n = [p.body.lengths.find(t) for t in n]
        if self.row is None:
            if any(p.body.table.depth(t) == p.body.depth for t in n):
                raise Unsteady(self.state)
            self.set_row(n)
            self.target = p.pointer(self.place(0))
        p.same_shape(self.what, self.row or (), n)
        return self.target

    def store(self, j: int, array: Array) -> None:
        if not self.wanted:
            return
        if self.state in self.p.unsteady:
            self._store_first(array)
        else:
            copy_to(self.p.body, array, self.memory(array.n))

    def _store_first(self, array: Array) -> None:
        """Copy to a row of a stack whose rows are as long as that of the first pass."""
        p, body = self.p, self.p.body
        row = [body.new_number() for _ in array.n]
        taken: list[Statement]
        taken, p.w.lines = p.w.lines, []
        self.row = None
        self.set_row(row)
        taken, p.w.lines = p.w.lines, taken
        sizes = [Define(a, length(b)) for a, b in zip(row, array.n, strict=True)]
        body.lines.append(If(eq(Name(p.now), 0), [*sizes, *taken]))
        p.same_shape(self.what, row, array.n)
        target = body.new_pointer()
        begin = len(body.lines)
        body.lines.append(Point(target, self.place(0)))
        copy_to(body, array, target)
        body.lines[begin:] = [If(p.steps > 0, body.lines[begin:])]
        p.leaving += [*row, *([] if self.bytes.isdigit() else [self.bytes])]

    def finish(self) -> None:
        if self.whole and self.p.stops:
            self.p.w.env[self.result] = self.made
        elif self.live and not self.whole:
            self._keep_late()

    def _keep_late(self) -> None:
        """The last rows, in order: all that is read of a stack whose first row would lie before them."""
        p, w, most = self.p, self.p.w, self.state.late or 0
        row, now, dtype = self.row or (), p.now, self.kind.dtype
        first = w.number_of("first", select(Name(now) > most, Name(now) - most, 0))
        size = w.lengths.product((str(most), *row))
        storage = w.own(self.result, w.slots.take(size))
        rows, each, i = Pointer(w.buffer(storage, size, dtype)), length(self.bytes), Name("i")
        to, source = (
            Memory(address, dtype, (), ()).scalar()
            for address in (rows + (i - length(first)) * each, Pointer(self.base) + i % self.ring * each)
        )
        copy = Copy(to, source, length(w.lengths.product(row)))
        w.lines.append(For("i", Name(now), [copy], length(first)))
        stack = w.new_pointer()
        w.lines.append(Point(stack, rows - length(first) * each))
        n = w.settled(self.result, (now if p.stops else p.count, *row))
        mask = self.result.type.broadcastable
        w.env[self.result] = Array(stack, dtype, n, w.lengths.strides(n), mask, storage)


class Latest:
    """A state of which the last value counts: two buffers take turns, for lengths that may change those of the pass.

    A state that becomes the old value of another one, its ``source``, only takes over the pointer. The buffers of what
    is computed are then as many as a value lives passes, ``turns``.
    """

    source: Latest | None = None
    turns = 2
    in_place: Array | None = None

    def __init__(self, p: Pass, state: State) -> None:
        self.p, self.state = p, state
        self.variable: Any = state.reads[0][1]
        self.result: Any = state.result
        self.linked = [self]  # with it, the states that are its old value or of which it is that

    def begin(self) -> None:
        w = self.p.w
        self.initial = contiguous(w, w.array(self.state.initial), self.result)
        self.steady = self.state not in self.p.unsteady
        self.row = tuple(
            text if known is None else str(known)
            for known, text in zip(self.variable.type.shape, self.initial.n, strict=True)
        )
        if self.source is None:
            w.direct.pop(self.result, None)

    def enter(self) -> None:
        p, w = self.p, self.p.w
        self.number = p.few(self.row) if all(p.few(h.row) and h.steady for h in self.linked) else 0
        if self.number:
            self._enter_number()
            return
        if self.source is None and self.turns == 2 and self._overwrites():
            self._enter_in_place()
            return
        self.now = p.body.new_pointer()
        w.lines.append(Point(self.now, Pointer(self.initial.pointer)))
        if self.source is None:
            self._enter_buffers()
        if not self.steady:
            known = self.variable.type.shape
            fixed, self.row = self.row, tuple(p.body.new_number() if k is None else str(k) for k in known)
            w.lines += [Define(a, length(b)) for a, b in zip(self.row, fixed, strict=True) if a != b]
            p.leaving += [n for n in self.row if not n.isdigit()]
        p.leaving.append(self.now)
        p.enter(self.variable, self.row, None, self.now)

    def _enter_buffers(self) -> None:
        p, w = self.p, self.p.w
        self.next = p.body.new_pointer()
        size = w.lengths.product(self.row) if self.steady else w.fresh("@")
        self.storage = [w.own(self.result, w.slots.take(size)) for _ in range(self.turns)]
        if self.steady:
            buffers = [Pointer(w.buffer(s, size, self.initial.dtype)) for s in self.storage]
            p.head.append(Point(self.next, Turn(Name(p.now), tuple(buffers))))

    def _enter_in_place(self) -> None:
        """One buffer, which begins as a copy of the first value: each pass writes the new value over the old one."""
        p, w = self.p, self.p.w
        size = w.lengths.product(self.row)
        storage = w.own(self.result, w.slots.take(size))
        self.now = self.next = w.buffer(storage, size, self.initial.dtype)
        copy_to(w, self.initial, self.now)
        self.in_place = Array(
            self.now,
            self.initial.dtype,
            self.row,
            w.lengths.strides(self.row),
            self.result.type.broadcastable,
            storage,
        )
        p.enter(self.variable, self.row, None, self.now)

    def _overwrites(self) -> bool:
        """True where a pass can write the new value over the old one."""
        loop = self.p.loop
        new: Any = self.state.writes[0][1]
        same = new.type.dtype == self.variable.type.dtype
        return self.steady and loop.in_place and same and may_overwrite(loop.plan, self.variable, new)

    def _enter_number(self) -> None:
        """A few numbers are local variables; their last values go to memory after the loop."""
        p, w, dtype, count = self.p, self.p.w, self.initial.dtype, self.number
        w.direct.pop(self.result, None)
        self.now = w.buffer(w.own(self.result, w.slots.take(str(count))), str(count), dtype)
        kept = Pointer(self.now)
        w.lines += copied(kept, Pointer(self.initial.pointer), dtype, count)
        old, self.next = p.local(dtype, count, kept), p.local(dtype, count)
        p.enter(self.variable, self.row, None, old)
        p.body.times[old] = -STEP * (self.source is not None)
        p.move([old], [self.next], dtype, count)
        p.after += copied(kept, Pointer(old), dtype, count)

    def _fits(self, n: Sequence[str]) -> None:
        """Check that a new value has the lengths that the type of the state knows."""
        known = self.variable.type.shape
        self.p.same_shape("a state", [b if k is None else str(k) for k, b in zip(known, n, strict=True)], n)

    def memory(self, n: Sequence[str]) -> str:
        p, body = self.p, self.p.body
        self._fits(n)
        if self.steady:
            if not self._like(n):
                raise Unsteady(self.state)
        else:
            slot = Turn(Name(p.now), tuple(Int(s.index) for s in self.storage))
            body.lines.append(self._take(slot, self.next, n, body.lengths))
            p.moves += self._lengths_moved(n)
        if self.number:
            return self.next
        if self.in_place is None:
            p.moves.append(Move(self.now, self.next))
        return self.next

    def _take(self, slot: Expression, pointer: str, n: Sequence[str], lengths: Any) -> Take:
        return Take(pointer, slot, self.initial.dtype, length(lengths.product(n)), self.p.w.unit.step)

    def store(self, j: int, array: Array) -> None:
        if self.source is None or self.number:
            copy_to(self.p.body, array, self.memory(array.n))
            return
        self._fits(self.source.row)
        if self.steady and not self._like(self.source.row):
            raise Unsteady(self.state)
        self.p.moves += self._lengths_moved(self.source.row)
        self.p.moves.append(Move(self.now, self.source.now))

    def _lengths_moved(self, n: Sequence[str]) -> list[Move]:
        """The lengths that the next pass finds; those that the type knows stay."""
        return [Move(a, b, "int64") for a, b in zip(self.row, n, strict=True) if a != b and not a.isdigit()]

    def _like(self, n: Sequence[str]) -> bool:
        """True for lengths known to be those of the state."""
        find = self.p.body.lengths.find
        return all(find(a) == find(b) for a, b in zip(self.row, n, strict=True))

    def finish(self) -> None:
        """The last value; without steps a copy of the first, whose memory belongs to somebody else."""
        p, w = self.p, self.p.w
        if self.in_place is not None:
            w.env[self.result] = self.in_place
            return
        if self.source is not None and not self.number:
            strides = w.lengths.strides(self.row)
            last = Array(self.now, self.initial.dtype, self.row, strides, self.initial.mask, Storage("state"))
            copy_to(w, last, w.allocate(self.result, self.row).pointer)
            return
        if not self.number and (not p.count.isdigit() or p.count == "0"):
            begin = len(w.lines)
            w.lines.append(self._take(Int(self.storage[0].index), self.now, self.initial.n, w.lengths))
            copy_to(w, self.initial, self.now)
            w.lines[begin:] = [If(eq(p.steps, 0), w.lines[begin:])]
        kind = self.result.type
        w.env[self.result] = Array(
            self.now, kind.dtype, self.row, w.lengths.strides(self.row), kind.broadcastable, Storage("state")
        )


def link(holders: Sequence[Any]) -> None:
    """Tell the states of a loop which of them become the old value of another one."""
    latest = {h.variable: h for h in holders if isinstance(h, Latest)}
    for h in latest.values():
        h.source = latest.get(h.state.writes[0][1])
        if h.source is not None:
            h.linked.append(h.source)
            h.source.linked.append(h)
    for h in latest.values():
        passes = 2
        while h.source is not None and passes <= len(latest) + 2:
            h, passes = h.source, passes + 1
        h.turns = max(h.turns, passes)


class Buffer:
    """A buffer over time in which each pass reads some rows and then writes some."""

    def __init__(self, p: Pass, state: State) -> None:
        self.p, self.state = p, state
        self.result: Any = state.result

    def begin(self) -> None:
        w, state = self.p.w, self.state
        variable: Any = state.initial
        given = w.array(variable)
        number = [s for s in self.p.loop.states if s.kind == "buffer"].index(state)
        self.p.enough(given.n[0], self.p.steps + state.more, f"the buffer of state {number}")
        n = w.settled(self.result, given.n)
        if self._taken_over(variable, given):
            memory = w.new_array(self.result, n, w.move(given, state.result), given.pointer)
        else:
            memory = w.allocate(self.result, n)
            copy_to(w, given, memory.pointer)
        self.base, self.row = memory.pointer, memory.n[1:]
        self.bytes = row_bytes(w, self.row, memory.dtype)

    def _taken_over(self, variable: Any, given: Array) -> bool:
        """True where the loop may work in the memory of the initial buffer itself."""
        w = self.p.w
        if not w.dies_here(variable) or self.result in w.direct or not w.lengths.contiguous(given):
            return False
        roots = [w.life.root(v) for v in self.p.loop.apply.inputs]
        return roots.count(w.life.root(variable)) == 1 and given.mask == self.result.type.broadcastable

    def enter(self) -> None:
        p = self.p
        for tap, variable in self.state.reads:
            pointer = p.pointer(self._place(tap), lambda: p.zeros(self.row, self.result.type.dtype))
            p.enter(variable, self.row, None, pointer, Storage("buffer"))
        self.targets = [p.pointer(self._place(tap)) for tap, _ in self.state.writes]

    def _place(self, tap: int) -> Expression:
        row = Name(self.p.now) + (self.state.first + tap)
        return Pointer(self.base) + row * length(self.bytes)

    def store(self, j: int, array: Array) -> None:
        self.p.same_shape("a state", self.row, array.n)
        copy_to(self.p.body, array, self.targets[j])

    def finish(self) -> None:
        pass
