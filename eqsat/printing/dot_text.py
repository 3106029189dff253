"""The text of the dot language for a graph; the graphs inside ops are clusters with ports for what goes in and out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.inner_graphs import Inside, Port, insides
from eqsat.graph.walk import graph_inputs, toposort
from eqsat.printing.leaf_texts import leaf_text, outputs_of, steps_text

COLOURS = {
    "input": "#8fd18f",
    "output": "#8fb8e8",
    "constant": "#d9d9d9",
    "shared": "#e8c98f",
    "op": "#f4f4f4",
}


def dot_text(
    fct: Any,
    compact: bool = True,
    with_ids: bool = False,
    var_with_name_simple: bool = False,
    max_label_size: int = 70,
    scan_graphs: bool = True,
) -> str:
    """The graph of a variable, a list of variables or a compiled function in the dot language.

    ``compact`` leaves out variables between two ops that have no name. ``var_with_name_simple`` shows a variable that
    has a name by it alone, without its type. With ``scan_graphs`` the graphs inside loops and other ops are clusters.

    >>> import eqsat.tensor as T
    >>> x, y = T.vectors("x", "y")
    >>> text = dot_text(x + y, var_with_name_simple=True)
    >>> text.count("shape=box"), text.count("shape=ellipse")
    (3, 1)
    """
    drawing = _Dot(compact, with_ids, var_with_name_simple, max_label_size, scan_graphs)
    lines = drawing.lines(outputs_of(fct))
    return "\n".join(["digraph eqsat {", '  node [style=filled, fontname="monospace"];', *lines, "}", ""])


class _Dot:
    def __init__(self, compact: bool, ids: bool, simple: bool, widest: int, inner: bool) -> None:
        self.compact, self.ids, self.simple, self.widest, self.inner = compact, ids, simple, widest, inner
        self.boxes, self.ops = count(), count()
        self.op: dict[Apply, str] = {}  # those of the graph at hand
        self.box: dict[Variable, str] = {}

    def lines(self, outputs: list[Variable], stop: Sequence[Variable] = (), deep: int = 1) -> Iterator[str]:
        """Nodes and edges of a graph down to ``stop``, whose nodes are there already."""
        nodes = toposort(outputs, stop=stop)
        indent, ends = "  " * deep, outputs if deep == 1 else []
        shown = [*graph_inputs(outputs, stop=stop), *(v for n in nodes for v in n.outputs), *ends]
        for v in dict.fromkeys(shown):
            if v not in self.box and (v in ends or v.owner is None or v.name is not None or not self.compact):
                self.box[v] = f"var{next(self.boxes)}"
                colour = COLOURS["output" if v in ends else self._kind(v)]
                yield f'{indent}{self.box[v]} [shape=box, fillcolor="{colour}", label={_quoted(self._text(v))}];'
        for node in nodes:
            self.op[node] = f"op{next(self.ops)}"
            if self._inside(node):
                yield from self._clusters(node, indent, deep)
            else:
                label = _quoted(self._cut(self._op(node)))
                yield f'{indent}{self.op[node]} [shape=ellipse, fillcolor="{COLOURS["op"]}", label={label}];'
        for node in nodes:
            yield from (indent + line for line in self._edges(node))

    def _inside(self, node: Apply) -> list[Inside]:
        return [g for g in insides(node) if g.inputs] if self.inner else []

    # ------------------------------------------------------------------------------------------------- edges

    def _edges(self, node: Apply) -> Iterator[str]:
        graphs = self._inside(node)
        for place, v in enumerate(node.inputs):
            edge = self._edge(v, place if len(node.inputs) > 1 and not graphs else None)
            uses = [
                (g, k)
                for g, graph in enumerate(graphs)
                for k, p in enumerate(graph.inputs)
                if p.outer == place
            ]
            ends = [f"{self.op[node]}_{g}_in{k}" for g, k in uses] if graphs else [self.op[node]]
            yield from (f"{start} -> {end}{edge};" for start in self._starts(v) for end in ends)
        for v in node.outputs:
            if v in self.box:
                edge = self._edge(v, v.index if len(node.outputs) > 1 and not graphs else None)
                yield from (f"{start} -> {self.box[v]}{edge};" for start in self._made(v))

    def _starts(self, v: Variable) -> list[str]:
        return [self.box[v]] if v in self.box else self._made(v)

    def _made(self, v: Variable) -> list[str]:
        """The op that computes a variable, or the outputs of the graphs inside it."""
        node = v.owner
        assert node is not None
        graphs = self._inside(node)
        found = [
            (g, k)
            for g, graph in enumerate(graphs)
            for k, p in enumerate(graph.outputs)
            if p.outer == v.index
        ]
        return [f"{self.op[node]}_{g}_out{k}" for g, k in found] or [self.op[node]]

    def _edge(self, v: Variable, place: int | None) -> str:
        words = [str(place)] if place is not None else []
        if v not in self.box:
            words.append(v.type.short())
        return f" [label={_quoted(' '.join(words))}]" if words else ""

    # ------------------------------------------------------------------------------------- graphs inside ops

    def _clusters(self, node: Apply, indent: str, deep: int) -> Iterator[str]:
        for g, graph in enumerate(self._inside(node)):
            yield f"{indent}subgraph cluster_{self.op[node]}_{g} {{"
            yield f"{indent}  label={_quoted(self._cut(self._title(node, graph)))};"
            yield from self._cluster(f"{self.op[node]}_{g}", graph, indent + "  ", deep + 1)
            yield f"{indent}}}"

    def _cluster(self, name: str, graph: Inside, indent: str, deep: int) -> Iterator[str]:
        for k, port in enumerate(graph.inputs):
            yield f"{indent}{self._port(f'{name}_in{k}', port, 'input')}"
        around = self.op, self.box
        self.op = {}
        self.box = {p.variable: f"{name}_in{k}" for k, p in enumerate(graph.inputs) if p.variable is not None}
        yield from self.lines(graph.results, list(self.box), deep)
        for k, port in enumerate(graph.outputs):
            yield f"{indent}{self._port(f'{name}_out{k}', port, 'output')}"
            yield from (f"{indent}{start} -> {name}_out{k};" for start in self._starts(port.variable))
        self.op, self.box = around
        for j, i in graph.back:
            yield f'{indent}{name}_out{j} -> {name}_in{i} [style=dashed, constraint=false, label="next step"];'

    def _title(self, node: Apply, graph: Inside) -> str:
        if graph.steps is not None:
            return f"{graph.title}: {''.join(steps_text(graph))}"
        return f"{node.op} {graph.title}".strip()

    def _port(self, name: str, port: Port, kind: str) -> str:
        label = port.label or port.variable.type.short()
        return f'{name} [shape=cds, fillcolor="{COLOURS[kind]}", label={_quoted(self._cut(label))}];'

    # ------------------------------------------------------------------------------------------------- words

    def _kind(self, v: Variable) -> str:
        if isinstance(v, Constant):
            return "constant"
        return "shared" if hasattr(v, "get_value") else "input"

    def _op(self, node: Apply) -> str:
        return f"{node.op} id={self.op[node][2:]}" if self.ids else str(node.op)

    def _text(self, v: Variable) -> str:
        if v.name is not None and self.simple:
            return self._cut(v.name)
        words = leaf_text(v) if isinstance(v, Constant) else v.name or ""
        return self._cut(" ".join(filter(None, [words, v.type.short()])))

    def _cut(self, text: str) -> str:
        return text if len(text) <= self.widest else text[: self.widest - 1] + "…"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
