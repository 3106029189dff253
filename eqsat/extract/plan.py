"""From the PLAN e-graph to kernels: which arrays are stored is a choice by cost, the rest is computed inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.egraph.fusion import Fused, Scalar, fuse, is_literal, kind_of
from eqsat.extract.cost import CostModel
from eqsat.extract.siblings import merged
from eqsat.extract.spread import spread
from eqsat.extract.step_costs import folded_rows, turns
from eqsat.graph.axis_patterns import compose_patterns
from eqsat.graph.core import Apply, Variable
from eqsat.graph.pieces import numbers_of
from eqsat.graph.plan import Call, Compute, Expression, Kernel, Literal, Load, Pick, Pieces, Plan, Result
from eqsat.graph.properties import compares
from eqsat.graph.walk import clone_with, toposort

MOST_EXPRESSIONS = 96  # of a kernel; a longer chain is cut by storing a value
MOST_WORK = 50_000  # numbers looked at while deciding what to store

PICKED = 8.0  # flops that take as long as an element picked by its index

PICKING = frozenset(["max", "min"])  # reductions whose result is one of the elements

# a class of numbers, the views through which it is read, and the operands of pieces in which it stands
Seen = tuple[int, tuple[Any, ...], tuple[tuple[int, int], ...]]


class Planner:
    """Decides which array classes are stored, and what one kernel costs under that decision."""

    def __init__(
        self, nodes: Sequence[Apply], outputs: Sequence[Variable], fused: Fused, model: CostModel
    ) -> None:
        self.nodes, self.outputs, self.fused, self.model = nodes, outputs, fused, model
        self.owner: dict[int, Apply] = {}
        for apply in nodes:
            for v in apply.outputs:
                self.owner.setdefault(fused.array_of[v], apply) if v in fused.array_of else None
        self.order = [fused.array_of[a.outputs[0]] for a in nodes if kind_of(a) != "call"]
        self.required = self.find_required()
        self.stored = set(self.required)
        self.users = self.find_users()
        self.array_with = {s: t for t, s in reversed(fused.stores.items())}
        self.work = 0

    def find_required(self) -> set[int]:
        """Classes that must be in memory: inputs, results and operands of calls, outputs, reductions, and what is
        compared with its own largest element."""
        array_of = self.fused.array_of
        needed = {array_of[v] for v in self.outputs}
        seen: set[int] = set()  # through views: pieces are not looked at in part
        compared = self.find_compared()
        for v, t in array_of.items():
            if v.owner is None and not is_literal(v):
                needed.add(t)
        for apply in reversed(self.nodes):
            kind = kind_of(apply)
            out, operands = (
                array_of.get(apply.outputs[0]),
                [array_of[v] for v in apply.inputs if v in array_of],
            )
            if kind == "view" or kind == "map" and out in seen and out not in needed:
                seen.update(operands)
            if kind == "call":
                needed.update(array_of[v] for v in (*apply.inputs, *apply.outputs))
            elif kind == "pick":
                needed.update(operands)
            elif kind == "pieces":
                needed.update(array_of[v] for v in numbers_of(apply))
                needed.update({array_of[apply.outputs[0]]} & seen)
            elif kind == "reduce":
                needed.add(array_of[apply.outputs[0]])
                if apply.op.name in PICKING and array_of[apply.inputs[0]] in compared:  # type: ignore[attr-defined]
                    needed.add(array_of[apply.inputs[0]])
            elif (
                kind == "view"
                and array_of[apply.outputs[0]] in needed
                and apply.outputs[0] not in self.outputs
            ):
                needed.add(array_of[apply.inputs[0]])
        return needed

    def find_compared(self) -> set[int]:
        """Classes that a comparison reads.

        One of which the largest is taken too must be stored: computed again in another kernel it may be rounded
        differently, and then no element equals the largest.
        """
        compared: set[int] = set()
        for apply in reversed(self.nodes):
            classes = {self.fused.array_of[v] for v in apply.inputs if v in self.fused.array_of}
            if (
                compares(getattr(apply.op, "declaration", None))
                or kind_of(apply) == "view"
                and self.fused.array_of[apply.outputs[0]] in compared
            ):
                compared |= classes
        return compared

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
        """True for a stored class that is a window onto another stored class; an output is copied from it."""
        apply = self.owner.get(t)
        if apply is None or kind_of(apply) != "view":
            return False
        return self.fused.array_of[apply.inputs[0]] in self.stored

    def moves(self, t: int) -> bool:
        """True for an output whose axes are in another order than those of what it shows: it takes a copy."""
        apply: Any = self.owner[t]
        if apply.op.declaration.indexing:
            return False
        kept = [a for a in apply.op.params["pattern"] if a != "x"]
        return apply.outputs[0] in self.outputs and kept != sorted(kept)

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

    def inside(self, t: int) -> tuple[list[tuple[int, float]], list[int]]:
        """Numbers computed in the kernel of a class, once per view of them, at how many indices, and the classes that it loads.

        A kernel that is too long is not walked to its end.
        """
        computed: list[tuple[int, float]] = []
        loaded: dict[int, None] = {}
        root: Seen = (self.start(t), (), ())
        seen, stack, whole = {root}, [(root, self.space(t))], self.space(t)
        while stack and len(computed) <= 2 * MOST_EXPRESSIONS:
            key, space = stack.pop()
            self.work += 1
            source = self.source(key[0], t)
            if source is not None:
                loaded[source] = None
                continue
            computed.append((key[0], space))
            loaded |= dict.fromkeys(self.picked(key[0]))
            below = [b for b in self.operands(key) if b not in seen]
            seen.update(below)
            stack.extend((b, space if b[2] == key[2] else min(whole, self.size_of(b[0]))) for b in below)
        return computed, list(loaded)

    def picked(self, s: int) -> list[int]:
        """The stored classes that are read where a number is picked."""
        if self.fused.scalars[s].kind != "pick":
            return []
        return [self.fused.array_of[v] for v in self.owner[self.array_with[s]].inputs]

    def size_of(self, s: int) -> float:
        """Number of elements of the arrays that hold a number at each index."""
        return self.size((self.fused.arrays_at.get(s) or [self.array_with[s]])[0])

    def operands(self, key: Seen) -> list[Seen]:
        """The arrays that a computed number reads, and the views through which it sees each."""
        s, views, place = key
        scalar = self.fused.scalars[s]
        if scalar.kind == "see":
            return [(scalar.children[0], self.through(scalar, views), place)]
        if scalar.kind == "pieces":
            return [(c, (), (*place, (s, k))) for k, c in enumerate(scalar.children)]
        space = self.kind_of_number(s).shape
        return [(c, spread(views, self.kind_of_number(c).shape, space), place) for c in scalar.children]

    def kind_of_number(self, s: int) -> Any:
        """The type of the arrays that hold a number at each index."""
        return self.variable_at(s).type

    def variable_at(self, s: int) -> Variable:
        """A variable of the graph that holds a number at each index."""
        return self.fused.variable_of[(self.fused.arrays_at.get(s) or [self.array_with[s]])[0]]

    def through(self, scalar: Scalar, views: tuple[Any, ...]) -> tuple[Any, ...]:
        """The views of what a view shows; one that undoes the next leaves both out."""
        if views and not scalar.op.declaration.indexing and not views[0].declaration.indexing:
            both = compose_patterns(scalar.op.params["pattern"], views[0].params["pattern"])
            kind: Any = self.fused.variable_of[self.fused.arrays_at[scalar.children[0]][0]].type
            if both == tuple(range(kind.ndim)):
                return views[1:]
        return (scalar.op, *views)

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
        if self.is_free_view(t) and not self.moves(t):
            return 0.0
        computed, loaded = self.inside(t)
        flops, rows = sum(self.flops(s) * space for s, space in computed), 0.0
        if t in self.fused.reduces:
            reduce, kind = self.fused.reduces[t][0], self.kind(t)
            flops += self.space(t) * self.model.fold_flops(reduce, kind.dtype)
            rows = folded_rows(reduce, self.fused.variable_of[t], self.model)
        traffic = sum(self.size(u) * self.item(u) for u in (t, *loaded))
        return self.model.kernel_seconds(flops, traffic, self.held(traffic, (t, *loaded)), rows)

    def kind(self, t: int) -> Any:
        """The type of the first operand of the op that makes a class."""
        operand: Any = self.owner[t].inputs[0]
        return operand.type

    def held(self, traffic: float, classes: Sequence[int]) -> float:
        """Bytes that are in use while a kernel runs; what has no known length may be long, and is taken to lie in the last cache."""
        kinds: list[Any] = [self.fused.variable_of[u].type for u in classes]
        return traffic if all(None not in kind.shape for kind in kinds) else max(traffic, self.model.outer)

    def item(self, t: int) -> int:
        """Bytes of an element of a class."""
        kind: Any = self.fused.variable_of[t].type
        return int(np.dtype(kind.dtype).itemsize)

    def flops(self, s: int) -> float:
        """Flops per index of one number."""
        scalar = self.fused.scalars[s]
        if scalar.kind == "see" and (arrays := self.fused.arrays_at.get(scalar.children[0])):
            kind: Any = self.fused.variable_of[arrays[0]].type
            return self.model.turned if turns(scalar.op, kind.ndim) else 0.0
        if scalar.kind == "pick":
            return PICKED
        if scalar.kind != "map":
            return 0.0
        cost = self.model.cost_of(scalar.op, [], [])
        return self.model.fused_flops(cost, np.dtype(self.result_dtype(s)).itemsize)

    # ----------------------------------------------------------------------------------------- decisions

    def decide(self) -> None:
        """Store what is read by several kernels or broadcast, then take back what is cheaper to compute again.

        How long it looks is counted in steps, not in seconds, so that one graph always gives one plan.
        """
        candidates = [t for t in self.order if t not in self.required and self.may_store(t)]
        self.stored.update(candidates)
        self.cut_long()
        for t in reversed(candidates):
            if self.work > MOST_WORK:
                break
            self.try_without(t)
        self.share_parts()

    def share_parts(self) -> None:
        """Look once at parts of what is stored, not in each kernel that reads them."""
        for t in self.order:
            if self.owner[t].op.declaration.indexing == "part" and self.is_free_view(t):  # type: ignore[attr-defined]
                self.stored.add(t)

    def may_store(self, t: int) -> bool:
        """True for a class with several users, or whose user runs over more indices than it has."""
        if kind_of(self.owner[t]) == "view":
            return False
        users = self.users_through_views(t)
        repeats = [u for u in users if kind_of(self.owner[u]) != "pieces"]
        return len(users) > 1 or any(self.space(u) > self.size(t) for u in repeats)

    def users_through_views(self, t: int) -> list[int]:
        """The classes that compute with a class, or that are stored windows onto it."""
        found: dict[int, None] = {}
        stack = list(self.users.get(t, []))
        while stack:
            u = stack.pop()
            if kind_of(self.owner[u]) == "view" and u not in self.required:
                stack.extend(self.users.get(u, []))
            else:
                found[u] = None
        return list(found)

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
            plan.steps.append(Call(apply) if self.is_free_view(t) or self.only_moves(t) else self.kernel(t))
        plan.steps = merged(plan.steps, MOST_EXPRESSIONS, self.outputs)
        return plan

    def only_moves(self, t: int) -> bool:
        """True for a class that is put together of what is in memory, with nothing to compute on the way."""
        if kind_of(self.owner[t]) != "pieces":
            return kind_of(self.owner[t]) == "pick"
        return all(self.source(s, t) is not None for s in self.fused.scalars[self.start(t)].children)

    def kernel(self, t: int) -> Kernel:
        """The loop nest of a stored class."""
        expressions: list[Expression] = []
        place: dict[Seen, int] = {}
        root: Seen = (self.start(t), (), ())
        stack = [root]
        while stack:
            key = stack[-1]
            if key in place:
                stack.pop()
                continue
            below, expression = self.expression(key, t, place)
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

    def expression(self, key: Seen, target: int, place: dict[Seen, int]) -> Any:
        """Operands of a number and its expression, None while operands are missing; a view is its operand."""
        s, views, _ = key
        source = self.source(s, target)
        if source is not None:
            return (), Load(self.fused.variable_of[source], views)
        scalar = self.fused.scalars[s]
        if scalar.kind == "number":
            data, dtype, _ = scalar.op
            return (), Literal(np.frombuffer(data, dtype)[0], dtype)
        if scalar.kind == "pick":
            return (), Pick(self.owner[self.array_with[s]], views, self.result_dtype(s))
        below = self.operands(key)
        if scalar.kind == "see":
            return below, place.get(below[0])
        if any(b not in place for b in below):
            return below, None
        args, dtype = tuple(place[b] for b in below), self.result_dtype(s)
        if scalar.kind == "pieces":
            return below, Pieces(self.owner[self.array_with[s]], args, dtype)
        return below, Compute(scalar.op, args, dtype, self.variable_at(s))

    def result_dtype(self, s: int) -> str:
        """Dtype of a computed number."""
        kind: Any = self.kind_of_number(s)
        return str(kind.dtype)


def find_twins(nodes: Sequence[Apply], fused: Fused) -> dict[Variable, Variable]:
    """Variables with others that stand for them: equal ones, and of folds of the same values those that round less."""
    twins = {v: fused.variable_of[t] for v, t in fused.array_of.items() if v is not fused.variable_of[t]}
    folds = [a for a in nodes if kind_of(a) == "reduce"] if not twins else []
    known: dict[Any, Variable] = {}
    for apply in sorted(folds, key=_is_small):
        d: Any = apply.op.declaration  # type: ignore[attr-defined]
        out: Any = apply.outputs[0]
        values = fused.array_of[apply.inputs[0]], apply.op.params["axes"]  # type: ignore[attr-defined]
        first = known.setdefault((*values, d.reduces or apply.op, d.reduction.empty, out.type.dtype), out)
        if first is not out:
            twins[out] = first
    return twins


def _is_small(apply: Apply) -> bool:
    """True for a fold that combines some numbers before it asks for the wider type."""
    op: Any = apply.op
    return bool(op.declaration.reduction.small)


def make_plan(inputs: Sequence[Variable], outputs: Sequence[Variable], model: CostModel) -> Plan:
    """The fused plan of a graph.

    Errors   EGraphUnavailable or EGraphFailure where egglog fails; the caller falls back to plan_as_written
    """
    nodes = toposort(outputs)
    fused = fuse(nodes, outputs)
    while twins := find_twins(nodes, fused):
        outputs = clone_with(list(outputs), twins)
        nodes = toposort(outputs)
        fused = fuse(nodes, outputs)
    planner = Planner(nodes, outputs, fused, model)
    planner.decide()
    return planner.lower(inputs)
