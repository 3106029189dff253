"""A loop over steps becomes a value, with all memory found before the first step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from eqsat.cgen.builders.signature import as_int
from eqsat.cgen.ir.arrays import SIZE, Array, Storage
from eqsat.cgen.ir.expressions import ZERO, Name, Pointer, length, ne
from eqsat.cgen.ir.operand import operand_of
from eqsat.cgen.ir.statements import Define, If, Steps
from eqsat.cgen.lower.block import contiguous, copy_to
from eqsat.cgen.lower.lanes import LaneWriter, NotLanes, may_be_lanes
from eqsat.cgen.lower.loop_body import BLOCK, NotWhole
from eqsat.cgen.lower.loop_pass import Pass, Unsteady
from eqsat.cgen.lower.loop_states import Buffer, Kept, Latest, link
from eqsat.cgen.lower.segment import Segment
from eqsat.cgen.lower.sooner import EARLY
from eqsat.graph.plan import Loop, State

EmitSteps = Callable[[Segment, int], None]
KINDS: dict[str, Any] = {"stack": Kept, "last": Latest, "buffer": Buffer}


def emit_loop(w: Segment, loop: Loop, emit_steps: EmitSteps) -> None:
    """Statements of a loop, in the first of its forms that it can have. ``emit_steps`` writes those of a segment's steps."""
    w.heavy = True
    if getattr(w, "whole", False):  # of a kernel that runs a loop around this one
        _write(w, loop, emit_steps)
        return
    for form in loop.forms or w.unit.loop_forms(loop):
        if _has_form(w, replace(loop, forms=(form,)), emit_steps):
            return
    _write(w, replace(loop, forms=("launches",)), emit_steps)


def _has_form(w: Segment, loop: Loop, emit_steps: EmitSteps) -> bool:
    """Statements of a loop in a form, if it can have it."""
    (form,) = loop.forms
    if form == "lanes":
        lanes = may_be_lanes(loop)
        return lanes and _tried(w, lambda: LaneWriter(w, loop, _count).write(emit_steps), NotLanes)
    if form != BLOCK:
        _write(w, loop, emit_steps)
        return True
    profile, w.unit.profile = w.unit.profile, False
    try:
        return _tried(w, lambda: _write(w, loop, emit_steps), NotWhole)
    finally:
        w.unit.profile = profile


def _write(w: Segment, loop: Loop, emit_steps: EmitSteps) -> None:
    """Statements of a loop step by step.

    It is written as if all lengths were the same in every pass, and again where some turn out not to be.
    """
    unsteady: list[State] = []
    while True:
        before = Before(w)
        try:
            _Writer(w, loop, unsteady).write(emit_steps)
            return
        except Unsteady as found:
            if found.state not in loop.states:
                raise  # the lengths are those of a loop around this one
            assert found.state not in unsteady
            before.restore()
            unsteady.append(found.state)


def _tried(w: Segment, write: Callable[[], None], refused: type[Exception]) -> bool:
    """True where nothing was refused that is written; else all is as before."""
    before, table = Before(w), w.table.state()
    try:
        write()
    except refused:
        before.restore()
        w.table.back_to(table)
        return False
    return True


class Before:
    """The state of a segment and its unit before a loop was tried."""

    def __init__(self, w: Segment) -> None:
        self.w = w
        self.lines, self.unit = len(w.lines), w.unit.state()
        self.direct, self.free = dict(w.direct), w.slots.state()
        self.env, self.placed = dict(w.env), dict(w.placed)
        self.owned, self.moved = w.ownership()

    def restore(self) -> None:
        """Forget what was written since."""
        w = self.w
        del w.lines[self.lines :]
        w.unit.back_to(self.unit)
        w.direct, w.env, w.placed = self.direct, dict(self.env), dict(self.placed)
        w.slots.back_to(self.free)
        w.set_ownership(self.owned, self.moved)


def _count(p: Pass) -> str:
    """Name of the number of steps, or the number where it is known, after its check."""
    given: Any = p.loop.count
    data = getattr(given, "data", None)
    if data is not None and int(data) >= 0:
        return str(int(data))
    count = p.w.number_of("n", as_int(operand_of(p.w.array(given)).scalar()))
    needs = "0 or more; taps take their span from the length of a sequence"
    p.refuse(length(count) < 0, "the number of steps is {0}", needs, length(count))
    return count


class _Writer:
    """Writes one loop."""

    def __init__(self, w: Segment, loop: Loop, unsteady: list[State]) -> None:
        self.w, self.loop = w, loop
        self.p = Pass(w, loop, unsteady)
        self.states = [KINDS[state.kind](self.p, state) for state in loop.states]
        link(self.states)
        self.places = [
            (holder, j) for holder in self.states for j in range(len(holder.state.writes))
        ]  # per output of a pass

    def write(self, emit_steps: EmitSteps) -> None:
        """The statements around the loop, and the function that runs it."""
        w, p = self.w, self.p
        p.count = count = _count(p)
        p.open(count, self._direct(), lambda k, n: self.places[k][0].memory(n))
        self._sequences()
        for holder in self.states:
            holder.begin()
        w.lines.append(Define(p.now, ZERO))
        for outer, inner in self.loop.fixed:
            array = w.array(outer)
            p.enter(inner, array.n, array.s, array.pointer)
        for holder in self.states:
            holder.enter()
        guarded = not p.known_steps() and all(
            holder.row is not None for holder in self.states if isinstance(holder, Kept)
        )
        begin = len(w.lines)
        emit_steps(p.body, len(p.body.steps))
        w.lines.append(w.unit.steps(p.body, self._steps(self._ends())))
        if guarded:
            w.lines[begin:] = [If(p.steps > 0, w.lines[begin:])]
        self._finish()

    def _steps(self, stop: str) -> Steps:
        """The loop as a value."""
        p = self.p
        return Steps(
            p.steps,
            p.now,
            p.trial,
            p.before,
            p.head,
            p.body.statements(),
            p.tail,
            p.moves,
            stop,
            p.after,
            p.leaving,
        )

    def _direct(self) -> list[int]:
        """Outputs of a pass that are computed where they are kept."""
        if self.p.trial:
            return []
        return [
            k
            for k, (holder, _) in enumerate(self.places)
            if isinstance(holder, Latest) or (isinstance(holder, Kept) and holder.wanted)
        ]

    def _sequences(self) -> None:
        w, p = self.w, self.p
        for k, (outer, inner) in enumerate(self.loop.sequences):
            array = w.array(outer)
            p.enough(array.n[0], p.steps, f"sequence {k}")
            if p.trial:
                array = contiguous(w, array, self.loop.apply.outputs[0])
            self._rows(array, inner)

    def _rows(self, array: Array, inner: Any) -> None:
        p = self.p
        pointer = array.pointer
        if array.s[0] != "0" or p.trial:
            step = self.w.lengths.product([array.s[0], str(SIZE[array.dtype])])
            row = Pointer(pointer) + Name(p.now) * length(step)
            pointer = p.pointer(row, lambda: p.zeros(array.n[1:], array.dtype))
            p.body.times[pointer] = EARLY
        p.enter(inner, array.n[1:], array.s[1:], pointer)

    def _ends(self) -> str:
        """Statements that put the remaining values of a pass into their places; gives the number that ends the loop."""
        body = self.p.body
        done = {k for k, _ in body.direct.values()}
        stop = ""
        if self.loop.stop is not None:
            stop = body.number_of("stop", ne(operand_of(body.array(self.loop.stop)).scalar(), 0))
        values = {k: body.array(body.outputs[k]) for k in range(len(self.places)) if k not in done}
        late = {k for k in values if isinstance(self.places[k][0], Buffer)}
        for k in sorted(values, key=lambda k: k in late):
            if k in late and len(late) > 1 and values[k].storage.kind == "buffer":
                values[k] = self._aside(values[k])
        for k in sorted(values, key=lambda k: k in late):
            holder, j = self.places[k]
            trial = self.p.trial and holder.state not in self.p.unsteady
            begin = len(body.lines)
            holder.store(j, values[k])
            if trial:
                body.lines[begin:] = [If(self.p.steps > 0, body.lines[begin:])]
        return stop

    def _aside(self, array: Array) -> Array:
        """A copy of rows of a buffer, which other values of the pass are about to overwrite."""
        body = self.p.body
        size = body.lengths.product(array.n)
        pointer = body.buffer(body.slots.take(size), size, array.dtype)
        copy_to(body, array, pointer)
        return Array(
            pointer, array.dtype, array.n, body.lengths.strides(array.n), array.mask, Storage("slot")
        )

    def _finish(self) -> None:
        p = self.p
        p.body.give_back()
        for name in p.leaving:
            p.w.table.leave(name, self.w.depth)
        for holder in self.states:
            holder.finish()
