"""A run of steps that a target computes without a return to Python: its variables, memory and statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.ir.arrays import SIZE, Array, Lengths, Storage, bare, is_plain
from eqsat.cgen.ir.expressions import (
    ZERO,
    Expression,
    Int,
    Name,
    Pointer,
    Text,
    expression,
    length,
    mentions,
    plain_text,
)
from eqsat.cgen.ir.memory import Life, Slots, direct_outputs, joined_in_place
from eqsat.cgen.ir.nest import Nest
from eqsat.cgen.ir.statements import Check, Define, Give, Point, Statement, Stop, Take
from eqsat.cgen.lower.printer import Printer
from eqsat.cgen.lower.table import Table
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.operand_names import met_in, name_of, written
from eqsat.graph.plan import Call, Loop, Step

PART = 64  # steps that a target is given at a time: compilers are slow on long functions


def value_of(text: str) -> Expression:
    return length(text) if is_plain(text) else Text(text)


class Segment:
    """Writes the statements of one segment; it is the writer that views see."""

    depth = 0  # loops around the statements
    joined: dict[Variable, tuple[Any, int]]  # what is computed in the memory of what it is joined to
    alone = False  # one thread runs them, while others run them too

    def __init__(
        self,
        unit: Printer,
        inputs: Sequence[Variable],
        outputs: Sequence[Variable],
        steps: Sequence[Step],
    ) -> None:
        self._begin(unit, outputs, steps)
        self.inputs = list(inputs)
        self.table = Table()
        self.slots = Slots()
        self.lengths = Lengths()
        self.direct = direct_outputs(steps, outputs, self.life)
        self.joined = joined_in_place(steps, outputs, self.life)
        self.heavy = len(steps) > PART
        for k, variable in enumerate(self.inputs):
            self._enter(variable, k)

    def _begin(self, unit: Printer, outputs: Sequence[Variable], steps: Sequence[Step]) -> None:
        self.unit = unit
        self.outputs = list(outputs)
        self.steps = list(steps)
        self.life = Life(steps, outputs)
        self._dying: dict[int, list[Storage]] = {}
        self._moved: set[Storage] = set()
        self.env: dict[Variable, Array] = {}
        self.checked: set[tuple[Variable, str, int]] = set()  # indices that are inside an axis of a length
        self.lines: list[Statement] = []
        self.parts: list[Any] = []
        self.now = 0
        self.joined = {}
        self.placed: dict[Variable, str] = {}  # pointers of those of them that were
        self.delayed: list[Statement] | None = (
            None  # calls of the steps that may write into inputs, once there are any
        )

    def _enter(self, variable: Any, k: int) -> None:
        kind = variable.type
        names = [self.new_number() for _ in kind.shape]
        n = tuple(
            name if known is None else str(known) for name, known in zip(names, kind.shape, strict=True)
        )
        self.env[variable] = Array(
            self.new_pointer(),
            kind.dtype,
            n,
            self.lengths.strides(n),
            kind.broadcastable,
            Storage("input", k),
        )

    # ------------------------------------------------------------------------------------ names and statements

    def new_number(self) -> str:
        """Name of a fresh integer that lives for the whole call."""
        return self.table.number(self.depth)

    def new_pointer(self) -> str:
        """Name of a fresh pointer that lives for the whole call."""
        return self.table.pointer(self.depth)

    def fresh(self, hint: str) -> str:
        self.table.names += 1
        return f"{hint}_{self.table.names}"

    def emit(self, statement: Statement) -> None:
        self.lines.append(statement)

    def nest(self, nest: Nest) -> None:
        """Append a nest."""
        self.unit.nest(self, nest)

    def settle(self, names: Sequence[str], statement: Statement, reads: str) -> None:
        """Emit a statement that does nothing but set some entries; ``reads`` names those on which they depend."""
        self.lines.append(statement)

    def check(
        self, test: Expression, error: str, message: str, *values: Expression | int, needs: str | None = None
    ) -> None:
        if test != ZERO:
            self.note_apply()
            self.check_code(test, self.unit.error(error, message, needs), *map(expression, values))

    def check_code(self, test: Expression, code: int, *values: Expression) -> None:
        """A statement that ends the call with an error of the present step where a test holds."""
        self.emit(Check(test, Stop(code, values, self.unit.step)))

    def point(self, address: Expression) -> str:
        """A pointer that is set to an address."""
        pointer = self.new_pointer()
        self.emit(Point(pointer, address))
        return pointer

    def define(self, hint: str, value: Expression | int) -> Expression:
        value = expression(value)
        if isinstance(value, (Int, Name)):
            return value
        name = self.new_number()
        self.settle([name], Define(name, value), mentions(value))
        return Name(name)

    def number_of(self, hint: str, value: Expression) -> str:
        """Name of a number with a value, or the number where it is known."""
        return plain_text(self.define(hint, value))

    @property
    def applied(self) -> Apply:
        step = self.steps[self.now]
        assert isinstance(step, Call)
        return step.apply

    def fail(self, error: str, message: str, *values: Expression, needs: str | None = None) -> Stop:
        """The end of the call with an error of the present step."""
        self.note_apply()
        return Stop(self.unit.error(error, message, needs), values, self.unit.step)

    def note_apply(self) -> None:
        """Remember the operands of the present step for its errors."""
        step = self.steps[self.now] if self.now < len(self.steps) else None
        if isinstance(step, (Call, Loop)):
            self.unit.note_operands(lambda: met_in(step.apply), of=step.apply)

    def note_kernel(self, op: Any, variables: Sequence[Variable], result: Variable) -> None:
        """Remember variables as the operands of the present step, which computes a result."""
        self.unit.note_operands(
            lambda: [*((name_of(op, k, v), v) for k, v in enumerate(variables)), written(result)]
        )

    def part_done(self) -> None:
        """Hand the statements so far to the target."""
        self.parts += self.unit.close(self, self.lines)
        self.lines = []

    # -------------------------------------------------------------------------------------------------- arrays

    def array(self, variable: Any) -> Array:
        """The array in which a variable lies."""
        found = self.env.get(variable)
        if found is None:
            assert isinstance(variable, Constant), f"{variable} is read before it is computed"
            kind: Any = variable.type
            n = tuple(str(k) for k in variable.data.shape)
            steps = self.lengths.strides(n)
            pointer = self.unit.constant(variable)
            found = Array(pointer, kind.dtype, n, steps, kind.broadcastable, Storage("constant"))
            self.env[variable] = found
        return found

    def settled(self, variable: Any, n: Sequence[str]) -> tuple[str, ...]:
        """Lengths of a variable as its type knows them, else as computed; each a plain text."""
        result = []
        for known, text in zip(variable.type.shape, n, strict=True):
            text = bare(text)
            if known is not None:
                result.append(str(known))
            else:
                single = is_plain(text) and "*" not in text
                result.append(self.lengths.find(text if single else self.number_of("n", value_of(text))))
        return tuple(result)

    def new_array(self, variable: Any, n: tuple[str, ...], storage: Storage, pointer: str) -> Array:
        """Note where a variable that is about to be computed lies; it is C-contiguous."""
        kind = variable.type
        array = Array(pointer, kind.dtype, n, self.lengths.strides(n), kind.broadcastable, storage)
        self.env[variable] = array
        return array

    def allocate(self, variable: Any, n: tuple[str, ...]) -> Array:
        """Memory for a variable: an output's own, a part of what it is joined to, or a buffer of the workspace."""
        if variable in self.joined:
            whole, first = self.joined[variable]
            pointer = self.placed[variable] = self.part_of(whole, first)
            return self.new_array(variable, n, Storage("part"), pointer)
        number = self.direct.get(variable)
        if number is not None:
            return self.new_array(variable, n, Storage("output", number[0]), self._output(number, n))
        size = self.lengths.product(n)
        storage = self.own(variable, self.slots.take(size))
        return self.new_array(variable, n, storage, self.buffer(storage, size, variable.type.dtype))

    def part_of(self, whole: Any, first: int) -> str:
        """The pointer to some element of a variable of known lengths, which has memory from here on."""
        array = self.env.get(whole) or self.allocate(whole, tuple(map(str, whole.type.shape)))
        return self.point(Pointer(array.pointer) + first * SIZE[array.dtype]) if first else array.pointer

    def is_placed(self, variable: Variable, join: Apply) -> bool:
        """True where a variable lies in the result of a join already."""
        placed = self.placed.get(variable)
        if placed is None or placed != self.array(variable).pointer:
            return False
        return self.joined[variable][0] is join.outputs[0]

    def buffer(self, storage: Storage, size: str | Expression, dtype: str) -> str:
        """Statements that make a buffer of the workspace large enough for so many elements; gives its pointer."""
        pointer = self.new_pointer()
        elements = value_of(size) if isinstance(size, str) else size
        freed = self.slots.freed(storage.index)
        take = Take(pointer, Int(storage.index), dtype, elements, self.unit.step, freed)
        self.settle([pointer], take, mentions(elements))
        return pointer

    def _output(self, number: tuple[int, tuple[int, ...]], n: tuple[str, ...]) -> str:
        k, axes = number
        return self.output_memory(k, [n[a] if a >= 0 else "1" for a in axes])

    def output_memory(self, k: int, n: Sequence[str]) -> str:
        """Statements that ask for the memory of output ``k``; gives its pointer."""
        pointer = self.new_pointer()
        self.emit(Give(pointer, k, tuple(n), self.unit.step))
        return pointer

    def free_dead(self) -> None:
        """Give back the buffers that no later step reads."""
        for storage in self._dying.pop(self.now, []):
            if storage not in self._moved:
                self.slots.give(storage)

    def own(self, variable: Variable, storage: Storage) -> Storage:
        """Note that a buffer belongs to a variable until the last step that reads it."""
        last = max(self.life.last(variable), self.now)
        self._dying.setdefault(last, []).append(storage)
        return storage

    def keep(self, variables: Sequence[Variable]) -> None:
        """Keep the memory of variables that was taken for others until they are read last; outputs among them are copied."""
        for variable in variables:
            storage = self.env[variable].storage
            own = self.direct.get(variable, (-1, ()))[0]
            if storage.kind != "output" or storage.index != own:
                self.direct.pop(variable, None)
            last = max(self.life.last(variable), self.now)
            for k, dying in list(self._dying.items()):
                if storage in dying and k < last:
                    dying.remove(storage)
                    self._dying.setdefault(last, []).append(storage)

    def dies_here(self, variable: Variable) -> bool:
        """True where a variable lies in a buffer that no later step reads."""
        storage = self.env[variable].storage if variable in self.env else None
        return (
            storage is not None
            and storage.kind == "slot"
            and storage not in self._moved
            and self.life.last(variable) == self.now
        )

    def ownership(self) -> Any:
        """A mark with which ``set_ownership`` forgets later owners of buffers."""
        return {k: list(v) for k, v in self._dying.items()}, set(self._moved)

    def set_ownership(self, dying: dict[int, list[Storage]], moved: set[Storage]) -> None:
        """Go back to an earlier ownership of buffers."""
        self._dying, self._moved = dying, moved

    def move(self, old: Array, variable: Variable) -> Storage:
        """The buffer of an array that dies here, for the variable that overwrites it."""
        self._moved.add(old.storage)
        return self.own(variable, Storage("slot", old.storage.index, old.storage.size))
