"""A loop whose steps compute element by element: all steps of one lane after the other, so that its states stay near.

Steps of such a loop are one nest with the steps inside, over blocks of lanes that threads share out. Loops in which an element
needs another one, or of so few elements that they are numbers of their own, are written step by step (``loop.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from eqsat.cgen.ir.arrays import Array, Storage
from eqsat.cgen.ir.expressions import Expression, Int, Pointer, both, length
from eqsat.cgen.ir.lanes import Carried, Carry, Lanes, LaneValue, Row
from eqsat.cgen.ir.nest import Choice, Computed, Nest, Read, tests_of
from eqsat.cgen.ir.statements import Check, Statement
from eqsat.cgen.lower.block import contiguous
from eqsat.cgen.lower.loop_body import FEW, Body
from eqsat.cgen.lower.loop_pass import Pass, row_bytes
from eqsat.cgen.lower.segment import PART, Segment
from eqsat.graph.plan import Loop, State, is_elementwise

LEAST = 4  # lanes that are worth a loop
LONG = 10.0  # flops of a function that is worth a vector


class NotLanes(Exception):
    """An element needs another one, or is not found at one distance from the one before."""


def may_be_lanes(loop: Loop) -> bool:
    """True where the steps of a loop are few, and elementwise as far as the plan tells."""
    return 0 < len(loop.plan.steps) < PART and is_elementwise(loop)


class LaneBody(Body):
    """The body of such a loop, of which only the nests are kept; what it computes has no memory."""

    def __init__(self, around: Segment, loop: Loop) -> None:
        super().__init__(around, loop, (), lambda k, n: "")
        self.flat = False
        self.direct = {}
        self.nests: list[Nest] = []

    def emit(self, statement: Statement) -> None:
        begin = len(self.lines)
        super().emit(statement)
        if not isinstance(statement, Check) or len(self.lines) > begin:
            raise NotLanes

    def point(self, address: Expression) -> str:
        raise NotLanes

    def nest(self, nest: Nest) -> None:
        self.nests.append(nest)

    def allocate(self, variable: Any, n: tuple[str, ...]) -> Array:
        return self.new_array(variable, n, Storage("lane"), self.fresh("@t"))


class LaneWriter:
    """Writes one loop as lanes."""

    def __init__(self, w: Segment, loop: Loop, count: Callable[[Pass], str]) -> None:
        self.w, self.loop = w, loop
        self.p = p = Pass(w, loop, [])
        p.count = count(p)
        p.body = self.body = LaneBody(w, loop)
        self.operands: list[Row] = []
        self.values: list[LaneValue] = []
        self.carried: list[Carry] = []
        self.last: list[tuple[int, int]] = []
        self.stores: list[tuple[int, int]] = []
        self.steps_of: dict[
            str, tuple[str, str]
        ] = {}  # pointer and distance of steps, by the name in the body
        self.number: dict[str, int] = {}  # of the value that a name in the body stands for
        self.lanes = ""

    def write(self, emit_steps: Callable[[Any, int], None]) -> None:
        """The checks before the loop, memory, and the loop."""
        w, p = self.w, self.p
        self._sequences()
        for outer, inner in self.loop.fixed:
            array = w.array(outer)
            p.enter(inner, array.n, array.s, array.pointer)
        starts = [self._enter(state) for state in self.loop.states]
        begin = len(w.lines)
        emit_steps(self.body, len(self.body.steps))
        if not p.known_steps():
            w.lines[begin:] = [self._asked(line) for line in w.lines[begin:]]
        for nest in self.body.nests:
            self._nest(nest)
        self._refuse_few()
        rest = iter(self.body.outputs)
        for state, start in zip(self.loop.states, starts, strict=True):
            self._leave(state, start, next(rest))
        flops = sum(nest.flops for nest in self.body.nests)
        w.unit.lanes(
            w,
            Lanes(
                p.steps,
                self.lanes,
                tuple(self.operands),
                tuple(self.values),
                tuple(self.carried),
                tuple(self.stores),
                tuple(self.last),
                flops,
            ),
        )

    def _asked(self, line: Statement) -> Statement:
        """A check of the lengths of a step, which only counts where there is one."""
        return replace(line, test=both(self.p.steps > 0, line.test)) if isinstance(line, Check) else line

    def _refuse_few(self) -> None:
        """Few numbers and short operations are faster as numbers of their own."""
        n = int(self.lanes) if self.lanes.isdigit() else FEW + 1
        if not self.lanes or n < LEAST or (n <= FEW and not any(map(_is_long, self.values))):
            raise NotLanes

    # ------------------------------------------------------------------------------------------ what steps read

    def _sequences(self) -> None:
        for k, (outer, inner) in enumerate(self.loop.sequences):
            array = self.w.array(outer)
            self.p.enough(array.n[0], self.p.steps, f"sequence {k}")
            name = self.body.fresh("@x")
            self.steps_of[name] = array.pointer, array.s[0]
            self.p.enter(inner, array.n[1:], array.s[1:], name)

    def _enter(self, state: State) -> tuple[tuple[str, ...] | None, list[int]]:
        """The lengths of a row of a state, where they are known before the loop, and the numbers of its carried values."""
        w, p = self.w, self.p
        kind: Any = state.writes[0][1].type
        if state.initial is None:
            return None, []
        given = w.array(state.initial)
        stacked = state.stacked and state.kind == "stack"
        if stacked:
            p.enough(given.n[0], Int(state.first), "the initial value of a state")
        initial = contiguous(w, given, state.result)
        n = initial.n[1:] if stacked else initial.n
        variable: Any = state.reads[0][1] if state.reads else state.writes[0][1]
        row = tuple(t if k is None else str(k) for k, t in zip(variable.type.shape, n, strict=True))
        first = state.first if state.kind == "stack" else 1
        taps = max((-tap for tap, _ in state.reads), default=0) if state.kind == "stack" else 1
        size = row_bytes(w, row, kind.dtype)
        numbers = []
        for tap in range(1, taps + 1):
            start = Pointer(initial.pointer) + (Int(first - tap) * length(size) if stacked else 0)
            pointer = initial.pointer if isinstance(start, Pointer) else w.point(start)
            numbers.append(len(self.carried))
            self.carried.append(Carry(self._operand(Row(pointer, kind.dtype, "1", "0")), -1, kind.dtype))
        for tap, read in state.reads:
            name = self.body.fresh("@c")
            back = -tap if state.kind == "stack" else 1
            self.number[name] = self._value(Carried(numbers[back - 1], kind.dtype))
            p.enter(read, row, None, name)
        return row, numbers

    # ---------------------------------------------------------------------------------------- what steps compute

    def _operand(self, row: Row) -> int:
        if row not in self.operands:
            self.operands.append(row)
        return self.operands.index(row)

    def _value(self, value: LaneValue) -> int:
        self.values.append(value)
        return len(self.values) - 1

    def _nest(self, nest: Nest) -> None:
        if len(nest.lengths) > 1 or (nest.lengths and self.lanes not in ("", nest.lengths[0])):
            raise NotLanes
        if nest.starts or nest.picks or any(map(tests_of, nest.values)):
            raise NotLanes
        self.lanes = nest.lengths[0] if nest.lengths else self.lanes
        number: list[int] = []
        for value in nest.values:
            if isinstance(value, Read):
                operand = nest.operands[value.operand]
                number.append(self._read(operand.pointer, operand.dtype, "".join(operand.strides) or "0"))
            elif isinstance(value, Computed):
                args = tuple(number[a] if a >= 0 else -1 for a in value.args)
                number.append(self._value(replace(value, args=args)))
            else:
                assert not isinstance(value, Choice)
                number.append(self._value(value))
        for root, place in nest.stores:
            self.number[nest.operands[place].pointer] = number[root]

    def _read(self, name: str, dtype: str, lane: str) -> int:
        """The number of a value that a nest reads under a name of the body."""
        if name in self.number:
            if lane == "0" and not self._is_single(self.number[name]):
                raise NotLanes
            return self.number[name]
        if lane not in ("0", "1"):
            raise NotLanes
        pointer, step = self.steps_of.get(name, (name, "0"))
        return self._value(Read(self._operand(Row(pointer, dtype, lane, step)), dtype))

    def _is_single(self, number: int) -> bool:
        """True for a value that is the same in all lanes."""
        value = self.values[number]
        if isinstance(value, Read):
            return self.operands[value.operand].lane == "0"
        if isinstance(value, Computed):
            return all(self._is_single(a) for a in value.args if a >= 0)
        return not isinstance(value, Carried)

    # -------------------------------------------------------------------------------------------- what is left

    def _leave(self, state: State, start: tuple[tuple[str, ...] | None, list[int]], variable: Any) -> None:
        """Note the values that a step carries on, and those that the loop leaves of a state."""
        w, p, body = self.w, self.p, self.body
        array = body.array(variable)
        row, numbers = start
        known = variable.type.shape
        new = tuple(t if k is None else str(k) for k, t in zip(known, array.n, strict=True))
        if row is None:
            row = new
        p.same_shape("a state" if state.reads else "an output", row, array.n)
        if body.lengths.product(row) != self.lanes or not body.lengths.contiguous(array):
            raise NotLanes
        value = self._read(array.pointer, array.dtype, "1")
        for k, number in enumerate(numbers):
            after = value if k == 0 else self._value(Carried(numbers[k - 1], array.dtype))
            self.carried[number] = replace(self.carried[number], after=after)
        if state.kind == "stack" and w.life.last(state.result) >= 0 and state.late is None:
            n = w.settled(state.result, (p.count, *row))
            made = w.allocate(state.result, n)
            self.stores.append((value, self._new(made.pointer, array.dtype, w.lengths.product(row))))
        elif state.kind == "last" or w.life.last(state.result) >= 0:
            self._keep_last(state, row, numbers, value, array.dtype)

    def _new(self, pointer: str, dtype: str, step: str) -> int:
        return self._operand(Row(pointer, dtype, "1", step, written=True))

    def _keep_last(
        self, state: State, row: Sequence[str], numbers: Sequence[int], value: int, dtype: str
    ) -> None:
        """The last value of a state; of a stack of which only the last row is read, that row."""
        w = self.w
        result: Any = state.result
        if state.kind == "last":
            made = w.allocate(result, w.settled(result, row))
            self.last.append((numbers[0], self._new(made.pointer, dtype, "0")))
            return
        if not numbers:
            raise NotLanes
        w.direct.pop(result, None)
        size = w.lengths.product(row)
        storage = w.own(result, w.slots.take(size))
        kept = w.buffer(storage, size, dtype)
        back = length(self.p.count) - 1
        stack = w.point(Pointer(kept) - back * length(row_bytes(w, row, dtype)))
        n = w.settled(result, (self.p.count, *row))
        w.env[result] = Array(stack, dtype, n, w.lengths.strides(n), result.type.broadcastable, storage)
        self.last.append((numbers[0], self._new(kept, dtype, "0")))


def _is_long(value: LaneValue) -> bool:
    op = value.op if isinstance(value, Computed) else None
    return op is not None and float(getattr(op.declaration.cost, "flops", 0.0)) > LONG
