"""Loops that stop at the same step share one index, as loops of equal numbers of steps do.

Two loops do if they may make equally many steps and the condition that ends the one is, at every step, that of the other.
Conditions may read states. So all candidates are taken for one loop, and told apart as long as their conditions, with all
states that then begin and go on alike as one, are not the same value: the coarsest such partition.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from eqsat.graph.core import Apply, Variable
from eqsat.graph.loops import LoopTable, Recurrence
from eqsat.graph.numbering import Numbering
from eqsat.graph.walk import toposort

Groups = dict[int, Hashable]  # by the number of a loop


def with_one_index(outputs: Sequence[Any], table: LoopTable) -> list[Any]:
    """The outputs with one index for loops that stop at the same step; the table is changed with them."""
    groups = candidates(table)
    while len(set(groups.values())) < len(groups):
        same = first_of(groups)
        new = Reindexed(outputs, table, same)
        conditions = new.conditions(groups)
        finer: Groups = {k: (groups[k], conditions[k]) for k in groups}
        if len(set(finer.values())) == len(set(groups.values())):
            new.settle()
            return new.outputs
        groups = finer
    return list(outputs)


def candidates(table: LoopTable) -> Groups:
    """The loops that a condition may end, by their depth and the most steps that they may make."""
    numbering = Numbering()
    return {k.number: (numbering.of(k.n_steps), k.depth) for k in table.loops if k.condition is not None}


def first_of(groups: Groups) -> dict[int, int]:
    """For each loop but the first of a group the number of the first."""
    first: dict[Hashable, int] = {}
    found = {number: first.setdefault(group, number) for number, group in groups.items()}
    return {a: b for a, b in found.items() if a != b}


class Reindexed:
    """A graph with other indices for some loops; the table is changed by ``settle`` alone."""

    def __init__(self, outputs: Sequence[Any], table: LoopTable, same: Mapping[int, int]) -> None:
        self.table, self.same = table, same
        self.new: dict[Variable, Any] = {}
        for node in toposort([*outputs, *table.hidden_roots()]):
            self.copy(node)
        self.outputs = [self.now(v) for v in outputs]

    def now(self, v: Any) -> Any:
        """A variable as it is in the new graph."""
        return self.new.get(v, v)

    def copy(self, node: Apply) -> None:
        """Apply the op of a node to the new operands, with the new index; what does not change is shared."""
        op: Any = node.op
        loop = getattr(op, "params", {}).get("loop")
        if loop is not None and loop in self.same:
            op = op.declaration.bind(**{**op.params, "loop": self.same[loop]})
        inputs = [self.now(v) for v in node.inputs]
        if op is node.op and all(a is b for a, b in zip(inputs, node.inputs, strict=True)):
            return
        for old, out in zip(node.outputs, op.make_node(*inputs).outputs, strict=True):
            out.name = old.name
            out.comes_from(old)
            self.new[old] = out

    def number(self, loop: int) -> int:
        """The number of a loop in the new graph."""
        return self.same.get(loop, loop)

    def conditions(self, groups: Groups) -> dict[int, int]:
        """The condition of each loop as a number; states that begin and go on alike are one."""
        found = self.table.recurrences
        start = Numbering(ordered=False).all([self.now(r.state).owner.inputs[0] for r in found])
        parts: list[Hashable] = [
            (self.number(r.loop.number), s, r.state.type) for r, s in zip(found, start, strict=True)
        ]
        while True:
            states = [self.now(r.state) for r in found]
            numbering = Numbering(dict(zip(states, parts, strict=True)), ordered=False)
            steps = numbering.all([self.now(r.step) for r in found])
            finer: list[Hashable] = list(zip(parts, steps, strict=True))
            if len(set(finer)) == len(set(parts)):
                ends = {k.number: self.now(k.condition) for k in self.table.loops if k.number in groups}
                return dict(zip(ends, numbering.all(list(ends.values())), strict=True))
            numbers: dict[Hashable, int] = {}
            parts = [numbers.setdefault(key, len(numbers)) for key in finer]

    def settle(self) -> None:
        """Let the table speak of the new graph."""
        table = self.table
        for r in table.recurrences:
            self.move(r)
        for loop in table.loops:
            loop.n_steps = self.now(loop.n_steps)
            loop.condition = None if loop.number in self.same else self.now(loop.condition)
        table.equal = [(self.now(a), self.now(b)) for a, b in table.equal]

    def move(self, r: Recurrence) -> None:
        """Let a state belong to the loop whose index it has now."""
        r.state, r.step = self.now(r.state), self.now(r.step)
        r.loop = self.table.loops[self.number(r.loop.number)]
