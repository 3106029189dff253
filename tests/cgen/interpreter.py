"""A second target, which runs the loop program in NumPy: no statement needs to be read as C."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eqsat.cgen.ir import expressions as e
from eqsat.cgen.ir import nest as n
from eqsat.cgen.ir import statements as s
from eqsat.cgen.ir.arrays import SIZE
from eqsat.cgen.ir.lanes import Lanes
from eqsat.cgen.ir.operand import Element
from eqsat.cgen.lower.printer import Printer
from eqsat.cgen.lower.segment import Segment
from eqsat.cgen.lower.steps import segment_of
from eqsat.graph.declare import OPS
from eqsat.graph.plan import Plan


class Stopped(Exception):
    """A call that ends with an error: its number and values."""


@dataclass(frozen=True)
class Place:
    """An address: memory, and a number of bytes."""

    memory: np.ndarray
    bytes: int = 0

    def __add__(self, more: int) -> Place:
        return Place(self.memory, self.bytes + int(more))

    def __sub__(self, less: int) -> Place:
        return self + -less

    def read(self, dtype: str) -> Any:
        """The number at the address; integers of 64 bits as Python has them."""
        value = self.memory[self.bytes : self.bytes + SIZE[dtype]].view(dtype)[0]
        return int(value) if dtype == "int64" else value

    def write(self, dtype: str, value: Any) -> None:
        """Write a number to the address."""
        self.memory[self.bytes : self.bytes + SIZE[dtype]].view(dtype)[0] = value

    def strided(self, dtype: str, lengths: Sequence[int], strides: Sequence[int]) -> np.ndarray:
        """The elements of a space."""
        if math.prod(lengths) == 0:
            return np.empty(lengths, dtype)
        steps = [SIZE[dtype] * k for k in strides]
        return np.ndarray(lengths, dtype, self.memory.data, self.bytes, steps)  # type: ignore[arg-type]


def memory_of(array: np.ndarray) -> Place:
    """A copy of an array as bytes."""
    return Place(np.frombuffer(bytearray(np.ascontiguousarray(array).tobytes() or b"\0"), np.uint8))


class Recorder(Printer):
    """Keeps statements as they are."""

    def __init__(self) -> None:
        super().__init__()
        self.constants: dict[str, np.ndarray] = {}

    def constant(self, variable: Any) -> str:
        name = f"constant{len(self.constants)}"
        self.constants[name] = np.asarray(variable.data, variable.type.dtype)
        return name


def run(plan: Plan, values: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The outputs of a plan."""
    w = segment_of(plan, Recorder())
    call = Call(w)
    for k, value in enumerate(values):
        call.enter(k, value)
    with np.errstate(all="ignore"):
        call.run(w.parts)
    kinds: list[Any] = [v.type for v in plan.outputs]
    return [
        place.strided(t.dtype, lengths, np.cumprod([1, *lengths[:0:-1]])[::-1][len(lengths) == 0 :]).copy()
        for t, (place, lengths) in zip(kinds, (call.outputs[k] for k in range(len(kinds))), strict=True)
    ]


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "%": lambda a, b: int(math.fmod(a, b)),
    "/": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) if isinstance(a, int) else a / b,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "least": min,
    "exp": np.exp,
    "log": np.log,
    "logaddexp": np.logaddexp,
    "ceil": np.ceil,
    "finite": np.isfinite,
    "dry": lambda: 0,
    "lane": lambda: 0,
    "lanes": lambda: 1,
    "rows_near": lambda row, rows, near, wide: 2,
    "columns_near": lambda row, rows, near, least: 3,
    "blocks": lambda rows, many: max(1, -(-rows // many)),
}


class Call:
    """One call: numbers and pointers by name, buffers by slot, outputs by number."""

    def __init__(self, w: Segment) -> None:
        self.w = w
        self.names: dict[str, Any] = {}
        self.dtypes: dict[str, str] = {}
        unit: Any = w.unit
        self.pointers: dict[str, Place] = {name: memory_of(a) for name, a in unit.constants.items()}
        self.slots: dict[int, np.ndarray] = {}
        self.outputs: dict[int, tuple[Place, list[int]]] = {}
        self.block: s.RunBlock | None = None

    def enter(self, k: int, value: np.ndarray) -> None:
        """Give an input."""
        array = self.w.env[self.w.inputs[k]]
        self.pointers[array.pointer] = memory_of(value)
        for name, length in zip(array.n, value.shape, strict=True):
            if not name.isdigit():
                self.names[name] = length

    def run(self, statements: Sequence[Any]) -> None:
        """Run statements in order."""
        for statement in statements:
            getattr(self, f"run_{type(statement).__name__.lower()}")(statement)

    def length(self, text: str) -> int:
        """A length or stride as arrays have it."""
        return int(self.value(e.length(text)))

    # ------------------------------------------------------------------------------------------------ expressions

    def value(self, x: e.Expression) -> Any:
        """The value of an expression."""
        return getattr(self, f"value_{type(x).__name__.lower()}")(x)

    def value_int(self, x: e.Int) -> int:
        return x.value

    def value_number(self, x: e.Number) -> Any:
        return int(x.value) if x.of == "int64" else np.dtype(x.of).type(x.value)

    def value_name(self, x: e.Name) -> Any:
        return self.names[x.name] if x.name in self.names else self.pointers[f"&{x.name}"].read(x.of)

    def value_pointer(self, x: e.Pointer) -> Place:
        return self.pointers[x.name]

    def value_shifted(self, x: e.Shifted) -> Place:
        found: Place = self.value(x.base) + self.value(x.offset) * SIZE[x.of]
        return found

    def value_unary(self, x: e.Unary) -> Any:
        value = self.value(x.x)
        return not value if x.op == "!" else -value

    def value_binary(self, x: e.Binary) -> Any:
        a = self.value(x.x)
        if x.op in ("&&", "||"):
            return bool(self.value(x.y)) if bool(a) == (x.op == "&&") else bool(a)
        return BINARY[x.op](a, self.value(x.y))

    def value_select(self, x: e.Select) -> Any:
        return self.value(x.x if self.value(x.test) else x.y)

    def value_cast(self, x: e.Cast) -> Any:
        value = np.asarray(self.value(x.x)).astype(x.of)[()]
        return int(value) if x.of == "int64" else value

    def value_function(self, x: e.Function) -> Any:
        if x.name not in FUNCTIONS:
            raise NotImplementedError(x.name)
        return FUNCTIONS[x.name](*map(self.value, x.args))

    def value_argument(self, x: e.Argument) -> Any:
        assert self.block is not None
        k = int(self.value(x.place))
        return self.pointers[self.block.pointers[k]] if x.to else self.length(self.block.numbers[k])

    def value_read(self, x: e.Read) -> Any:
        return self.value(x.address).read(x.of)

    def value_turn(self, x: e.Turn) -> Any:
        return self.value(x.items[self.value(x.number) % len(x.items)])

    def value_elsewhere(self, x: e.Elsewhere) -> bool:
        a, b = self.value(x.x), self.value(x.y)
        return a.memory is not b.memory or a.bytes != b.bytes

    def value_element(self, x: Element) -> Any:
        return self.place(x).read(x.dtype)

    def place(self, x: Element) -> Place:
        """The address of an element."""
        more = sum(self.value(i) * self.value(k) for i, k in zip(x.index, x.memory.s, strict=False))
        found: Place = self.value(x.memory.address) + more * SIZE[x.dtype]
        return found

    # ------------------------------------------------------------------------------------------- around a block

    def run_define(self, x: s.Define) -> None:
        self.names[x.name] = int(self.value(x.value))

    def run_point(self, x: s.Point) -> None:
        self.pointers[x.name] = self.value(x.address)

    def run_take(self, x: s.Take) -> None:
        slot, size = self.value(x.slot), SIZE[x.dtype] * self.value(x.elements)
        for freed in x.freed:  # whoever still reads one reads nonsense
            self.slots.pop(freed, np.empty(0, np.uint8))[:] = 0xA5
        if slot not in self.slots or len(self.slots[slot]) < size:
            self.slots[slot] = np.full(max(size, 1), 0xA5, np.uint8)
        self.pointers[x.pointer] = Place(self.slots[slot])

    def run_give(self, x: s.Give) -> None:
        lengths = [self.length(t) for t in x.lengths]
        kind: Any = self.w.outputs[x.output].type
        self.pointers[x.pointer] = Place(
            np.full(max(math.prod(lengths) * SIZE[kind.dtype], 1), 0xA5, np.uint8)
        )
        self.outputs[x.output] = self.pointers[x.pointer], lengths

    def run_check(self, x: s.Check) -> None:
        if self.value(x.test):
            self.run_stop(x.stop)

    def run_stop(self, x: s.Stop) -> None:
        raise Stopped(x.code, *map(self.value, x.values))

    def run_nest(self, x: n.Nest) -> None:
        lengths = [self.length(t) for t in x.lengths]
        values: list[Any] = []
        for value in x.values:
            if isinstance(value, n.Read) and (value.inside or value.at):
                values.append(self.guarded(x, value, lengths, values))
            elif isinstance(value, n.Read):
                values.append(self.elements(x.operands[value.operand], lengths, x.starts).copy())
            elif isinstance(value, n.Choice):
                held = [self.holds(x, tests, lengths) for tests, _ in value.cases]
                held[-1] = np.ones(lengths, bool)
                choices = [np.broadcast_to(values[k], lengths) for _, k in value.cases]
                values.append(np.select(held, choices).astype(value.dtype))
            elif isinstance(value, n.Computed):
                args = [values[a] if a >= 0 else np.zeros(lengths, value.of) for a in value.args]
                values.append(np.asarray(value.op.compute(*args)).astype(value.dtype))
            else:
                values.append(np.asarray(value.value, value.dtype))
        for root, operand in x.stores:
            self.elements(x.operands[operand], lengths, x.starts)[...] = values[root]
        kept = [k for k, reduced in enumerate(x.reduced) if not reduced]
        for fold in x.folds:
            whole = np.broadcast_to(values[fold.root], lengths).astype(fold.dtype)
            rows = whole.transpose([*kept, *(k for k in range(len(lengths)) if k not in kept)])
            over = math.prod(lengths[k] for k in range(len(lengths)) if k not in kept)
            flat = rows.reshape(math.prod(lengths[k] for k in kept), over)
            self.fold(fold, x.operands[fold.operand], flat)

    def run_lanes(self, x: Lanes) -> None:
        lanes, steps = self.length(x.lanes), int(self.value(x.steps))

        def row(k: int, step: int) -> np.ndarray:
            r = x.operands[k]
            place = self.pointers[r.pointer] + step * self.length(r.step) * SIZE[r.dtype]
            return place.strided(r.dtype, [lanes], [self.length(r.lane)])

        carried = [row(c.first, 0).copy() for c in x.carried]
        for step in range(steps):
            values: list[Any] = []
            for v in x.values:
                if isinstance(v, n.Read):
                    values.append(row(v.operand, step).copy())
                elif isinstance(v, n.Computed):
                    args = [values[a] if a >= 0 else np.zeros(lanes, v.of) for a in v.args]
                    values.append(np.asarray(v.op.compute(*args)).astype(v.dtype))
                elif isinstance(v, n.Number):
                    values.append(np.full(lanes, v.value, v.dtype))
                else:
                    values.append(carried[v.number])
            for root, operand in x.stores:
                row(operand, step)[...] = values[root]
            carried = [values[c.after] for c in x.carried]
        for number, operand in x.last:
            row(operand, 0)[...] = carried[number]

    def elements(self, operand: n.Operand, lengths: Sequence[int], starts: Sequence[str] = ()) -> np.ndarray:
        """The memory of an operand over a space."""
        strides = [self.length(t) for t in operand.strides]
        first = sum(self.length(s) * k for s, k in zip(starts, strides, strict=False))
        place = self.pointers[operand.pointer] + first * SIZE[operand.dtype]
        return place.strided(operand.dtype, lengths, strides)

    def holds(self, x: n.Nest, tests: Sequence[n.Between], lengths: Sequence[int]) -> np.ndarray:
        """The indices of a space at which all tests hold."""
        held = np.ones(lengths, bool)
        for test in tests:
            first = self.length(x.starts[test.axis]) if x.starts else 0
            at = np.indices(lengths)[test.axis] + first
            held &= (at >= self.length(test.low)) & (at < self.length(test.high))
        return held

    def guarded(self, x: n.Nest, value: n.Read, lengths: Sequence[int], values: Sequence[Any]) -> np.ndarray:
        """The elements of an operand where they are there, else 0; no others are read."""
        found = np.zeros(lengths, value.dtype)
        operand = x.operands[value.operand]
        starts = [self.length(t) for t in x.starts] or [0] * len(lengths)
        strides = [self.length(t) for t in operand.strides]
        for index in np.argwhere(self.holds(x, value.inside, lengths)):
            shift = sum((i + s) * k for i, s, k in zip(index.tolist(), starts, strides, strict=True))
            for at in value.at:
                h = int(np.broadcast_to(values[at.value], lengths)[tuple(index)])
                shift += (h + self.length(at.length) * (h < 0)) * self.length(at.stride)
            place = self.pointers[operand.pointer] + shift * SIZE[operand.dtype]
            assert 0 <= place.bytes < len(place.memory), "an element is read that is not there"
            found[tuple(index)] = place.read(operand.dtype)
        return found

    def fold(self, fold: n.Fold, target: n.Operand, rows: np.ndarray) -> None:
        """Write a reduction of each row."""
        combine = OPS[fold.op.declaration.reduces].bind().compute
        place = self.pointers[target.pointer]
        wide = fold.reduction.accumulator.get(fold.dtype, fold.dtype)
        for k, row in enumerate(rows.astype({"float": "float32", "double": "float64"}.get(wide, wide))):
            start = [] if len(row) else [np.asarray(fold.reduction.identity(fold.dtype), fold.dtype)]
            value = functools.reduce(combine, [*start, *row])
            (place + k * SIZE[fold.dtype]).write(fold.dtype, value)

    def run_runblock(self, x: s.RunBlock) -> None:
        outer = self.names, self.pointers, self.block, self.dtypes
        given = {p.name: outer[1][x.pointers[p.place]] for p in x.block.parameters if p.dtype}
        numbers = {p.name: self.length(x.numbers[p.place]) for p in x.block.parameters if not p.dtype}
        self.names, self.block, self.dtypes = {**self.names, **given, **numbers}, x, {}
        self.answers: dict[int, int] = {}
        self.run(x.block.body)
        self.names, self.pointers, self.block, self.dtypes = outer
        self.names.update((name, self.answers[k]) for k, name in enumerate(x.names))

    # -------------------------------------------------------------------------------------------- loops over steps

    def run_steps(self, x: s.Steps) -> None:
        self.run(x.before)
        count = self.value(x.count)
        for now in range(max(count, 1) if x.trial else count):
            self.names[x.now] = now
            self.run([*x.head, *x.body, *x.tail])
            if count:
                self.move(x.moves)
            self.names[x.now] = now + 1
            if x.stop and self.names[x.stop]:
                break
        if not count:
            self.names[x.now] = 0
        self.run(x.after)

    def run_rowblocks(self, x: s.RowBlocks) -> None:
        for now in range(self.value(x.count)):
            self.names[x.now] = now
            self.run([*x.head, *x.body])

    def move(self, moves: Sequence[s.Move]) -> None:
        """Move values, all at once."""
        found = [
            self.pointers[m.source] if not m.dtype else self.value(e.Name(m.source, m.dtype)) for m in moves
        ]
        for m, value in zip(moves, found, strict=True):
            if not m.dtype:
                self.pointers[m.to] = value
            elif f"&{m.to}" in self.pointers:
                self.pointers[f"&{m.to}"].write(m.dtype, value)
            else:
                self.names[m.to] = value

    def run_local(self, x: s.Local) -> None:
        place = Place(np.zeros(x.count * SIZE[x.dtype], np.uint8))
        self.pointers[f"&{x.name}"] = self.pointers[f"(void *)&{x.name}"] = place
        if x.value is not None:
            place.write(x.dtype, self.value(x.value))

    def run_write(self, x: s.Write) -> None:
        self.value(x.address).write(x.dtype, self.value(x.value))

    # ---------------------------------------------------------------------------------------------- inside a block

    def run_let(self, x: s.Let) -> None:
        self.dtypes[x.name] = x.dtype
        value = self.value(x.value)
        self.names[x.name] = value if isinstance(value, Place) else self.of(x.dtype, value)

    def run_assign(self, x: s.Assign) -> None:
        self.names[x.name] = self.of(self.dtypes[x.name], self.value(x.value))

    def of(self, dtype: str, value: Any) -> Any:
        """A value as a variable of a dtype holds it."""
        return int(value) if dtype == "int64" else np.asarray(value).astype(dtype)[()]

    def run_store(self, x: s.Store) -> None:
        self.place(x.element).write(x.element.dtype, self.of(x.element.dtype, self.value(x.value)))

    def run_for(self, x: s.For) -> None:
        for k in range(self.value(x.start), self.value(x.stop), self.value(x.step)):
            self.names[x.counter] = k
            self.run(x.body)

    def run_parallel(self, x: s.Parallel) -> None:
        places = [*np.ndindex(*map(self.value, x.lengths))]
        for place in reversed(places):  # no place needs another one
            self.names.update((f"i{k}", int(i)) for k, i in enumerate(place))
            self.run(x.body)

    def run_if(self, x: s.If) -> None:
        self.run(x.body if self.value(x.test) else x.otherwise)

    def run_copy(self, x: s.Copy) -> None:
        to, source, size = self.place(x.to), self.place(x.source), self.value(x.count) * SIZE[x.to.dtype]
        to.memory[to.bytes : to.bytes + size] = source.memory[source.bytes : source.bytes + size]

    def run_clear(self, x: s.Clear) -> None:
        to = self.value(x.memory.address)
        to.memory[to.bytes : to.bytes + self.value(x.count) * SIZE[x.memory.dtype]] = 0

    def run_rooms(self, x: s.Rooms) -> None:
        for name, dtype, count in x.rooms:
            self.names[name] = Place(np.zeros(self.value(count) * SIZE[dtype], np.uint8))
        self.run(x.body)

    def run_row(self, x: s.Row) -> None:
        self.names[x.name] = Place(np.zeros(x.count * SIZE[x.dtype], np.uint8))

    def run_answer(self, x: s.Answer) -> None:
        self.answers[x.place] = int(self.value(x.value))

    def run_rehearse(self, x: s.Rehearse) -> None:
        pass

    def run_call(self, x: s.Call) -> None:
        if x.function not in LIBRARY:
            raise NotImplementedError(x.function)
        LIBRARY[x.function](x.dtype, *map(self.value, x.args))


def _dot(
    dtype: str, m: int, k: int, r: int, x: Place, xs: int, xt: int, y: Place, ys: int, yt: int, out: Place
) -> None:
    product = x.strided(dtype, (m, r), (xs, xt)) @ y.strided(dtype, (r, k), (ys, yt))
    out.strided(dtype, (m, k), (k, 1))[...] = product


def _sort(dtype: str, row: Place, room: Place, count: int) -> None:
    row.strided(dtype, (count,), (1,)).sort()


def _argsort(dtype: str, row: Place, place: Place, room: Place, count: int) -> None:
    found = np.argsort(row.strided(dtype, (count,), (1,)), kind="stable")
    place.strided("int64", (count,), (1,))[...] = found


LIBRARY: dict[str, Callable[..., None]] = {"dot": _dot, "sort": _sort, "argsort": _argsort}
