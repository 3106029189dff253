"""A loop over steps: one C function that runs the passes, with all memory found before the first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eqsat.cgen.builders.signature import as_int
from eqsat.cgen.c.block import contiguous, copy_to
from eqsat.cgen.c.loop_body import LOOP_HEAD
from eqsat.cgen.c.loop_pass import Pass, Unsteady
from eqsat.cgen.c.loop_states import Buffer, Kept, Latest, link
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.c.pieces import calls
from eqsat.cgen.c.registers import in_registers
from eqsat.cgen.c.segment import PART, SIZE, Segment
from eqsat.cgen.c.statements import printed
from eqsat.cgen.ir.arrays import Array, Storage
from eqsat.cgen.ir.expressions import length, ne
from eqsat.cgen.ir.operand import operand_of
from eqsat.graph.plan import Loop, State

EmitSteps = Callable[[Segment, int], None]
KINDS: dict[str, Any] = {"stack": Kept, "last": Latest, "buffer": Buffer}


def emit_loop(w: Segment, loop: Loop, emit_steps: EmitSteps) -> None:
    """Statements of a loop. ``emit_steps`` writes those of a segment's steps.

    It is written as if all lengths were the same in every pass, and again where some turn out not to be.
    """
    w.heavy = True
    unsteady: list[State] = []
    while True:
        before = _Before(w)
        try:
            _Writer(w, loop, unsteady).write(emit_steps)
            return
        except Unsteady as found:
            if found.state not in loop.states:
                raise  # the lengths are those of a loop around this one
            assert found.state not in unsteady
            before.restore()
            unsteady.append(found.state)


class _Before:
    """The state of a segment and its unit before a loop was tried."""

    def __init__(self, w: Segment) -> None:
        self.w = w
        self.lines, self.functions = len(w.lines), len(w.unit.functions)
        self.clocks = w.unit.clocks
        self.direct, self.free = dict(w.direct), w.slots.state()
        self.owned, self.moved = w.ownership()

    def restore(self) -> None:
        """Forget what was written since."""
        w = self.w
        del w.lines[self.lines :]
        for text in list(w.unit.functions)[self.functions :]:
            del w.unit.functions[text]
        w.direct, w.unit.clocks = self.direct, self.clocks
        w.slots.back_to(self.free)
        w.set_ownership(self.owned, self.moved)


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
        count = self._count()
        p.open(count, self._direct(), lambda k, n: self.places[k][0].memory(n))
        self._sequences()
        for holder in self.states:
            holder.begin()
        w.lines.append(f"{p.now} = 0;")
        for outer, inner in self.loop.fixed:
            array = w.array(outer)
            p.enter(inner, array.n, array.s, array.pointer)
        for holder in self.states:
            holder.enter()
        guarded = not p.known_steps() and all(
            holder.row is not None for holder in self.states if isinstance(holder, Kept)
        )
        if guarded:
            w.lines.append(f"if ({count} > 0) {{")
        emit_steps(p.body, len(p.body.steps))
        stop = self._ends()
        w.lines.append(f"if ({self._function(stop)}(c)) return 1;{' }' if guarded else ''}")
        self._finish()

    def _count(self) -> str:
        w = self.w
        given: Any = self.loop.count
        data = getattr(given, "data", None)
        if data is not None and int(data) >= 0:
            self.p.count = str(int(data))
            return self.p.count
        self.p.count = count = w.number_of("n", as_int(operand_of(w.array(given)).scalar()))
        needs = "0 or more; taps take their span from the length of a sequence"
        self.p.refuse(length(count) < 0, "the number of steps is {0}", needs, length(count))
        return count

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
            p.enough(array.n[0], p.count, f"sequence {k}")
            if p.trial:
                array = contiguous(w, array, self.loop.apply.outputs[0])
            self._rows(array, inner)

    def _rows(self, array: Array, inner: Any) -> None:
        p = self.p
        pointer = array.pointer
        if array.s[0] != "0" or p.trial:
            step = self.w.lengths.product([array.s[0], str(SIZE[CTYPE[array.dtype]])])
            pointer = p.pointer(f"{pointer} + {p.now}*{step}", lambda: p.zeros(array.n[1:], array.dtype))
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
            body.lines += [f"if ({self.p.count} > 0) {{"] * trial
            holder.store(j, values[k])
            body.lines += ["}"] * trial
        return stop

    def _aside(self, array: Array) -> Array:
        """A copy of rows of a buffer, which other values of the pass are about to overwrite."""
        body = self.p.body
        size = body.lengths.product(array.n)
        pointer = body.buffer(body.slots.take(size), size, CTYPE[array.dtype])
        copy_to(body, array, pointer)
        return Array(
            pointer, array.dtype, array.n, body.lengths.strides(array.n), array.mask, Storage("slot")
        )

    def _function(self, stop: str) -> str:
        """Name of the C function that runs the passes."""
        p, body = self.p, self.p.body
        passes = f"({p.count} > 0 ? {p.count} : 1)" if p.trial and not p.known_steps() else p.count
        if body.parts:
            body.part_done()
        lines = [*p.head, *body.locals, *body.parts, *printed(body.lines), *p.tail, *self._moves()]
        if not body.flat:
            lines = calls(lines, body.pass_of)
        if stop:
            lines.append(f"if ({stop}) {{ {p.now}++; break; }}")
        text = "".join(f"    {line}\n" for line in lines)
        after = f"  if ({p.count} == 0) {p.now} = 0;\n" if p.trial else ""
        after += "".join(f"  {line}\n" for line in p.after)
        before = "".join(f"  {line}\n" for line in p.before)
        head = f"{before}  for ({p.now} = 0; {p.now} < {passes}; {p.now}++) {{\n"
        whole = in_registers(f"{head}{text}  }}\n{after}", p.leaving)
        return body.unit.function("loop", f"{LOOP_HEAD}{whole}  return 0;\n}}\n")

    def _moves(self) -> list[str]:
        p = self.p
        if not p.moves:
            return []
        if len(p.moves) > PART and not p.body.flat:
            return self._moves_by_parts()
        read = "".join(f"{ctype} m{k} = {b}; " for k, (_, b, ctype) in enumerate(p.moves))
        written = " ".join(f"{a} = m{k};" for k, (a, _, _) in enumerate(p.moves))
        test = f"if ({p.count} > 0) " if p.trial else ""
        return [f"{test}{{ {read}{written} }}"]

    def _moves_by_parts(self) -> list[str]:
        """Moves as statements of which each may stand in another function; they begin with all that is read."""
        p = self.p
        read, written = [], []
        for to, source, _ in p.moves:
            middle = p.body.new_number() if to.startswith("N") else p.body.new_pointer()
            read.append(f"{middle} = {source};")
            written.append(f"{to} = {middle};")
        if p.trial:
            return [f"if ({p.count} > 0) {{", *read, *written, "}"]
        return [*read, *written]

    def _finish(self) -> None:
        p = self.p
        p.body.give_back()
        for name in p.leaving:
            p.w.table.leave(name, self.w.depth)
        for holder in self.states:
            holder.finish()
