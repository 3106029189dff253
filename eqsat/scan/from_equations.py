"""From equations over time back to scans: what depends on the time of a loop becomes the body of a scan.

Results of one loop that do not need each other come out of one scan. Where a later scan over the same index reads what
an earlier one has stacked, it takes the stack as a sequence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.errors import ShapeError
from eqsat.graph.core import Apply, Variable, one_line
from eqsat.graph.loops import LoopTable, Recurrence, bound_loops, depends, loop_op
from eqsat.graph.ops.specify import specify
from eqsat.graph.walk import rebuild, toposort
from eqsat.scan.body import Body


def close_scans(outputs: Sequence[Any], table: LoopTable) -> list[Any]:
    """The outputs with a scan for every set of results of a loop that can be computed together."""
    return Closer(table, depends(outputs, table), 0).close(outputs, {})


class Closer:
    """Closes the loops of one scope: those whose results depend on no loop but those in ``scope``, as bits."""

    def __init__(self, table: LoopTable, dep: dict[Variable, int], scope: int) -> None:
        self.table, self.dep, self.scope = table, dep, scope
        self.recurrence: dict[Variable, Recurrence] = {r.state: r for r in table.recurrences}
        self.new: dict[Variable, Any] = {}
        self.stacks: dict[tuple[int, Variable], Any] = {}

    def inside(self, loop: int) -> Closer:
        """The closer of the body of a loop of this scope."""
        return Closer(self.table, self.dep, self.scope | 1 << loop)

    def close(self, roots: Sequence[Any], given: dict[Variable, Any]) -> list[Any]:
        """The roots as a graph with scans; ``given`` variables are replaced."""
        self.new = dict(given)
        pending, below = self.binders(roots)
        while pending:
            group = self.group(pending, below)
            pending = [b for b in pending if b not in group]
            self.emit(group)
            for b in group:
                below = {v: bits & ~(1 << self.place[b]) for v, bits in below.items()}
        return [self.build(v) for v in roots]

    # ---------------------------------------------------------------------------------------------------- order

    def binders(self, roots: Sequence[Any]) -> tuple[list[Any], dict[Variable, int]]:
        """The results of loops that the roots need, operands first, and for each those that it needs, as bits."""
        order: list[Any] = []
        self.place: dict[Any, int] = {}
        needs: dict[Variable, int] = {}
        opened: set[Variable] = set()
        stack = list(roots)[::-1]
        while stack:
            v = stack[-1]
            if v in needs:
                stack.pop()
                continue
            below = [] if v in self.new else self.operands(v)
            if v not in opened:
                opened.add(v)
                stack.extend(u for u in below if u not in needs)
                continue
            stack.pop()
            bits = 0
            for u in below:
                bits |= needs[u] | (1 << self.place[u] if u in self.place else 0)
            needs[v] = bits
            if v not in self.new and self.binds(v):
                self.place[v] = len(order)
                order.append(v)
        return order, {v: needs[v] for v in order}

    def binds(self, v: Any) -> bool:
        """True for a result of a loop of this scope."""
        return v.owner is not None and bool(bound_loops(v.owner))

    def operands(self, v: Any) -> list[Any]:
        """The variables of this scope from which a variable is computed; of a result of a loop, what its body reads."""
        if v.owner is None:
            return []
        return self.frontier(self.body_roots(v)) if self.binds(v) else list(v.owner.inputs)

    def body_roots(self, binder: Any) -> list[Any]:
        """The variables that the body of a loop computes for one of its results, and the operands outside of it."""
        condition = self.table.loops[binder.owner.op.params["loop"]].condition
        return [*binder.owner.inputs, *([] if condition is None else [condition])]

    def frontier(self, roots: Sequence[Any]) -> list[Any]:
        """The variables of this scope that the roots, which lie deeper, are computed from."""
        found: dict[Variable, None] = {}
        seen: set[Variable] = set()
        stack = list(roots)[::-1]
        while stack:
            v = stack.pop()
            if v in seen:
                continue
            seen.add(v)
            if not self.dep[v] & ~self.scope:
                found[v] = None
                continue
            stack.extend(reversed(self.deeper(v)))
        return list(found)

    def deeper(self, v: Any) -> list[Any]:
        """The variables that one inside a loop needs: operands, the new value of a state, the condition of a loop in it."""
        needed = list(v.owner.inputs)
        if v in self.recurrence:
            needed.append(self.recurrence[v].step)
        elif bound_loops(v.owner):
            needed = self.body_roots(v)
        return needed

    def group(self, pending: Sequence[Any], below: dict[Variable, int]) -> list[Any]:
        """Results of one loop that need nothing pending, of the loop that has fewest others waiting."""
        ready = [b for b in pending if not below[b]]
        waiting: dict[int, int] = {}
        for b in pending:
            if below[b]:
                waiting[b.owner.op.params["loop"]] = waiting.get(b.owner.op.params["loop"], 0) + 1
        loops = list(dict.fromkeys(b.owner.op.params["loop"] for b in ready))
        best = min(loops, key=lambda k: waiting.get(k, 0))
        return [b for b in ready if b.owner.op.params["loop"] == best]

    # ---------------------------------------------------------------------------------------------------- scans

    def emit(self, group: Sequence[Any]) -> None:
        """One scan that gives the results of a group."""
        loop = self.table.loops[group[0].owner.op.params["loop"]]
        with one_line(group[0].made_at):
            results = Body(self, loop, group).results()
        for binder, value in results:
            self.new[binder] = value
            value.comes_from(binder)
            if loop_op(binder) == "collect":
                self.stacks[(loop.number, binder.owner.inputs[0])] = value

    def build(self, v: Any) -> Any:
        """A variable of this scope in the new graph."""
        if v not in self.new:
            for node in toposort([v], stop=list(self.new)):
                inputs = [self.new.get(u, u) for u in node.inputs]
                same = all(a is b for a, b in zip(inputs, node.inputs, strict=True))
                made = node.outputs if same else rebuilt(node, inputs)
                self.new.update(zip(node.outputs, made, strict=True))
        return self.new.get(v, v)


def rebuilt(node: Apply, inputs: Sequence[Any]) -> Sequence[Any]:
    """A node of other inputs, whose types may know less: lengths that it needs are those of the old ones."""
    try:
        return rebuild(node, inputs)
    except ShapeError:
        known = [getattr(v.type, "shape", None) for v in node.inputs]
        return rebuild(node, [v if n is None else specify(v, n) for v, n in zip(inputs, known, strict=True)])
