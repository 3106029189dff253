"""The loops of a graph as the report compares them: their steps, what their ops are computed from, their seconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np

from eqsat.base.values import dataclass
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.declare import DeclaredOp, find_op
from eqsat.graph.inner_graphs import FIXED, Inside, Port, insides
from eqsat.graph.loops import collect_op, elem_op, final_op, state_op
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.walk import ancestors, toposort
from eqsat.printing.line import labelled

UNNAMED_STATES = {"state", "buffer", "carried"}
WIDEST = 60  # of an expression in a line

Key = tuple[str, frozenset[Any]]


@dataclass(eq=False)
class LoopFacts:
    """A loop of a graph."""

    node: Apply
    graph: Inside
    around: LoopFacts | None
    model: Any
    lengths: Any = None  # those to reckon with where types do not tell them, as a Spread
    leaves: dict[Variable, frozenset[Any]] = field(default_factory=dict)  # of its inner inputs

    @property
    def name(self) -> str:
        return str(self.node.op)

    @property
    def label(self) -> str | None:
        """The name that the user gave; of loops that run together their names, joined by +."""
        return getattr(self.node.op, "label", None)

    @cached_property
    def nodes(self) -> list[Apply]:
        """The ops of a step; loops inside are reported by themselves."""
        return [n for n in toposort(self.graph.results) if not loop_in(n)]

    @cached_property
    def count(self) -> float:
        """The number of steps, the default of the model where it is unknown."""
        steps = self.graph.steps
        if isinstance(steps, Constant):
            return float(steps.data)
        assumed = None if self.lengths is None else self.lengths.values.get(steps)
        return float(self.model.lengths((None if assumed is None else int(assumed),))[0])

    @property
    def trips(self) -> float:
        """The number of runs of its step, with the steps of the loops around it."""
        return self.count * (self.around.trips if self.around is not None else 1.0)

    @property
    def starts(self) -> float:
        """The number of times that the model pays the loop: once a step of the loop around it."""
        return self.around.paid if self.around is not None else 1.0

    @property
    def paid(self) -> float:
        """The number of its steps that the model pays."""
        return self.starts * max(1.0, float(self.model.trips(self.count)))

    @property
    def assumed(self) -> bool:
        own = not isinstance(self.graph.steps, Constant)
        return own or (self.around is not None and self.around.assumed)

    @cached_property
    def seconds(self) -> float:
        """Seconds of its ops in all steps, and of the steps themselves."""
        return self.stepping + self.paid * sum(own_seconds(n, self.model) for n in self.nodes)

    @cached_property
    def stepping(self) -> float:
        """Seconds of starting the loop, of counting its steps, and of moving values between it and the graph around."""
        steps = float(self.model.trips(self.count)) * self.model.step
        return self.starts * (2 * self.model.call + steps + self._results()) + self.paid * self._readings()

    def _readings(self) -> float:
        """Seconds in which a step finds rows of sequences and values of states."""
        found = 0.0
        for p in self.graph.inputs:
            op = elem_op if p.kind == "sequence" else state_op if p.kind.endswith("at first") else None
            if op is not None and p.outer is not None:
                found += self._passing(op, [self.node.inputs[p.outer]], p.variable, ())
        return found

    def _results(self) -> float:
        """Seconds in which the results of all steps come to lie where the graph around reads them."""
        found, steps = 0.0, self.graph.steps
        for p in self.graph.outputs:
            if p.outer is None:
                continue
            if p.kind == "carried, at first":
                found += self._passing(final_op, [p.variable, p.variable, steps], p.variable, ())
            else:
                found += self._passing(collect_op, [p.variable, steps], p.variable, (int(self.count),))
        return found

    def _passing(self, declared: Any, operands: Sequence[Any], result: Any, rows: tuple[int, ...]) -> float:
        """Seconds of the op that stands for a value which passes the border of the loop, with so many rows behind it."""
        if any(not isinstance(v.type, TensorType) for v in (*operands, result)):
            return 0.0
        op = find_op(declared.name, (0,) * len(declared.parameters))
        shapes, size = [v.type.shape for v in operands], np.dtype(result.type.dtype).itemsize
        return float(self.model.checked_seconds(op, shapes, (*rows, *result.type.shape), size))

    @cached_property
    def labels(self) -> dict[Variable, str]:
        return {p.variable: p.label for p in self.graph.inputs if p.variable is not None}

    @cached_property
    def keys(self) -> dict[Apply, Key]:
        """For each op of a step what it is and what it is computed from."""
        return {n: (base_name(n), _union(self.of[v] for v in n.inputs)) for n in self.nodes}

    @cached_property
    def of(self) -> dict[Variable, frozenset[Any]]:
        """For each variable of a step the variables outside, and the states, that it is computed from."""
        states = {
            p.variable: frozenset([_mark(p)]) for p in self.graph.outputs if p.variable.owner is not None
        }
        return leaf_sets(self.graph.results, {**states, **self.leaves})

    @property
    def stems(self) -> dict[str, str]:
        """The names of states and other outputs without their time, and of what kind they are."""
        return {stem(p.label): p.kind for p in self.graph.outputs}

    @cached_property
    def states(self) -> set[str]:
        """The names of what is carried from step to step."""
        return {stem(p.label) for p in self.graph.inputs if p.kind.endswith("at first")} - UNNAMED_STATES

    @cached_property
    def marks(self) -> dict[Variable, frozenset[Any]]:
        """The marks of its results in the sets of variables that others are computed from."""
        ports = [p for p in self.graph.outputs if p.outer is not None]
        return {self.node.outputs[p.outer or 0]: frozenset([_mark(p)]) for p in ports}

    def text(self, v: Any) -> str:
        """A variable of a step in the words of the user: its name, what it is, and the line that made it."""
        where = f" at {v.made_at}" if v.made_at else ""
        return (f"{v.name} = " if v.name else "") + expression(v, self.labels) + where


def loops_of(outputs: Sequence[Any], model: Any, lengths: Any = None) -> list[LoopFacts]:
    """The loops of a graph, each followed by those inside it; ``lengths`` are those to reckon with."""
    found: list[LoopFacts] = []
    nodes = toposort(outputs)
    top = leaf_sets(outputs, {}) if any(map(loop_in, nodes)) else {}
    stack: list[tuple[Apply, LoopFacts | None]] = [(n, None) for n in reversed(nodes)]
    while stack:
        node, around = stack.pop()
        graph = loop_in(node)
        if graph is None:
            continue
        loop = LoopFacts(node, graph, around, model, lengths)
        sets = top if around is None else around.of
        for port in graph.inputs:
            if port.kind in (FIXED, "sequence"):
                loop.leaves[port.variable] = sets[node.inputs[port.outer or 0]]
            elif port.variable is not None:
                loop.leaves[port.variable] = frozenset([_mark(port)])
        found.append(loop)
        stack += [(n, loop) for n in reversed(toposort(graph.results))]
    return found


def expression(v: Any, labels: Mapping[Variable, str]) -> str:
    """One line of mathematics for a variable, of bounded width."""
    return labelled(v, labels, WIDEST)


def loop_in(node: Apply) -> Inside | None:
    """The graph of a step, where an op is a loop."""
    return next((g for g in insides(node) if g.steps is not None), None)


def leaf_sets(
    outputs: Sequence[Any], given: dict[Variable, frozenset[Any]]
) -> dict[Variable, frozenset[Any]]:
    """For each variable the leaves of the graph that it is computed from, constants apart."""
    found = dict(given)
    for v in ancestors(outputs):
        if v.owner is None and v not in found:
            found[v] = frozenset() if isinstance(v, Constant) else frozenset([v])
    for node in toposort(outputs):
        leaves = _union(found[v] for v in node.inputs)
        for v in node.outputs:
            found.setdefault(v, leaves)
    return found


def _mark(port: Port) -> tuple[str, str]:
    """The mark of a state, or an output, of a step."""
    return "loop", stem(port.label)


def _union(sets: Iterable[frozenset[Any]]) -> frozenset[Any]:
    return frozenset().union(*sets)


def base_name(node: Apply) -> str:
    """The name of an op; one on all rows has that of the op on a row."""
    return str(node.op).partition("{")[0].removeprefix("rows_")


def stem(label: str) -> str:
    return label.partition("[t")[0].removeprefix("next ")


def op_count(nodes: Iterable[Apply]) -> int:
    """The number of ops, those in the steps of loops included: what reports, pages and comparisons say.

    >>> import eqsat.tensor as T
    >>> op_count(toposort([T.exp(T.dvector("x")) * 2.0]))
    3
    """
    count, stack = 0, list(nodes)
    while stack:
        node = stack.pop()
        count += 1
        loop = loop_in(node)
        stack += [] if loop is None else toposort(loop.results)
    return count


def inside_text(node: Apply) -> str:
    """The number of ops inside an op with graphs, in words."""
    count = sum(op_count(toposort(g.results)) for g in insides(node))
    return f"{count:,} op{'s' * (count != 1)} inside"


def is_view(node: Apply) -> bool:
    """True for ops that only show their operand in another way."""
    return getattr(getattr(node.op, "declaration", None), "kind", "") in ("view", "shape")


def own_seconds(node: Apply, model: Any, lengths: Callable[[Any], Any] | None = None) -> float:
    """Seconds of one application; a constant in another shape is one that the compiler writes out."""
    if is_view(node) and all(isinstance(v, Constant) for v in node.inputs):
        return 0.0
    return node_seconds(node, model, lengths)


def node_seconds(node: Apply, model: Any, lengths: Callable[[Any], Any] | None = None) -> float:
    """Seconds of one application of a declared op; of others only those of a call.

    ``lengths`` gives the lengths that are assumed of a variable, instead of those of its type.
    """
    if not isinstance(node.op, DeclaredOp):
        return float(model.call)
    of = lengths or (lambda v: v.type.shape)
    out: Any = node.outputs[0]
    shapes = [of(v) for v in node.inputs]
    return float(model.checked_seconds(node.op, shapes, of(out), np.dtype(out.type.dtype).itemsize))


def matches_of(old: Sequence[LoopFacts], new: Sequence[LoopFacts]) -> dict[LoopFacts, list[LoopFacts]]:
    """For each loop those that it has become: the one most like it, and those like it that nothing else has become."""
    alike = {loop: {n: score for n in new if (score := _alike(loop, n))} for loop in old}
    best = {loop: max(found, key=found.__getitem__) for loop, found in alike.items() if found}
    found = {loop: [best[loop]] if loop in best else [] for loop in old}
    for n in new:
        owner = max(old, key=lambda loop: alike[loop].get(n, 0.0))
        if n not in best.values() and n in alike[owner]:
            found[owner].append(n)
    return found


def _alike(old: LoopFacts, new: LoopFacts) -> float:
    """The share of a loop that another one holds: its name, its states, its ops; 0 where that is too little."""
    if (old.around is None) != (new.around is None):
        return 0.0
    named = old.label is not None and old.label in (new.label or "").split("+")
    states = len(old.states & new.states) / max(1, len(old.states))
    mine = Counter(old.keys.values())
    ops = sum((mine & Counter(new.keys.values())).values()) / max(1, sum(mine.values()))
    return named + states + ops if named or states or ops >= 0.5 else 0.0
