"""Two graphs aligned: what is in both is folded to names, and each other op is one line in terms of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

from eqsat.base.values import dataclass
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.walk import ancestors, toposort
from eqsat.inspect.comparison.node_costs import Priced, priced
from eqsat.inspect.drawing.common_parts import structure_numbers
from eqsat.inspect.loop_facts import LoopFacts, is_view
from eqsat.printing.leaf_texts import steps_text
from eqsat.printing.line import labelled

WIDEST = 56  # of an expression in a line


@dataclass(frozen=True)
class Line:
    """One op of one graph, or a part that both hold: its name, what it computes, and its cost by each model.

    ``name`` is a1, a2 for what is only in the first graph, b1 for the second, s1 for a part of both, which is the op
    with the ``ops`` that it needs. ``depth`` is the number of loops around it.

    Units    ``seconds`` one for each cost model, in all steps of the loops around it
    """

    name: str
    text: str
    type: str
    seconds: tuple[float, ...]
    made_at: str | None
    depth: int = 0
    ops: int = 1
    number: int = -1  # of the structure of the op, which boxes of a page have too

    def __str__(self) -> str:
        return f"{'  ' * self.depth}{self.name} = {self.text}"


@dataclass
class Graph:
    """One of the two graphs: its outputs, its ops with what each costs by each model."""

    outputs: list[Any]
    priced: list[Priced]
    seconds: list[tuple[float, ...]]
    numbers: dict[Any, int] = field(default_factory=dict)
    labels: dict[Variable, str] = field(default_factory=dict)

    @cached_property
    def loops(self) -> dict[Apply, LoopFacts]:
        """The facts of each loop."""
        return {p.loop.node: p.loop for p in self.priced if p.loop is not None}

    @property
    def total(self) -> tuple[float, ...]:
        """Seconds of the graph by each model."""
        return tuple(map(sum, zip(*self.seconds, strict=True))) or (0.0,)


def graph_of(outputs: Sequence[Any], models: Sequence[Any], lengths: Sequence[Any] | None = None) -> Graph:
    """A graph with what its ops cost by some models, with lengths to reckon with for each of them."""
    by_model = [
        priced(outputs, m, known) for m, known in zip(models, lengths or [None] * len(models), strict=True)
    ]
    each = zip(*([p.seconds for p in ps] for ps in by_model), strict=True)
    seconds = list(each) if by_model[0] else [(0.0,) * len(models)]
    return Graph(list(outputs), by_model[0], seconds)


@dataclass
class Alignment:
    """The lines of what both graphs hold, and of what only the first and only the second does."""

    shared: list[Line]
    only: tuple[list[Line], list[Line]]
    shared_ops: int
    shared_seconds: tuple[float, ...]
    outputs: list[tuple[str, str]]


def align(first: Graph, second: Graph) -> Alignment:
    """Names for the parts of two graphs: equal structure is recognised, also inside loops."""
    first.numbers, second.numbers = structure_numbers(first.outputs, second.outputs)
    common = set(first.numbers.values()) & set(second.numbers.values())
    names = _border_names([first, second], common)
    shared = _shared_lines(first, common, names)
    for graph in (first, second):
        graph.labels.update(_labels(graph, names))
    only = (_own_lines(first, "a", second), _own_lines(second, "b", first))
    spare = _spare(first, second)
    kept = [s for k, s in enumerate(first.seconds[: len(first.priced)]) if k not in spare]
    pairs = [
        (output_text(u, first), output_text(v, second))
        for u, v in zip(first.outputs, second.outputs, strict=False)
    ]
    return Alignment(shared, only, len(kept), tuple(map(sum, zip(*kept, strict=True))), pairs)


def output_text(variable: Any, graph: Graph) -> str:
    """An output in the names of the lines."""
    return labelled(variable, graph.labels, WIDEST)


def _border_names(graphs: Sequence[Graph], common: set[int]) -> dict[int, str]:
    """A name for each part that both graphs hold and that something else, or the result, is made of."""
    used: dict[int, None] = {}
    for graph in graphs:
        own = [p.node for p in graph.priced if graph.numbers[p.node] not in common]
        read = [v for node in own for v in node.inputs] + graph.outputs
        read += [v for node in own for v in _inner_results(node, graph)]
        for v in map(_seen, read):
            if v.owner is not None and graph.numbers.get(v.owner) in common:
                used.setdefault(graph.numbers[v.owner])
    first = graphs[0]
    order = [first.numbers[p.node] for p in first.priced if first.numbers[p.node] in used]
    return {n: f"s{k}" for k, n in enumerate(dict.fromkeys(order), 1)}


def _inner_results(node: Apply, graph: Graph) -> list[Variable]:
    """The results of steps of a loop that is not in both graphs."""
    loop = _loop_at(node, graph)
    return [] if loop is None else list(loop.graph.results)


def _loop_at(node: Apply, graph: Graph) -> LoopFacts | None:
    return graph.loops.get(node)


def _seen(v: Any) -> Any:
    """The variable behind a view."""
    while v.owner is not None and is_view(v.owner):
        v = v.owner.inputs[0]
    return v


def _labels(graph: Graph, names: Mapping[int, str]) -> dict[Variable, str]:
    """Names for the variables of parts that both graphs hold, and for the inputs of loops."""
    found: dict[Variable, str] = {}
    for p in graph.priced:
        if p.loop is not None:
            found.update(p.loop.labels)
        name = names.get(graph.numbers[p.node])
        if name is not None:
            found.update(_named(p.node, name))
    return found


def _named(node: Apply, name: str) -> dict[Variable, str]:
    several = len(node.outputs) > 1
    return {v: f"{name}[{k}]" if several else name for k, v in enumerate(node.outputs)}


def _shared_lines(graph: Graph, common: set[int], names: Mapping[int, str]) -> list[Line]:
    """A line for each part that both hold, with the number and the cost of the ops that it is made of."""
    cost: dict[Apply, tuple[float, ...]] = {}
    for p, s in zip(graph.priced, graph.seconds, strict=False):
        cost.setdefault(p.node, s)
    lines: dict[str, Line] = {}
    for p in graph.priced:
        name = names.get(graph.numbers[p.node])
        if name is None or name in lines:
            continue
        inner = {} if p.loop is None else p.loop.labels
        nodes = list({graph.numbers[n]: n for n in toposort(p.node.outputs)}.values())  # equal ones once
        seconds = tuple(map(sum, zip(*(cost[n] for n in nodes), strict=True)))
        text = labelled(p.node.outputs[0], inner, WIDEST)
        lines[name] = Line(
            name, text, _types(p.node), seconds, _line_of(p.node), 0, len(nodes), graph.numbers[p.node]
        )
    return list(lines.values())


def _spare(graph: Graph, other: Graph) -> set[int]:
    """The places of the ops that the other graph does not hold, or not so often."""
    left = Counter(other.numbers[p.node] for p in other.priced)
    found = set()
    for k, p in enumerate(graph.priced):
        number = graph.numbers[p.node]
        if not left[number]:
            found.add(k)
        else:
            left[number] -= 1
    return found


def _own_lines(graph: Graph, letter: str, other: Graph) -> list[Line]:
    """A line for each op that only this graph holds; views are written where they are read."""
    results, spare = {v.owner for v in graph.outputs}, _spare(graph, other)
    lines: list[Line] = []
    for k, (p, seconds) in enumerate(zip(graph.priced, graph.seconds, strict=False)):
        node = p.node
        if k not in spare or (is_view(node) and node not in results):
            continue
        name = f"{letter}{len(lines) + 1}"
        for v in node.outputs:
            graph.labels.pop(v, None)  # of a copy of what both hold
        text, number = _own_text(p, graph), graph.numbers[node]
        lines.append(Line(name, text, _types(node), seconds, _line_of(node), p.depth, number=number))
        graph.labels.update(_named(node, name))
    return lines


def _own_text(p: Priced, graph: Graph) -> str:
    loop = _loop_at(p.node, graph)
    if loop is None:
        return labelled(p.node.outputs[0], graph.labels, WIDEST).removesuffix("[0]")
    count, unit = steps_text(loop.graph)
    taken = [
        loop_input(port.label, p.node.inputs[port.outer], graph)
        for port in loop.graph.inputs
        if port.outer is not None and port.variable is not None
    ]
    return f"{p.node.op}: {count}{unit}; " + ", ".join(dict.fromkeys(taken))


def loop_input(label: str, outer: Variable, graph: Graph) -> str:
    """The outer variable for a variable inside a loop."""
    text = labelled(outer, graph.labels, 24)
    return text if label in (text, "") else f"{label}: {text}"


def _types(node: Apply) -> str:
    return ", ".join(v.type.short() for v in node.outputs)


def _line_of(node: Apply) -> str | None:
    return node.outputs[0].made_at if node.outputs else None


def inputs_only_in(first: Graph, second: Graph) -> list[str]:
    """Inputs that one graph reads and the other does not, by name, and with the type where the other has that name too."""
    mine, theirs = _inputs(first), _inputs(second)
    names = {name for name, _ in theirs}
    return sorted(
        f"{name} {kind.short() if hasattr(kind, 'short') else kind}" if name in names else name
        for name, kind in mine - theirs
    )


def _inputs(graph: Graph) -> set[tuple[str, Any]]:
    """Names and types of what a graph reads."""
    found = (v for v in ancestors(graph.outputs) if v.owner is None and not isinstance(v, Constant))
    return {(str(v), v.type) for v in found}
