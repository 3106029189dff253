"""A branch becomes a test: one of two lists of statements runs, and puts its results where both put them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eqsat.cgen.ir.arrays import Array, Lengths, Storage
from eqsat.cgen.ir.expressions import ZERO, Pointer, eq, length, ne
from eqsat.cgen.ir.memory import direct_outputs
from eqsat.cgen.ir.operand import operand_of
from eqsat.cgen.ir.statements import Define, If, Point
from eqsat.cgen.lower.loop_body import NotWhole
from eqsat.cgen.lower.segment import PART, Segment, value_of
from eqsat.graph.plan import Branch, Side

Emit = Callable[[Segment, int], None]
CopyOutputs = Callable[[Segment], None]


def emit_branch(w: Segment, branch: Branch, emit_steps: Emit, copy_outputs: CopyOutputs) -> None:
    """Statements of a branch. ``emit_steps`` writes those of a segment's steps, ``copy_outputs`` the copies that remain."""
    if getattr(w, "whole", False):
        raise NotWhole  # memory is taken where a side runs
    condition = ne(operand_of(w.array(branch.condition)).scalar(), 0)
    taken = length(w.number_of("taken", condition))
    results = [_Result(w, v) for v in branch.apply.outputs]
    profile, w.unit.profile = w.unit.profile, False
    try:
        sides = [_SideWriter(w, side, results) for side in branch.sides]
        for side, test in zip(sides, (taken, eq(taken, ZERO)), strict=True):
            emit_steps(side, len(side.steps))
            copy_outputs(side)
            side.free_dead()
            w.lines.append(If(test, side.lines))
            w.heavy = w.heavy or side.heavy
    finally:
        w.unit.profile = profile
    for k, result in enumerate(results):
        result.found([side.lengths_of(k) for side in sides])


class _Result:
    """The place of a result of a branch, which both sides write; where its lengths are not known, each side takes the memory."""

    def __init__(self, w: Segment, variable: Any) -> None:
        self.w, self.variable = w, variable
        shape = variable.type.shape
        self.n = tuple(w.new_number() if known is None else str(known) for known in shape)
        self.unknown = [own for own, known in zip(self.n, shape, strict=True) if known is None]
        self.pointer = w.new_pointer() if self.unknown else w.allocate(variable, self.n).pointer
        self.number = w.direct.get(variable, (-1, ()))[0]
        if self.unknown:
            size = w.lengths.product(self.n)
            own = self.number < 0
            self.storage = w.own(variable, w.slots.take(size)) if own else Storage("output", self.number)

    def memory(self, side: Segment, n: Sequence[str]) -> str:
        """The pointer to the memory in which a side writes; the statements that take it, where they are the side's own."""
        if not self.unknown:
            return self.pointer
        w, outside = self.w, self.w.lines
        known = dict(zip(self.n, n, strict=True))
        w.lines = [Define(own, value_of(known[own])) for own in self.unknown]
        if self.number < 0:
            pointer = w.buffer(self.storage, w.lengths.product(self.n), self.variable.type.dtype)
        else:
            pointer = w.allocate(self.variable, self.n).pointer
        side.lines += [*w.lines, Point(self.pointer, Pointer(pointer))]
        w.lines = outside
        return pointer

    def found(self, lengths: Sequence[Sequence[str]]) -> None:
        """Note where the variable lies, and which of its lengths are the same on both sides."""
        w = self.w
        for own, *both in zip(self.n, *lengths, strict=True):
            if own in self.unknown and len(set(both)) == 1 and "*" not in both[0]:
                w.lengths.unite(own, both[0])
        if self.unknown:
            n = tuple(w.lengths.find(own) for own in self.n)
            w.new_array(self.variable, n, self.storage, self.pointer)


class _SideWriter(Segment):
    """Writes the statements of one side, which all stay in it."""

    def __init__(self, around: Segment, side: Side, results: Sequence[_Result]) -> None:
        self._begin(around.unit, side.plan.outputs, side.plan.steps)
        self.around, self.depth, self.alone = around, around.depth, around.alone
        self.table, self.slots = around.table, around.slots
        self.lengths = Lengths(around.lengths, around.table.depth)
        self.direct = direct_outputs(self.steps, self.outputs, self.life)
        self.heavy = len(self.steps) > PART
        self.results = results
        self.written: dict[int, tuple[str, ...]] = {}
        for outer, inner in side.operands:
            self._operand(around.array(outer), inner)

    def _operand(self, array: Array, inner: Any) -> None:
        kind = inner.type
        n = tuple(text if k is None else str(k) for text, k in zip(array.n, kind.shape, strict=True))
        self.env[inner] = Array(array.pointer, kind.dtype, n, array.s, kind.broadcastable, Storage("row"))

    def part_done(self) -> None:
        """Nothing: a target cuts what is long."""

    def output_memory(self, k: int, n: Sequence[str]) -> str:
        self.written[k] = tuple(n)
        return self.results[k].memory(self, n)

    def lengths_of(self, k: int) -> list[str]:
        """The lengths of an output as they are known at the end."""
        return [self.lengths.find(text) for text in self.written[k]]
