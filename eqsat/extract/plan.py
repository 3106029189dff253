"""From the PLAN e-graph to kernels: which arrays are stored is a choice by cost, the rest is computed inside."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.egraph.fusion import Fused, fuse, is_literal, kind_of
from eqsat.extract.cost import CostModel
from eqsat.graph.core import Apply, Variable
from eqsat.graph.declare import Cost
from eqsat.graph.plan import Call, Compute, Expression, Kernel, Literal, Load, Plan, Result
from eqsat.graph.walk import clone_with, toposort

MOST_EXPRESSIONS = 96  # of a kernel; a longer chain is cut by storing a value


class Planner:
    """Decides which array classes are stored, and what one kernel costs under that decision."""

    def __init__(self, nodes: Sequence[Apply], outputs: Sequence[Variable], fused: Fused, model: CostModel) -> None:
        self.nodes, self.outputs, self.fused, self.model = nodes, outputs, fused, model
        self.owner: dict[int, Apply] = {}
        for apply in nodes:
            for v in apply.outputs:
                self.owner.setdefault(fused.array_of[v], apply) if v in fused.array_of else None
        self.order = [fused.array_of[a.outputs[0]] for a in nodes if kind_of(a) != "call"]
        self.required = self.find_required()
        self.stored = set(self.required)
        self.users = self.find_users()

    def find_required(self) -> set[int]:
        """Classes that must be in memory: inputs, results and operands of calls, outputs, reductions."""
        array_of = self.fused.array_of
        needed = {array_of[v] for v in self.outputs}
        for v, t in array_of.items():
            if v.owner is None and not is_literal(v):
                needed.add(t)
        for apply in reversed(self.nodes):
            kind = kind_of(apply)
            if kind == "call":
                needed.update(array_of[v] for v in (*apply.inputs, *apply.outputs))
            elif kind == "reduce":
                needed.add(array_of[apply.outputs[0]])
            elif kind == "view" and array_of[apply.outputs[0]] in needed and apply.outputs[0] not in self.outputs:
                needed.add(array_of[apply.inputs[0]])
        return needed

    def find_users(self) -> dict[int, list[int]]:
        """For each class, the classes whose value is computed from it inside a kernel."""
        users: dict[int, list[int]] = {}
        for apply in self.nodes:
            if kind_of(apply) != "call":
                out = self.fused.array_of[apply.outputs[0]]
                for t in dict.fromkeys(self.fused.array_of[v] for v in apply.inputs):
                    users.setdefault(t, []).append(out)
        return users

    def is_free_view(self, t: int) -> bool:
        """True for a stored class that is a window onto another stored class."""
        apply = self.owner.get(t)
        if apply is None or kind_of(apply) != "view" or apply.outputs[0] in self.outputs:
            return False
        return self.fused.array_of[apply.inputs[0]] in self.stored

    def size(self, t: int) -> float:
        """Number of elements of a class."""
        kind: Any = self.fused.variable_of[t].type
        return float(np.prod(self.model.lengths(kind.shape))) if kind.ndim else 1.0

    def space(self, t: int) -> float:
        """Number of indices that the kernel of a class visits."""
        if t in self.fused.reduces:
            return self.size(self.fused.array_of[self.owner[t].inputs[0]])
        return self.size(t)

    def start(self, t: int) -> int:
        """Class of numbers at the top of a class's kernel."""
        return self.fused.reduces[t][1] if t in self.fused.reduces else self.fused.stores[t]

    def inside(self, t: int) -> tuple[list[int], list[int]]:
        """Numbers computed in the kernel of a class, and the stored classes that it loads."""
        computed: list[int] = []
        loaded: dict[int, None] = {}
        seen: set[int] = set()
        stack = [self.start(t)]
        while stack:
            s = stack.pop()
            if s in seen:
                continue
            seen.add(s)
            source = self.source(s, t)
            if source is not None:
                loaded[source] = None
            else:
                computed.append(s)
                stack.extend(self.fused.scalars[s].children)
        return computed, list(loaded)

    def source(self, s: int, target: int) -> int | None:
        """The stored class from which a number is loaded; None where it is computed."""
        scalar = self.fused.scalars.get(s)
        if scalar is not None and scalar.kind == "number":
            return None
        for t in self.fused.arrays_at.get(s, ()):
            if t in self.stored and (t != target or scalar is None):
                return t
        assert scalar is not None, "a value is neither stored nor computed"
        return None

    def cost(self, t: int) -> float:
        """Seconds of the kernel of a stored class."""
        if t not in self.fused.stores and t not in self.fused.reduces:
            return 0.0
        if self.is_free_view(t):
            return 0.0
        computed, loaded = self.inside(t)
        space = self.space(t)
        flops = sum(self.flops(s) for s in computed) + (1.0 if t in self.fused.reduces else 0.0)
        traffic = self.size(t) + sum(self.size(u) for u in loaded)
        item = np.dtype(self.fused.variable_of[t].type.dtype).itemsize  # type: ignore[attr-defined]
        return self.model.call + space * flops * self.model.flop + traffic * item * self.model.byte

    def flops(self, s: int) -> float:
        """Flops per index of one number."""
        scalar = self.fused.scalars[s]
        if scalar.kind != "map":
            return 0.0
        cost = scalar.op.declaration.cost
        assert isinstance(cost, Cost)
        return cost.flops

    # ----------------------------------------------------------------------------------------- decisions

    def decide(self, seconds: float) -> None:
        """Store what is read by several kernels or broadcast, then take back what is cheaper to compute again."""
        candidates = [t for t in self.order if t not in self.required and self.may_store(t)]
        self.stored.update(candidates)
        self.cut_long()
        deadline = time.perf_counter() + seconds
        for t in reversed(candidates):
            if time.perf_counter() > deadline:
                break
            self.try_without(t)

    def may_store(self, t: int) -> bool:
        """True for a class with several users, or whose user runs over more indices than it has."""
        users = self.users.get(t, [])
        if kind_of(self.owner[t]) == "view":
            return False
        return len(users) > 1 or any(self.space(u) > self.size(t) for u in users)

    def cut_long(self) -> None:
        """Store values so that no kernel has more than MOST_EXPRESSIONS."""
        count: dict[int, int] = {}
        for t in self.order:
            operands = [self.fused.array_of[v] for v in self.owner[t].inputs]
            total = 1 + sum(count.get(u, 0) for u in dict.fromkeys(operands) if u not in self.stored)
            if total > MOST_EXPRESSIONS and t not in self.stored:
                self.stored.add(t)
            count[t] = 0 if t in self.stored else total

    def kernels_with(self, t: int) -> list[int]:
        """Stored classes in whose kernel a class is computed or loaded."""
        found: dict[int, None] = {}
        stack, seen = list(self.users.get(t, [])), set()
        while stack:
            u = stack.pop()
            if u in seen:
                continue
            seen.add(u)
            if u in self.stored:
                found[u] = None
            else:
                stack.extend(self.users.get(u, []))
        return list(found)

    def try_without(self, t: int) -> None:
        """Stop storing a class where computing it in each of its users is cheaper."""
        readers = self.kernels_with(t)
        if len(readers) > 8:
            return
        before = self.cost(t) + sum(self.cost(u) for u in readers)
        self.stored.discard(t)
        after, longest = 0.0, 0
        for u in readers:
            after += self.cost(u)
            longest = max(longest, len(self.inside(u)[0]))
        if after >= before or longest > MOST_EXPRESSIONS:
            self.stored.add(t)

    # ------------------------------------------------------------------------------------------ lowering

    def lower(self, inputs: Sequence[Variable]) -> Plan:
        """The plan: kernels for the stored classes and calls for the rest, in order."""
        plan = Plan(list(inputs), list(self.outputs))
        made: set[int] = set()
        for apply in self.nodes:
            if kind_of(apply) == "call":
                plan.steps.append(Call(apply))
                continue
            t = self.fused.array_of[apply.outputs[0]]
            if t not in self.stored or t in made:
                continue
            made.add(t)
            plan.steps.append(Call(apply) if self.is_free_view(t) else self.kernel(t))
        return plan

    def kernel(self, t: int) -> Kernel:
        """The loop nest of a stored class."""
        expressions: list[Expression] = []
        place: dict[tuple[int, tuple[Any, ...]], int] = {}
        root = (self.start(t), ())
        stack: list[tuple[int, tuple[Any, ...]]] = [root]
        while stack:
            key = stack[-1]
            s, views = key
            if key in place:
                stack.pop()
                continue
            below, expression = self.expression(s, views, t, place)
            if expression is None:
                stack.extend(b for b in below if b not in place)
                continue
            if isinstance(expression, int):
                place[key] = expression
            else:
                place[key] = len(expressions)
                expressions.append(expression)
            stack.pop()
        variable: Any = self.fused.variable_of[t]
        if t in self.fused.reduces:
            shape = self.owner[t].inputs[0].type.shape  # type: ignore[attr-defined]
            return Kernel(expressions, [Result(variable, place[root], self.fused.reduces[t][0])], shape)
        return Kernel(expressions, [Result(variable, place[root])], variable.type.shape)

    def expression(self, s: int, views: tuple[Any, ...], target: int, place: dict[Any, int]) -> Any:
        """Operands of a number and its expression, None while operands are missing; a view is its operand."""
        source = self.source(s, target)
        if source is not None:
            return (), Load(self.fused.variable_of[source], views)
        scalar = self.fused.scalars[s]
        if scalar.kind == "number":
            data, dtype, _ = scalar.op
            return (), Literal(np.frombuffer(data, dtype)[0], dtype)
        if scalar.kind == "see":
            seen = (scalar.children[0], (scalar.op, *views))
            return (seen,), place.get(seen)
        below = tuple((c, views) for c in scalar.children)
        if any(b not in place for b in below):
            return below, None
        args = tuple(place[b] for b in below)
        return below, Compute(scalar.op, args, self.result_dtype(scalar.op, s))

    def result_dtype(self, op: Any, s: int) -> str:
        """Dtype of a computed number."""
        for t in self.fused.arrays_at.get(s, ()):
            return str(self.fused.variable_of[t].type.dtype)  # type: ignore[attr-defined]
        for t, store in self.fused.stores.items():
            if store == s:
                return str(self.fused.variable_of[t].type.dtype)  # type: ignore[attr-defined]
        raise AssertionError(f"no array holds the values of {op}")


def make_plan(
    inputs: Sequence[Variable], outputs: Sequence[Variable], model: CostModel, seconds: float = 0.1
) -> Plan:
    """The fused plan of a graph.

    Errors   EGraphUnavailable or EGraphFailure where egglog fails; the caller falls back to plan_as_written
    """
    nodes = toposort(outputs)
    fused = fuse(nodes, outputs)
    twins = {v: fused.variable_of[t] for v, t in fused.array_of.items() if v is not fused.variable_of[t]}
    if twins:
        outputs = clone_with(list(outputs), twins)
        nodes = toposort(outputs)
        fused = fuse(nodes, outputs)
    planner = Planner(nodes, outputs, fused, model)
    planner.decide(seconds)
    return planner.lower(inputs)
