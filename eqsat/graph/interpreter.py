"""Runs a graph op by op with the NumPy meaning of each: the reference, and the way without a compiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.run import destroyed, guarded, perform
from eqsat.graph.walk import toposort


class Interpreter:
    """A graph as a list of steps over numbered cells; values are dropped after their last use."""

    def __init__(self, inputs: Sequence[Variable], outputs: Sequence[Variable]) -> None:
        self.watch: Callable[[Apply, list[Any], list[Any]], None] | None = (
            None  # sees every step, may keep values
        )
        self.cell: dict[Variable, int] = {}
        self.first: list[Any] = []
        for v in inputs:
            self.number(v)
        self.count = len(self.first)
        self.nodes = toposort(outputs, stop=inputs)
        self.steps = [
            (node, [self.number(v) for v in node.inputs], [self.number(v) for v in node.outputs])
            for node in self.nodes
        ]
        self.results = [self.number(v) for v in outputs]
        self.dead = self.last_uses()
        self.overwritten = [destroyed(node) for node in self.nodes]

    def number(self, variable: Variable) -> int:
        """Cell of a variable; constants are in theirs from the start."""
        if variable not in self.cell:
            self.cell[variable] = len(self.first)
            self.first.append(variable.data if isinstance(variable, Constant) else None)
        return self.cell[variable]

    def last_uses(self) -> list[list[int]]:
        """For each step the cells that nothing reads afterwards."""
        kept = set(self.results) | set(range(self.count))
        kept.update(i for i, value in enumerate(self.first) if value is not None)
        dead: list[list[int]] = []
        for _, ins, outs in reversed(self.steps):
            free = {i for i in (*ins, *outs) if i not in kept}
            kept |= free
            dead.append(sorted(free))
        return dead[::-1]

    def __call__(self, *values: Any) -> list[Any]:
        """Values of the outputs; none of them shares memory with an input, a constant or another output."""
        cells = list(self.first)
        cells[: self.count] = values
        for (node, ins, outs), dead, lost in zip(self.steps, self.dead, self.overwritten, strict=True):
            storage: list[list[Any]] = [[None] for _ in outs]
            operands = [cells[i] for i in ins]
            if lost:
                free = [self.watch is None and i in dead and ins.count(i) == 1 for i in ins]
                operands = guarded(lost, operands, free, cells)
            perform(node, operands, storage)
            for i, box in zip(outs, storage, strict=True):
                cells[i] = box[0]
            if self.watch is not None:
                self.watch(node, operands, [box[0] for box in storage])
            for i in dead:
                cells[i] = None
        seen = {id(value) for value in (*values, *self.first)}
        return [self.fresh(cells, i, seen) for i in self.results]

    def fresh(self, cells: list[Any], i: int, seen: set[int]) -> Any:
        """The value of a cell, copied where somebody else could see it change."""
        value = cells[i]
        if not isinstance(value, np.ndarray):
            return value
        own = value.base is None and value.flags.c_contiguous and id(value) not in seen
        result = value if own else np.array(value, order="C")
        seen.add(id(result))
        return result
