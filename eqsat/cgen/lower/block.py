"""Steps that are not loops of ours: views, and blocks whose statements the builder of the op writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from eqsat.cgen.builders.signature import emit_checks
from eqsat.cgen.ir.arrays import Array, Storage
from eqsat.cgen.ir.expressions import Expression, Int, Name, expression, plain_text
from eqsat.cgen.ir.nest import Nest, Operand, Read
from eqsat.cgen.ir.operand import Memory, operand_of
from eqsat.cgen.ir.statements import Answer, Block, Parameter, RunBlock, Statement, Stop
from eqsat.cgen.ir.writer import BodyWriter, Running
from eqsat.cgen.lower.operand_table import MANY, OperandTable
from eqsat.cgen.lower.segment import Segment
from eqsat.cgen.lower.views import viewed
from eqsat.graph.core import Apply
from eqsat.graph.operand_names import met_in


def emit_view(w: Segment, apply: Apply) -> None:
    """Statements of a view; a copy first where the op needs contiguous memory."""
    op: Any = apply.op
    out: Any = apply.outputs[0]
    ins = [w.array(v) for v in apply.inputs]
    if op.declaration.contiguous:
        ins[0] = contiguous(w, ins[0], out)
    w.heavy = w.heavy or not getattr(w.unit.builder_of(op.declaration), "light", True)
    w.env[out] = viewed(w, op, ins, out.type)


def contiguous(w: Segment, array: Array, owner: Any) -> Array:
    """The array itself where it is known to be C-contiguous, else a copy that lives as long as ``owner``."""
    if w.lengths.contiguous(array):
        return array
    size = w.lengths.product(array.n)
    storage = w.own(owner, w.slots.take(size))
    pointer = w.buffer(storage, size, array.dtype)
    copy_to(w, array, pointer)
    return Array(pointer, array.dtype, array.n, w.lengths.strides(array.n), array.mask, storage)


def copy_to(w: Segment, array: Array, pointer: str) -> None:
    """Statements that copy an array to contiguous memory."""
    target = Operand(pointer, array.dtype, w.lengths.strides(array.n), written=True)
    source = Operand(array.pointer, array.dtype, array.s)
    kept = (False,) * len(array.n)
    nest = Nest(array.n, kept, (target, source), (Read(1, array.dtype),), ((0, 0),))
    w.unit.nest(w, nest.simplified(w.lengths))


class BlockWriter(BodyWriter):
    """Writes a block over parameters of its own, so that equal blocks are one."""

    def __init__(self, w: Segment, apply: Apply) -> None:
        self.w, self.apply, self.by_places = w, apply, w.unit.by_places
        self.lines: list[Statement] = []
        self.names = 0
        self.parameters: list[Parameter] = []
        self.pointers: list[str] = []
        self.numbers: list[str] = []
        self.known: dict[Expression, Expression] = {}
        self.table: OperandTable | None = None

    def fresh(self, hint: str) -> str:
        self.names += 1
        return f"{hint}_{self.names}"

    @property
    def applied(self) -> Apply:
        return self.apply

    def fail(self, error: str, message: str, *values: Expression | int, needs: str | None = None) -> Stop:
        self.w.unit.note_operands(lambda: met_in(self.apply), self.apply, self.apply)
        return Stop(self.w.unit.error(error, message, needs), tuple(map(expression, values)))

    def each(self, operands: Sequence[Memory]) -> Iterator[tuple[Expression, Memory]]:
        if self.table is None:
            yield from ((Int(k), x) for k, x in enumerate(operands))
            return
        with self.loop(self.fresh("k"), len(operands)) as k:
            yield k, self.table.any_of(self, operands, k)

    def running(self, hint: str) -> Running:
        return Running(self, hint, self.table is not None)

    def operands(self, arrays: Sequence[Array]) -> list[Memory]:
        """Parameters for what the block reads; many are looked up in a table."""
        if len(arrays) <= MANY:
            return [self.add(x, f"x{k}") for k, x in enumerate(arrays)]
        self.table = OperandTable([seen(a) for a in arrays])
        self.pointers += [a.pointer for a in arrays]
        self.numbers += map(plain_text, self.table.numbers())
        return self.table.operands

    def add(self, array: Array, name: str, written: bool = False) -> Memory:
        """A parameter for an array; numbers that are known stay as they are."""
        address = self.pointer(array.pointer, name, array.dtype, written)
        shown = seen(array)
        n = tuple(self.number(x, f"{name}n{k}") for k, x in enumerate(shown.n))
        s = tuple(self.number(x, f"{name}s{k}") for k, x in enumerate(shown.s))
        return Memory(address, array.dtype, n, s, array.mask)

    def pointer(self, address: str, name: str, dtype: str, written: bool = False) -> Name:
        """A parameter for an address."""
        self.parameters.append(Parameter(name, len(self.pointers), dtype, written))
        self.pointers.append(address)
        return Name(name, dtype)

    def number(self, value: Expression, name: str) -> Expression:
        """A number of the segment in the block: a parameter where it is not known."""
        if isinstance(value, Int):
            return value
        self.parameters.append(Parameter(name, len(self.numbers)))
        self.numbers.append(plain_text(value))
        self.known[Name(name)] = value
        return Name(name)

    def run(self, names: Sequence[str] | None = None) -> RunBlock:
        """The block with the statements so far, run; ``names`` take its answers."""
        block = Block(tuple(self.parameters), tuple(self.lines), -1 if names is None else len(names))
        return RunBlock(
            block, tuple(self.pointers), tuple(self.numbers), tuple(names or ()), self.w.unit.step
        )


def emit_block(w: Segment, apply: Apply) -> None:
    """Statements of a block: its lengths, memory for its results, and what its builder writes."""
    if any(w.is_placed(v, apply) for v in apply.inputs):
        emit_rest(w, apply)
        return
    op: Any = apply.op
    ins = [w.array(v) for v in apply.inputs]
    w.heavy = w.heavy or not getattr(w.unit.builder_of(op.declaration), "light", False)
    n = _lengths(w, apply, ins)
    taken = _in_place(w, apply, ins, n[0])
    arrays = [taken] if taken else [w.allocate(v, k) for v, k in zip(apply.outputs, n, strict=True)]
    writer = BlockWriter(w, apply)
    operands = writer.operands(ins)
    targets = [writer.add(a, f"out{k}" if k else "out", True) for k, a in enumerate(arrays)]
    storage, room = _scratch(w, apply, ins, arrays[0], writer)
    w.unit.own_step(apply)
    emit_checks(writer, op, operands)
    w.unit.builder_of(op.declaration)(
        writer, op, operands, targets[0] if op.declaration.outputs == 1 else targets, *room
    )
    call, _, rooms = w.unit.block(w, writer.run())
    if w.delayed is None:
        w.emit(call)
        for buffer in rooms:
            w.slots.give(buffer)
    else:
        w.delayed.append(call)  # with its memory
    if storage is not None and w.delayed is None:
        w.slots.give(storage)


def emit_rest(w: Segment, apply: Apply) -> None:
    """Statements that join rows, of which some were computed where they belong."""
    out: Any = apply.outputs[0]
    first = 0
    for v in apply.inputs:
        kind: Any = v.type
        array = w.array(v)
        if not w.is_placed(v, apply):
            copy_to(w, array, w.part_of(out, first))
        first += prod(kind.shape)


def seen(array: Array) -> Memory:
    """An array as the statements of a block see it: axes of length 1 have no stride."""
    shown = operand_of(array)
    strides = tuple(Int(0) if m else s for s, m in zip(shown.s, array.mask, strict=True))
    return Memory(shown.address, shown.dtype, shown.n, strides, array.mask)


def _scratch(
    w: Segment, apply: Apply, ins: Sequence[Array], out: Array, writer: BlockWriter
) -> tuple[Storage | None, list[Memory]]:
    """Working memory that a block asks for, which its statements know as ``room``."""
    wanted = w.unit.room_of(apply.op.declaration)  # type: ignore[attr-defined]
    if wanted is None:
        return None, []
    size = wanted(apply.op, [seen(a) for a in ins], seen(out))
    storage = w.slots.take(plain_text(size) or repr(size))
    address = writer.pointer(w.buffer(storage, size, out.dtype), "room", out.dtype, True)
    return storage, [Memory(address, out.dtype, (), ())]


def _lengths(w: Segment, apply: Apply, ins: Sequence[Array]) -> list[tuple[str, ...]]:
    """Lengths of each result of a block; computed by a block of their own where they are not an operand's."""
    op: Any = apply.op
    writer = BlockWriter(w, apply)
    found = w.unit.lengths_of(op.declaration)(writer, op, writer.operands(ins))
    lists: list[list[Expression]] = [found] if op.declaration.outputs == 1 else found
    values = [x for n in lists for x in n]
    if not writer.lines and all(isinstance(x, Int) or x in writer.known for x in values):
        return [
            w.settled(v, [plain_text(writer.known.get(x, x)) for x in n])
            for v, n in zip(apply.outputs, lists, strict=True)
        ]
    names = [w.new_number() for _ in values]
    for k, value in enumerate(values):
        writer.emit(Answer(k, value))
    run = writer.run(names)
    call, depends, rooms = w.unit.block(w, run)
    w.settle(names, call, " ".join([*run.pointers, *run.numbers, depends]))
    for storage in rooms:
        w.slots.give(storage)
    rest = iter(names)
    return [w.settled(v, [next(rest) for _ in n]) for v, n in zip(apply.outputs, lists, strict=True)]


def _in_place(w: Segment, apply: Apply, ins: Sequence[Array], n: tuple[str, ...]) -> Array | None:
    """The operand that a block may overwrite, where nobody else reads its memory."""
    op: Any = apply.op
    out: Any = apply.outputs[0]
    k = op.declaration.in_place
    if k is None:
        return None
    old = ins[k]
    if out in w.direct and apply.inputs[k] in w.direct and w.direct[out][0] == w.direct[apply.inputs[k]][0]:
        return w.new_array(out, n, old.storage, old.pointer)
    if out in w.direct or not w.dies_here(apply.inputs[k]):
        return None
    shared = sum(x.storage is old.storage for x in ins)
    same = tuple(map(w.lengths.find, old.n)) == tuple(map(w.lengths.find, n))
    if shared > 1 or not same or not w.lengths.contiguous(old) or old.dtype != out.type.dtype:
        return None
    if old.mask != out.type.broadcastable:
        return None
    return w.new_array(out, n, w.move(old, out), old.pointer)
