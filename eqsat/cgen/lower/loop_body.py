"""The steps inside a loop: what does not change from one pass to the next is emitted before the loop."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

from eqsat.cgen.ir.arrays import Array, Lengths, Storage
from eqsat.cgen.ir.expressions import Expression, mentions, reads_memory
from eqsat.cgen.ir.memory import Slots, direct_outputs
from eqsat.cgen.ir.nest import Nest
from eqsat.cgen.ir.statements import Check, Local, Point, Statement
from eqsat.cgen.lower.segment import PART, Segment
from eqsat.cgen.lower.sooner import EARLY, sooner
from eqsat.graph.plan import Branch, Loop, Step

_POINTERS = re.compile(r"(?:\(void \*\))?&L_\d+|P\[\d+\]")
BLOCK = "block"  # the form of a loop of which one kernel runs all steps
FEW = 16  # elements of a value that are local variables


class NotWhole(Exception):
    """A target cannot run all steps of a loop in one kernel."""


class LoopSlots(Slots):
    """Buffers of a loop, each for one size: its memory is found once, before the loop."""

    def __init__(self, outer: Slots) -> None:
        super().__init__()
        self.outer = outer
        self.apart = False  # no buffer is taken again, since blocks of threads are at different steps
        self._taken: list[Storage] = []

    def take(self, size: str) -> Storage:
        for place, storage in enumerate(self._free):
            if storage.size == size and not self.apart:
                return Storage("slot", self._free.pop(place).index, size)
        found = self.outer.take(size)
        self._taken.append(found)
        return found

    def freed(self, taken: int) -> tuple[int, ...]:
        return ()

    def state(self) -> list[list[Storage]]:
        return [list(self._free), list(self._taken), *self.outer.state()]

    def back_to(self, state: list[list[Storage]]) -> None:
        self._free, self._taken = map(list, state[:2])
        self.outer.back_to(state[2:])

    def forget(self) -> None:
        """Take none of the buffers again that were given back."""
        self._free = []

    def give_back(self) -> None:
        """Give all buffers to what stands around the loop."""
        for storage in self._taken:
            self.outer.give(storage)


class Body(Segment):
    """Writes the statements of one pass of a loop that stands in another segment.

    ``memory`` gives the pointer to the memory of an output of given lengths.
    """

    def __init__(
        self,
        around: Segment,
        loop: Loop,
        direct: Container[int],
        memory: Callable[[int, Sequence[str]], str],
    ) -> None:
        self._begin(around.unit, loop.plan.outputs, loop.plan.steps)
        self.around, self.depth = around, around.depth + 1
        self.table = around.table
        self._own_slots = self.slots = LoopSlots(around.slots)
        self.lengths = Lengths(around.lengths, self.table.depth)
        self.direct = direct_outputs(self.steps, self.outputs, self.life, direct)
        self.heavy = self.rounds = True
        self._memory = memory
        self.whole = bool(getattr(around, "whole", False)) or getattr(loop, "forms", ()) == (BLOCK,)
        self._own_slots.apart = self.whole
        few = len(self.steps) < PART and len(loop.states) < PART and around.unit.keeps_near(loop)
        self.flat = few and not holds_loop(self.steps)
        self.locals: list[Statement] = []
        self.times: dict[str, float] = {}  # at which values are there, by their pointers

    def emit(self, statement: Statement) -> None:
        steady = isinstance(statement, Check) and self.table.depth(_read_by(statement)) < self.depth
        (self.around if steady else self).lines.append(statement)

    def nest(self, nest: Nest) -> None:
        if self.rounds and self.few(nest.lengths):
            nest, written = sooner(nest, self.time)
            self.times |= written
        self.unit.nest(self, nest)

    def time(self, pointer: str) -> float:
        """The time, after the step before, at which a value is there."""
        known = self.times.get(pointer)
        if known is not None:
            return known
        return EARLY if self.table.depth(pointer) < self.depth else 0.0

    def settle(self, names: Sequence[str], statement: Statement, reads: str) -> None:
        self._set(names, statement, self.table.depth(reads) < self.depth)

    def point(self, address: Expression) -> str:
        pointer, names = self.new_pointer(), mentions(address)
        depth = self.table.depth(names) if reads_memory(address) else self.table.address_depth(names)
        self.table.same_content(pointer, names)
        self.times[pointer] = max(map(self.time, _POINTERS.findall(names)), default=0.0)
        self._set([pointer], Point(pointer, address), depth < self.depth)
        return pointer

    def _set(self, names: Sequence[str], statement: Statement, steady: bool) -> None:
        place = self.around if steady else self
        for name in names:
            self.table.settle(name, place.depth)
        place.lines.append(statement)

    def new_local(self, dtype: str) -> str:
        """Name of a new local variable of the loop's function; only where all statements are in that function."""
        return self.table.local(self.depth)

    def allocate(self, variable: Any, n: tuple[str, ...]) -> Array:
        """Memory for a variable; a few numbers are local variables, which compilers keep in registers."""
        count = self.few(n)
        if not count or variable in self.direct:
            return super().allocate(variable, n)
        name = self.new_local(variable.type.dtype)
        self.locals.append(Local(name, variable.type.dtype, None, count))
        return self.new_array(variable, n, Storage("local"), address(name, count))

    def few(self, n: Sequence[str]) -> int:
        """The number of elements, where they are so few that they may be local variables; else 0."""
        size = self.lengths.product(n) if self.flat else ""
        return int(size) if size.isdigit() and int(size) <= FEW else 0

    def give_back(self) -> None:
        """Give all buffers of the loop to what stands around it."""
        self._own_slots.give_back()

    def output_memory(self, k: int, n: Sequence[str]) -> str:
        return self._memory(k, n)

    def statements(self) -> list[Statement]:
        """The statements of a pass."""
        if self.parts:
            self.part_done()
        return [*self.locals, *self.parts, *self.lines]


def holds_loop(steps: Iterable[Step]) -> bool:
    """True where a loop is among the steps, or among those of the sides of a branch."""
    stack = list(steps)
    while stack:
        step = stack.pop()
        if isinstance(step, Loop):
            return True
        if isinstance(step, Branch):
            stack += [s for side in step.sides for s in side.plan.steps]
    return False


def _read_by(check: Check) -> str:
    return mentions(check.test, *check.stop.values)


def address(name: str, count: int = 1) -> str:
    """The pointer to local numbers."""
    return f"&{name}" if count == 1 else f"(void *)&{name}"
