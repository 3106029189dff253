"""Steps over blocks of rows: a body that is run for each block, on one thread or several, with memory of its own."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from eqsat.cgen.ir.arrays import SIZE, Array, Storage
from eqsat.cgen.ir.expressions import (
    ZERO,
    Expression,
    Function,
    Int,
    Name,
    Pointer,
    both,
    eq,
    least,
    length,
    mentions,
    plain_text,
    select,
)
from eqsat.cgen.ir.memory import Slots
from eqsat.cgen.ir.nest import Fold, Nest, Operand, Read
from eqsat.cgen.ir.statements import Define, Point, RowBlocks, Statement
from eqsat.cgen.lower.loop import Before
from eqsat.cgen.lower.loop_body import Body
from eqsat.cgen.lower.segment import Segment, value_of
from eqsat.cgen.lower.space import check_equal
from eqsat.graph.core import Variable
from eqsat.graph.operand_names import operand_name, written
from eqsat.graph.plan import BLOCK_BYTES, BLOCK_MOST, BLOCK_SIDE, BLOCK_TIMES, Compute, Kernel, Load, Rows

WRITTEN = 4  # times the bytes of a row that leave a block: stores wait for memory, and the next rows are read meanwhile
MOST = BLOCK_MOST // 4  # bytes that a block adds to results over the rows, above which all rows are one block
ENOUGH = 1 << 62
FAR = 1 << 24  # bytes of rows that come from memory
LINES = 1024  # bytes of a row that is worth fetching
WIDE = 1 << 22  # bytes of a row from which all rows are one block

EmitSteps = Callable[[Segment, int], None]


class Unsplit(Exception):
    """Steps that cannot run over blocks of rows: the size of what they need is only known inside."""


def emit_rows(w: Segment, rows: Rows, emit_steps: EmitSteps, emit: Callable[[Segment, Any], None]) -> None:
    """Statements of steps over blocks of rows, or of one after the other where that cannot be.

    ``emit_steps`` writes those of a segment's steps, ``emit`` those of one of them.
    """
    w.heavy = True
    before, profile = Before(w), w.unit.profile
    w.unit.profile = False
    try:
        _Writer(w, rows).write(emit_steps)
    except Unsplit:
        before.restore()
        for step in rows.members:
            w.steps[w.now] = step
            emit(w, step)
        w.steps[w.now] = rows
        w.keep([v for v, _, _ in rows.results])
    finally:
        w.unit.profile = profile


class RowBody(Body):
    """Writes the statements for one block, whose temporaries lie in memory of its thread."""

    alone = True

    def __init__(self, around: Segment, rows: Rows, memory: Callable[[int, Sequence[str]], str]) -> None:
        super().__init__(around, rows, range(len(rows.results)), memory)  # type: ignore[arg-type]
        self.slots = Slots()
        self.flat = False
        self.some = self.new_number()
        self.far = around.new_number()  # rows of a block where the next one comes from memory, else none
        # per slot the number of elements, and the size of the largest
        self.buffers: dict[int, tuple[Expression, int]] = {}
        self.near: list[tuple[str, int]] = []  # pointers, and the slots that they lead to
        self.count = ""
        self.axis = {v: how for _, v, how in rows.results if isinstance(how, int) and how}
        self.steps_between: dict[str, str] = {}  # elements between two rows, by the pointer of what is read
        self.read: dict[str, int] = {}  # nests that read one, by its pointer

    def nest(self, nest: Nest) -> None:
        """Statements of a nest, of which the rows of the next block are fetched by those who read the present ones again.

        Whoever reads rows first waits for memory; others compute with what is near.
        """
        operands = tuple(replace(o, ahead=self._ahead(o)) for o in nest.operands)
        super().nest(replace(nest, operands=operands))

    def _ahead(self, operand: Operand) -> str:
        pointer = operand.pointer
        if operand.written or pointer not in self.steps_between:
            return ""
        self.read[pointer] = self.read.get(pointer, 0) + 1
        second = self.read[pointer] == 2
        return self.lengths.product([self.far, self.steps_between[pointer]]) if second else ""

    def allocate(self, variable: Any, n: tuple[str, ...]) -> Array:
        """Memory for a variable; some rows of a result that lie along another axis than the first are apart in it."""
        array = super().allocate(variable, n)
        if variable in self.axis:
            steps = self.lengths.strides(with_rows(n, self.axis[variable], self.count))
            array = Array(array.pointer, array.dtype, n, steps, array.mask, array.storage)
            self.env[variable] = array
        return array

    def buffer(self, storage: Storage, size: str | Expression, dtype: str) -> str:
        """A pointer to memory of the thread, whose place is known when all steps are written."""
        elements = value_of(size) if isinstance(size, str) else size
        self.known_around(elements)
        known, wide = self.buffers.get(storage.index, (elements, 0))
        if known != elements:
            return self.buffer(self._apart(storage), size, dtype)
        self.buffers[storage.index] = elements, max(wide, SIZE[dtype])
        pointer = self.new_pointer()
        self.near.append((pointer, storage.index))
        return pointer

    def known_around(self, elements: Expression) -> None:
        """Write the steps one after the other where a block alone computes a length of which memory is taken."""
        if self.table.depth(mentions(elements).replace(self.some, "")) >= self.depth:
            raise Unsplit

    def _apart(self, storage: Storage) -> Storage:
        """Another slot for memory of another size."""
        storage.index = self.slots.count
        self.slots.count += 1
        return storage


def with_rows(n: Sequence[str], axis: int, count: str) -> tuple[str, ...]:
    """Lengths with another number of rows."""
    return (*n[:axis], count, *n[axis + 1 :])


class _Writer:
    """Writes one group of steps."""

    def __init__(self, w: Segment, rows: Rows) -> None:
        self.w, self.rows = w, rows
        self.body = RowBody(w, rows, self._memory)
        self.some = self.body.some
        self.first, self.now = self.body.new_number(), self.body.new_number()
        self.places: dict[int, tuple[str, tuple[str, ...]]] = {}
        self.scratch: list[Storage] = []

    def _memory(self, k: int, n: Sequence[str]) -> str:
        """The pointer to the place of a result, of which a block has these lengths."""
        self.body.known_around(value_of(self.body.lengths.product(n)))
        pointer = self.body.new_pointer()
        self.places[k] = pointer, tuple(self.body.lengths.find(t) for t in n)
        return pointer

    def write(self, emit_steps: EmitSteps) -> None:
        """The statements before the blocks, the blocks, and what joins reductions over them."""
        w, body = self.w, self.body
        self.count = body.count = self._enter()
        emit_steps(body, len(body.steps))
        self._finish_outputs()
        lines, body.lines = body.lines, []
        many = w.number_of("rows", self._many())
        w.emit(Define(body.far, self._far(many)))
        tasks = w.number_of("blocks", Function("blocks", (length(self.count), length(many)), "int64"))
        head: list[Statement] = [
            Define(self.first, Name(self.now) * length(many)),
            Define(self.some, least(length(many), length(self.count) - Name(self.first))),
        ]
        head += self.moving
        head += self._scratch(many, tasks)
        joins = [self._result(k, tasks, head) for k in range(len(self.rows.results))]
        w.emit(self._blocks(tasks, many, head, [*body.locals, *lines]))
        for storage in self.scratch:
            w.slots.give(storage)
        for join in joins:
            join()

    # ------------------------------------------------------------------------------------------------- operands

    def _enter(self) -> str:
        """Say where the body finds its operands; gives the number of rows."""
        w, body = self.w, self.body
        count = ""
        self.moving: list[Statement] = []
        for outer, inner, axis in self.rows.rowed:
            array = w.array(outer)
            n = w.lengths.find(array.n[axis])
            if not count:
                count = n
            elif n != count:
                self._same_rows(outer, inner, axis, count, n)
                count = w.lengths.find(count)
            self._enter_rows(array, inner, axis)
        for outer, inner in self.rows.fixed:
            array = w.array(outer)
            body.env[inner] = Array(array.pointer, array.dtype, array.n, array.s, array.mask, Storage("row"))
        return count

    def _enter_rows(self, array: Array, inner: Any, axis: int) -> None:
        body = self.body
        pointer = body.new_pointer()
        step = self.w.lengths.product([array.s[axis], str(SIZE[array.dtype])])
        self.moving.append(Point(pointer, Pointer(array.pointer) + Name(self.first) * length(step)))
        n = tuple(self.some if a == axis else t for a, t in enumerate(array.n))
        body.steps_between[pointer] = array.s[axis]
        body.env[inner] = Array(pointer, array.dtype, n, array.s, inner.type.broadcastable, Storage("row"))

    def _same_rows(self, outer: Any, inner: Any, axis: int, a: str, b: str) -> None:
        """A check that two operands have as many rows; afterwards their lengths are known to be equal."""
        both = self.rows.rowed[0][0], outer
        op, results = self._reader(inner)
        named = [(operand_name(v, k), v) for k, v in enumerate(both)]
        check_equal(self.w, op, axis, a, b, lambda: [*named, *map(written, results)], (0, 1))

    def _reader(self, inner: Any) -> tuple[str, list[Variable]]:
        """Name of the op in which a variable of the inner plan meets the first one, or that reads it, and what it gives."""
        for wanted in ({self.rows.rowed[0][1], inner}, {inner}):
            for member, step in zip(self.rows.members, self.rows.plan.steps, strict=True):
                if isinstance(step, Kernel):
                    for e, seen in _computed(step):
                        if wanted <= seen:
                            return e.op.name, [] if e.variable is None else [e.variable]
                elif wanted <= {*step.apply.inputs}:  # type: ignore[union-attr]
                    op = step.apply.op  # type: ignore[union-attr]
                    return str(getattr(op, "name", op)), member.apply.outputs[:1]  # type: ignore[union-attr]
        return "rows", []

    # --------------------------------------------------------------------------------------------------- memory

    def _finish_outputs(self) -> None:
        from eqsat.cgen.lower.steps import copy_outputs

        copy_outputs(self.body)

    def _many(self) -> Expression:
        """The number of rows of a block: as many as are near, all of them where one is very long."""
        w = self.w
        sizes = [self._row_bytes(x, wide) for x, wide in self.body.buffers.values()]
        once = {w.array(outer).pointer: (w.array(outer), axis) for outer, _, axis in self.rows.rowed}
        for array, axis in once.values():
            others = [t for a, t in enumerate(array.n) if a != axis]
            sizes.append(w.lengths.product([*others, str(SIZE[array.dtype])]))
        written = []
        for k, (_, n) in self.places.items():
            outer_type: Any = self.rows.results[k][0].type
            how = self.rows.results[k][2]
            if isinstance(how, int):
                written.append(w.lengths.product([*with_rows(n, how, "1"), str(SIZE[outer_type.dtype])]))
        sizes += written
        self.row = w.number_of("row", functools.reduce(operator.add, map(length, sizes), ZERO))
        row, count = length(self.row), length(self.count)
        if self.rows.across:
            return Function("columns_near", (row, count, Int(BLOCK_MOST), self._least()), "int64")
        stored = functools.reduce(operator.add, map(length, written), ZERO) * WRITTEN
        wide = select(row < stored, stored, row) if written else row
        return Function("rows_near", (wide, count, self._near(), Int(WIDE)), "int64")

    def _far(self, many: str) -> Expression:
        """The rows of a block where all blocks are more than caches hold, and rows are no shorter than some lines of these."""
        row = length(self.row)
        return select(both(row * length(self.count) >= FAR, row >= LINES), length(many), 0)

    def _least(self) -> Expression:
        """The least number of rows of a block: what lies side by side fills what memory is read by."""
        sides = [(self.w.array(v).n[a + 1 :], a) for v, _, a in self.rows.rowed]
        side = length(self.w.lengths.product(max(sides, key=lambda s: s[1])[0]))
        return select(side < BLOCK_SIDE, BLOCK_SIDE, 1)

    def _near(self) -> Expression:
        """Bytes of a block: more where each block has memory whatever its rows are, which is written and read for each."""
        w = self.w
        buffers = [x * wide for x, wide in self.body.buffers.values() if self.some not in mentions(x)]
        parts: list[Expression] = []
        for k, (_, n) in self.places.items():
            outer: Any = self.rows.results[k][0].type
            if not isinstance(self.rows.results[k][2], int) and n[1:]:
                parts.append(length(w.lengths.product([*n, str(SIZE[outer.dtype])])))
        if not buffers and not parts:
            return Int(BLOCK_BYTES)
        wanted = w.define("near", functools.reduce(operator.add, [*buffers, *parts], ZERO) * BLOCK_TIMES)
        near = least(select(wanted < BLOCK_BYTES, BLOCK_BYTES, wanted), Int(BLOCK_MOST))
        return select(functools.reduce(operator.add, parts, ZERO) > MOST, ENOUGH, near)

    def _row_bytes(self, elements: Expression, wide: int) -> str:
        """Bytes of a row of a buffer; the whole where it does not depend on the rows, nothing where that is not seen."""
        factors = (plain_text(elements) or "0").split("*")
        if self.some in factors:
            factors.remove(self.some)
        return self.w.lengths.product([*factors, str(wide)])

    def _scratch(self, many: str, tasks: str) -> list[Statement]:
        """The statements that find the temporaries of a thread in the memory of all of them."""
        body, w = self.body, self.w
        if not body.near:
            return []
        mine = body.new_pointer()
        w.emit(Define(self.some, length(many)))
        places: dict[int, Expression] = {}
        end: Expression = Int(0)
        for slot, (elements, wide) in body.buffers.items():
            places[slot] = end
            end = w.define("place", end + ((elements * wide + 63) // 64) * 64)
        storage = w.slots.take(f"{plain_text(end)}*lanes")
        alone = eq(length(tasks), 1)
        pointer = w.buffer(storage, select(alone, 1, Function("lanes", (), "int64")) * end, "int8")
        self.scratch = [storage]
        lane = select(alone, 0, Function("lane", (), "int64"))
        return [
            Point(mine, Pointer(pointer) + lane * end),
            *(Point(p, Pointer(mine) + places[slot]) for p, slot in body.near),
        ]

    def _result(self, k: int, tasks: str, head: list[Statement]) -> Callable[[], None]:
        """Memory for a result; gives what is done after the blocks."""
        w = self.w
        outer, _, reduction = self.rows.results[k]
        pointer, n = self.places[k]
        kind: Any = outer.type
        if isinstance(reduction, int):
            whole = with_rows(n, reduction, self.count)
            lengths = tuple(str(b) if a is None else str(a) for a, b in zip(kind.shape, whole, strict=True))
            row = w.lengths.product([*n[reduction + 1 :], str(SIZE[kind.dtype])])
            array = w.allocate(outer, tuple(w.lengths.find(t) for t in lengths))
            head.append(Point(pointer, Pointer(array.pointer) + Name(self.first) * length(row)))
            return lambda: None
        row = w.lengths.product([*n, str(SIZE[kind.dtype])])
        size = w.lengths.product([tasks, *n])
        storage = w.slots.take(size)
        base = w.buffer(storage, size, kind.dtype)
        head.append(Point(pointer, Pointer(base) + Name(self.now) * length(row)))

        def join() -> None:
            result = w.allocate(outer, n)
            parts = Array(base, kind.dtype, (tasks, *n), w.lengths.strides((tasks, *n)), (), storage)
            fold_rows(w, reduction, parts, result)
            w.slots.give(storage)

        return join

    def _blocks(self, tasks: str, many: str, head: list[Statement], lines: list[Statement]) -> Statement:
        rows, scratch = length(self.count), frozenset(p for p, _ in self.body.near)
        work = length(self.row) * rows
        of_rows = rows, length(many), self.some, scratch, self.rows.across
        blocks = RowBlocks(length(tasks), self.now, tuple(head), tuple(lines), work, *of_rows)
        return self.w.unit.rows(self.body, blocks)


def _computed(kernel: Kernel) -> Iterator[tuple[Compute, set[Any]]]:
    """The ops of a kernel, each with the variables of which it is made."""
    seen: list[set[Any]] = []
    for e in kernel.expressions:
        seen.append({e.variable} if isinstance(e, Load) else set())
        if isinstance(e, Compute):
            seen[-1].update(*(seen[a] for a in e.args))
            yield e, seen[-1]


def fold_rows(w: Segment, op: Any, parts: Array, result: Array) -> None:
    """Statements that reduce an array over its first axis, of which there may be none."""
    target = Operand(result.pointer, result.dtype, (), written=True)
    source = Operand(parts.pointer, parts.dtype, parts.s)
    reduced = (True, *(False,) * (len(parts.n) - 1))
    fold = Fold(0, op.declaration.reduction, result.dtype, 0, op)
    nest = Nest(parts.n, reduced, (target, source), (Read(1, parts.dtype),), (), (fold,))
    w.unit.nest(w, nest.simplified(w.lengths))
