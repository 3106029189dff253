"""Steps that are not loops of ours: views, and blocks whose C text the op itself writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from eqsat.cgen.c.argument_table import LONG, MANY, OperandTable, tabled
from eqsat.cgen.c.blocks import builder_of, fact, lengths_of, room_of
from eqsat.cgen.c.nest_call import emit_nest
from eqsat.cgen.c.operand import CTYPE, COperand, Running, operand_of
from eqsat.cgen.c.segment import Segment
from eqsat.cgen.c.signature import emit_checks
from eqsat.cgen.c.statements import printed
from eqsat.cgen.c.views import viewed
from eqsat.cgen.ir.arrays import Array, Storage, bare
from eqsat.cgen.ir.nest import Nest, Operand, Read
from eqsat.cgen.ir.statements import Parallel, Statement
from eqsat.graph.core import Apply
from eqsat.graph.operand_names import named


def emit_view(w: Segment, apply: Apply) -> None:
    """Statements of a view; a copy first where the op needs contiguous memory."""
    op: Any = apply.op
    out: Any = apply.outputs[0]
    ins = [w.array(v) for v in apply.inputs]
    if op.declaration.contiguous:
        ins[0] = contiguous(w, ins[0], out)
    w.heavy = w.heavy or not fact(op.declaration, "light", True)
    w.env[out] = viewed(w, op, ins, out.type)


def contiguous(w: Segment, array: Array, owner: Any) -> Array:
    """The array itself where it is known to be C-contiguous, else a copy that lives as long as ``owner``."""
    if w.lengths.contiguous(array):
        return array
    size = w.lengths.product(array.n)
    storage = w.own(owner, w.slots.take(size))
    pointer = w.buffer(storage, size, CTYPE[array.dtype])
    copy_to(w, array, pointer)
    return Array(pointer, array.dtype, array.n, w.lengths.strides(array.n), array.mask, storage)


def copy_to(w: Segment, array: Array, pointer: str) -> None:
    """Statements that copy an array to contiguous memory."""
    target = Operand(pointer, array.dtype, w.lengths.strides(array.n), written=True)
    source = Operand(array.pointer, array.dtype, array.s)
    kept = (False,) * len(array.n)
    nest = Nest(array.n, kept, (target, source), (Read(1, array.dtype),), ((0, 0),))
    emit_nest(w, nest.simplified(w.lengths))


class BlockWriter:
    """The CWriter of a block: a C function of its own, so that equal blocks share one."""

    def __init__(self, w: Segment, apply: Apply) -> None:
        self.w, self.apply = w, apply
        self.lines: list[Statement] = []
        self.names = 0
        self.ins: list[COperand] = []
        self.head: list[str] = []
        self.pointers: list[str] = []
        self.numbers: list[str] = []
        self.known: dict[str, str] = {}
        self.table: OperandTable | None = None
        self.rooms: list[Storage] = []
        self.depends = ""  # what a call by table reads

    def fresh(self, hint: str) -> str:
        self.names += 1
        return f"{hint}_{self.names}"

    def emit(self, statement: Statement) -> None:
        self.lines.append(statement)

    def parallel(self, lengths: Sequence[str], body: str) -> None:
        self.emit(Parallel(tuple(lengths), body))

    def define(self, hint: str, expression: str) -> str:
        name = self.fresh(hint)
        self.emit(f"const int64_t {name} = {expression};")
        return name

    @property
    def applied(self) -> Apply:
        return self.apply

    def fail(self, error: str, message: str, *values: str, needs: str | None = None) -> str:
        op: Any = self.apply.op
        self.w.unit.note_operands(lambda: named(op, self.apply.inputs), self.apply)
        four = ", ".join([*values, *["0"] * (4 - len(values))])
        return f"{{ return eq_fail(c, {self.w.unit.error(error, message, needs)}, {four}); }}"

    def check(self, test: str, error: str, message: str, *values: str, needs: str | None = None) -> None:
        self.emit(f"if ({test}) {self.fail(error, message, *values, needs=needs)}")

    def each(self, operands: Sequence[COperand]) -> Iterator[tuple[str, COperand]]:
        if self.table is None:
            yield from ((str(k), x) for k, x in enumerate(operands))
            return
        k = self.fresh("k")
        self.emit(f"for (int64_t {k} = 0; {k} < {len(operands)}; {k}++) {{")
        yield k, self.table.any_of(self, operands, k)
        self.emit("}")

    def running(self, hint: str) -> Running:
        return Running(self, hint, self.table is not None)

    def operands(self, arrays: Sequence[Array]) -> list[COperand]:
        """Parameters of the function for what it reads; many are looked up in a table."""
        if len(arrays) <= MANY:
            return [self.add(x, f"x{k}", "const ") for k, x in enumerate(arrays)]
        self.table = OperandTable([seen(a) for a in arrays])
        self.pointers += [a.pointer for a in arrays]
        self.numbers += self.table.numbers()
        return self.table.operands

    def add(self, array: Array, name: str, const: str) -> COperand:
        """A parameter of the function for an array; numbers that are known stay as they are."""
        ctype = CTYPE[array.dtype]
        self.head.append(f"{const}{ctype} *{name} = p[{len(self.pointers)}];")
        self.pointers.append(array.pointer)
        shown = seen(array)
        n = tuple(self.number(t, f"{name}n{k}") for k, t in enumerate(shown.n))
        s = tuple(self.number(t, f"{name}s{k}") for k, t in enumerate(shown.s))
        return COperand(name, array.dtype, n, s)

    def number(self, text: str, name: str) -> str:
        """C text of a number; a parameter of the function where it is not known."""
        if bare(text).isdigit():
            return text
        self.head.append(f"const int64_t {name} = v[{len(self.numbers)}];")
        self.numbers.append(text)
        self.known[name] = text
        return name

    def function(self, kind: str, extra: str = "") -> str:
        """Name of the function with the statements so far, which are forgotten."""
        lines = "".join(f"  {line}\n" for line in [*self.head, *printed(self.lines)])
        self.lines = []
        head = f"static __attribute__((noinline)) int64_t @NAME(eq_call *c, void *const *p, const int64_t *v{extra}) {{\n"
        return self.w.unit.function(kind, f"{head}{lines}  return 0;\n}}\n")

    def call(self, name: str, extra: str = "") -> str:
        """Statement that calls the function with the arrays' addresses, lengths and strides."""
        pointers = ", ".join(self.pointers) or "0"
        numbers = ", ".join(self.numbers) or "0"
        fill, lists = "", f"(void *[]){{{pointers}}}, (int64_t[]){{{numbers}}}"
        if len(self.pointers) + len(self.numbers) > LONG:
            fill, lists, self.depends, room = tabled(self.w, self.pointers, self.numbers)
            self.rooms.append(room)
        return f"{fill}if ({name}(c, {lists}{extra})) {{ c->step = {self.w.unit.step}; return 1; }}"

    def give_back(self) -> None:
        """Give back the memory in which calls find their arguments."""
        for room in self.rooms:
            self.w.slots.give(room)


def emit_block(w: Segment, apply: Apply) -> None:
    """Statements of a block: its lengths, memory for its results, and its own C text."""
    op: Any = apply.op
    ins = [w.array(v) for v in apply.inputs]
    w.heavy = w.heavy or not fact(op.declaration, "light")
    n = _lengths(w, apply, ins)
    taken = _in_place(w, apply, ins, n[0])
    arrays = [taken] if taken else [w.allocate(v, k) for v, k in zip(apply.outputs, n, strict=True)]
    writer = BlockWriter(w, apply)
    operands = writer.operands(ins)
    targets = [writer.add(a, f"out{k}" if k else "out", "") for k, a in enumerate(arrays)]
    room = _scratch(w, apply, ins, arrays[0], writer)
    w.unit.own_step(apply)
    emit_checks(writer, op, operands)
    build = builder_of(op.declaration)
    assert build is not None, op.name
    build(writer, op, operands, targets[0] if op.declaration.outputs == 1 else targets)
    call = writer.call(writer.function("b"))
    if w.delayed is None:
        w.emit(call)
        writer.give_back()
    else:
        w.delayed.append(call)
    if room is not None:
        w.slots.give(room)


def seen(array: Array) -> COperand:
    """An array as the C text of a block sees it: axes of length 1 have no stride."""
    shown = operand_of(array)
    strides = tuple("0" if m else t for t, m in zip(shown.s, array.mask, strict=True))
    return replace(shown, s=strides)


def _scratch(
    w: Segment, apply: Apply, ins: Sequence[Array], out: Array, writer: BlockWriter
) -> Storage | None:
    """Working memory that a block asks for, which its C text knows as ``room``."""
    wanted = room_of(apply.op.declaration)  # type: ignore[attr-defined]
    if wanted is None:
        return None
    size = wanted(apply.op, [seen(a) for a in ins], seen(out))
    storage = w.slots.take(size)
    ctype = CTYPE[out.dtype]
    writer.head.append(f"{ctype} *room = p[{len(writer.pointers)}];")
    writer.pointers.append(w.buffer(storage, f"({size})", ctype))
    return storage


def _lengths(w: Segment, apply: Apply, ins: Sequence[Array]) -> list[tuple[str, ...]]:
    """Lengths of each result of a block; computed by a function of their own where they are not an operand's."""
    op: Any = apply.op
    writer = BlockWriter(w, apply)
    operands = writer.operands(ins)
    found = lengths_of(op.declaration)(writer, op, operands)
    lists = [[bare(t) for t in n] for n in ([found] if op.declaration.outputs == 1 else found)]
    texts = [t for n in lists for t in n]
    if not writer.lines and all(t in writer.known or t.isdigit() for t in texts):
        return [
            w.settled(v, [writer.known.get(t, t) for t in n])
            for v, n in zip(apply.outputs, lists, strict=True)
        ]
    names = [w.new_number() for _ in texts]
    for k, text in enumerate(texts):
        writer.emit(f"out[{k}] = {text};")
    kind = "d"
    temporary = w.fresh("d")
    call = writer.call(writer.function(kind, ", int64_t *out"), f", {temporary}")
    copies = " ".join(f"{name} = {temporary}[{k}];" for k, name in enumerate(names))
    w.settle(names, f"{{ int64_t {temporary}[{max(len(names), 1)}]; {call} {copies} }}", writer.depends)
    writer.give_back()
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
