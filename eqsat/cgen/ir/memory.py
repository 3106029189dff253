"""Assignment of temporaries to buffers of the workspace, from the first step that writes one to the last that reads it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from math import prod
from typing import Any

from eqsat.cgen.ir.arrays import Storage
from eqsat.graph.core import Variable
from eqsat.graph.plan import Call, Step, reads, writes


def is_view(step: Step | None) -> bool:
    """True for a step that only gives another look at its first operand."""
    return isinstance(step, Call) and kind_of(step) == "view"


def kind_of(step: Call) -> str:
    """``view``, ``block``, or ``python`` for an op without a builder."""
    declaration = getattr(step.apply.op, "declaration", None)
    if (
        declaration is None
        or declaration.kind not in ("view", "block")
        or not (declaration.c or declaration.builder)
    ):
        return "python"
    return str(declaration.kind)


class Life:
    """Last step at which the memory behind each variable is read; views share the memory of their operand."""

    def __init__(self, steps: Sequence[Step], outputs: Iterable[Variable]) -> None:
        self._root: dict[Variable, Variable] = {}
        self._last: dict[Variable, int] = {}
        for number, step in enumerate(steps):
            for variable in reads(step):
                self._last[self.root(variable)] = number
            if is_view(step):
                self._root[writes(step)[0]] = self.root(reads(step)[0])
        for variable in outputs:
            self._last[self.root(variable)] = len(steps)

    def root(self, variable: Variable) -> Variable:
        """The variable whose memory this one looks at."""
        return self._root.get(variable, variable)

    def last(self, variable: Variable) -> int:
        """Number of the last step that reads the memory of a variable; -1 where none does."""
        return self._last.get(self.root(variable), -1)


class Slots:
    """Buffers of the workspace: one that is free and had the same size is taken first, then the latest freed."""

    def __init__(self) -> None:
        self.count = 0
        self._free: list[Storage] = []
        self._told: list[Storage] = []  # freed since ``freed`` told it

    def take(self, size: str) -> Storage:
        """A buffer for ``size`` elements, as a text that can be compared."""
        for place in range(len(self._free) - 1, -1, -1):
            if self._free[place].size == size:
                return self._taken_again(place, size)
        if self._free:
            return self._taken_again(-1, size)
        self.count += 1
        return Storage("slot", self.count - 1, size)

    def _taken_again(self, place: int, size: str) -> Storage:
        index = self._free.pop(place).index
        self._told = [s for s in self._told if s.index != index]
        return Storage("slot", index, size)

    def give(self, storage: Storage) -> None:
        """Mark a buffer as free."""
        self._free.append(storage)
        self._told.append(storage)

    def freed(self, taken: int) -> tuple[int, ...]:
        """Numbers of the buffers that hold nothing any more, of those that were given back since the last question.

        The one that is taken now is among them. Inside a loop none is: its passes take the same ones again.
        """
        told, self._told = self._told, []
        return (*(s.index for s in told), taken)

    def state(self) -> list[list[Storage]]:
        """A mark to which ``back_to`` returns."""
        return [list(self._free), list(self._told)]

    def back_to(self, state: list[list[Storage]]) -> None:
        """Go back to an earlier state; buffers that are new since stay unused."""
        self._free, self._told = map(list, state)


def direct_outputs(
    steps: Sequence[Step],
    outputs: Sequence[Variable],
    life: Life,
    allowed: Container[int] | None = None,
) -> dict[Variable, tuple[int, tuple[int, ...]]]:
    """Variables that can be computed in the memory of an output: its number, and per axis of it the variable's axis.

    An output that only drops or adds axes of length 1 is computed in place through such views; -1 stands for
    an axis that is added. So is what a block overwrites on its way to the output. Other outputs than those
    ``allowed`` are copied.
    """
    place = {id(step): number for number, step in enumerate(steps)}
    producer: dict[Variable, Step] = {v: step for step in steps for v in writes(step)}
    found: dict[Variable, tuple[int, tuple[int, ...]]] = {}
    for number, output in enumerate(outputs):
        if allowed is not None and number not in allowed:
            continue
        variable: Any = output
        axes = tuple(range(variable.type.ndim))
        while is_view(producer.get(variable)):
            apply = producer[variable].apply  # type: ignore[union-attr]
            mapped = _through(apply, axes)
            if mapped is None:
                break
            axes, variable = mapped, apply.inputs[0]
        step = producer.get(variable)
        while step is not None and not is_view(step) and variable not in found:
            found[variable] = (number, axes)
            variable = overwritten(step, life)
            step = producer.get(variable) if life.last(variable) == place.get(id(step), -2) else None
    return found


def joined_in_place(
    steps: Sequence[Step], outputs: Sequence[Variable], life: Life
) -> dict[Variable, tuple[Any, int]]:
    """Variables that are computed in the memory of what they are joined to: that variable, and how many elements further.

    All lengths are known, the first axis is that along which they are joined, and nothing else reads them afterwards.
    """
    producer = {v: step for step in steps for v in writes(step)}
    found: dict[Variable, tuple[Any, int]] = {}
    for place, step in enumerate(steps):
        if not joins_rows(step):
            continue
        apply: Any = step.apply  # type: ignore[union-attr]
        first = 0
        for v in apply.inputs:
            made = producer.get(v)
            alone = life.last(v) == place and apply.inputs.count(v) == 1 and v not in outputs
            if made is not None and not is_view(made) and alone and v not in found:
                found[v] = apply.outputs[0], first
            first += prod(v.type.shape)
    return found


def joins_rows(step: Step) -> bool:
    """True for operands of known lengths that are joined along their first axis."""
    if not isinstance(step, Call) or kind_of(step) != "block":
        return False
    op: Any = step.apply.op
    kinds: list[Any] = [v.type for v in (*step.apply.inputs, *step.apply.outputs)]
    if op.declaration.indexing != "join" or op.params.get("axis") != 0:
        return False
    return all(None not in k.shape and k.dtype == kinds[-1].dtype for k in kinds)


def overwritten(step: Step, life: Life) -> Any:
    """The operand that a block may overwrite with its only result, where no other operand lies in its memory."""
    if not isinstance(step, Call) or kind_of(step) != "block" or len(step.apply.outputs) > 1:
        return None
    apply: Any = step.apply
    k = apply.op.declaration.in_place
    if k is None or apply.inputs[k].type != apply.outputs[0].type:
        return None
    others = [life.root(v) for i, v in enumerate(apply.inputs) if i != k]
    return None if life.root(apply.inputs[k]) in others else apply.inputs[k]


def _through(apply: Any, axes: tuple[int, ...]) -> tuple[int, ...] | None:
    """Axes of the operand of a view that keeps the order of elements, else None."""
    if apply.op.name != "dimshuffle":
        return axes if apply.op.declaration.unmoved else None
    pattern, shape = apply.op.params["pattern"], apply.inputs[0].type.shape
    order = [p for p in pattern if p != "x" and shape[p] != 1]
    if order != sorted(order):
        return None
    return tuple(pattern[a] if a >= 0 and pattern[a] != "x" else -1 for a in axes)
