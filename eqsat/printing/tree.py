"""Graphs as a tree of lines, one node a line, with ids; it does not recurse, and bounds the indentation."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from eqsat.base.text_files import encodable
from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.inner_graphs import FIXED, Inside, Port, insides
from eqsat.graph.walk import toposort
from eqsat.printing.leaf_texts import leaf_text, outputs_of, steps_text, wrapped

INDENTED_LEVELS = 40  # deeper lines say how much deeper they are instead of being indented further
ELLIPSIS = "···"
INDENT = "    "  # of graphs inside a graph that is inside an op


def debugprint(
    obj: Any,
    ids: bool | str = True,
    print_type: bool = False,
    depth: int | None = None,
    file: Any = None,
    *,
    print_shape: bool = False,
    print_destroy_map: bool = False,
    print_view_map: bool = False,
    stop_on_name: bool = False,
) -> str | None:
    """Tree of each output: ops, names, constants, and an id per node; a node's operands are printed once.

    ``obj`` is a variable, a list of variables, or a compiled function, whose optimised outputs are printed
    with the place of each op in the order of execution. ``depth`` is the number of levels to print.
    ``file=None`` prints to standard output, ``file="str"`` returns the text instead. ``ids`` is True or "CHAR" for
    letters, "int" for numbers, False or "" for none. ``print_shape`` adds the lengths that are known, the maps what an
    op overwrites or shows a part of; ``stop_on_name`` prints nothing below a variable that has a name. Graphs inside
    ops (of ``OpFromGraph``, ``ifelse``, ``scan``) follow at the end.

    Errors   ArgumentError where obj is none of these, or depth is less than 1

    >>> import eqsat.tensor as T
    >>> x = T.vector("x")
    >>> y = T.exp(x)
    >>> print(debugprint(y * (y + x), file="str"))
    mul [id A]
     ├─ exp [id B]
     │  └─ x [id C]
     └─ add [id D]
        ├─ exp [id B]
        │  └─ ···
        └─ x [id C]
    """
    if depth is not None and depth < 1:
        raise ArgumentError(f"debugprint: depth is at least 1, not {depth}", depth=depth)
    outputs = outputs_of(obj)
    order = toposort(outputs) if hasattr(obj, "outputs_optimised") else []
    marks = "CHAR" if ids is True else ids or ""
    if marks not in ("CHAR", "int", ""):
        raise ArgumentError(f"debugprint: ids does not take {ids!r}", needs="True, False, 'CHAR' or 'int'")
    places = {node: place for place, node in enumerate(order)}
    shown = [
        name for name, wanted in (("destroy_map", print_destroy_map), ("view_map", print_view_map)) if wanted
    ]
    tree = _Tree(marks, print_type, print_shape, stop_on_name, shown, depth, places)
    text = "\n".join(tree.lines(outputs))
    if file == "str":
        return text
    print(encodable(text), file=sys.stdout if file is None else file)
    return None


dprint = debugprint


@dataclass
class _Tree:
    """The lines printed so far, and the options."""

    ids: str
    print_type: bool
    print_shape: bool
    stop_on_name: bool
    maps: list[str]
    depth: int | None
    order: Mapping[Apply, int]
    numbers: dict[Apply | Variable, int] = field(default_factory=dict)
    expanded: set[Apply] = field(default_factory=set)
    labels: dict[Variable, str] = field(default_factory=dict)  # of variables inside ops
    found: dict[Apply, None] = field(
        default_factory=dict
    )  # ops with graphs inside, of which these are not printed yet
    met: set[Apply] = field(default_factory=set)

    def lines(self, outputs: list[Variable]) -> Iterator[str]:
        for output in outputs:
            yield from self._tree(output)
        if self.found:
            yield "\nInner graphs:"
        level, stack = 0, [(node, 0) for node in self._taken()]
        while stack:
            node, level = stack.pop()
            yield ""
            for graph in insides(node):
                yield from (INDENT * level + line for line in self._inner_graph(node, graph))
            stack += [(inner, level + 1) for inner in self._taken()]

    def _taken(self) -> list[Apply]:
        """The ops with graphs that were met since the last call, the first one last."""
        nodes, self.found = list(self.found)[::-1], {}
        return nodes

    def _inner_graph(self, node: Apply, graph: Inside) -> Iterator[str]:
        self.labels.update((p.variable, p.label) for p in graph.inputs if p.variable not in self.labels)
        yield self._heading(node, graph)
        for port in graph.inputs:
            if port.kind != FIXED and port.variable is not None:
                yield f" → {self._label(port.variable)}: {port.kind} {self._operand(node, port)}"
            elif port.variable is None and node.inputs[port.outer or 0] is not graph.steps:
                yield f" → {port.label}: {self._operand(node, port)}"
        same = [f"{self._label(p.variable)} = {self._operand(node, p)}" for p in graph.fixed]
        yield from wrapped(same, " → ", "   ")
        several = len(node.outputs) > 1
        for port in graph.outputs:
            words = port.label + (f" (.{port.outer})" if several and port.outer is not None else "")
            yield from self._tree(port.variable, f" ← {words}: " if words else " ← ")

    def _heading(self, node: Apply, graph: Inside) -> str:
        text = self._mark(graph.title or str(node.op), node)
        if graph.title and graph.steps is None:
            text = f"{self._mark(str(node.op), node)} {graph.title}"
        return text if graph.steps is None else f"{text}: {self._steps(graph)}"

    def _steps(self, graph: Inside) -> str:
        """The number of steps, with the id of what computes it."""
        count, more = steps_text(graph)
        constant = isinstance(graph.steps, Constant)
        return (count if constant else self._mark(count, graph.steps.owner or graph.steps)) + more

    def _operand(self, node: Apply, port: Port) -> str:
        """The operand of an op that a variable inside stands for."""
        return self._label(node.inputs[port.outer or 0]) if port.outer is not None else ""

    def _tree(self, root: Variable, start: str = "") -> Iterator[str]:
        stack = [(root, start, "   " if start else "", 1)]
        while stack:
            variable, first, rest, level = stack.pop()
            yield first + self._label(variable)
            node = variable.owner
            if node is None or not node.inputs or (self.stop_on_name and variable.name and level > 1):
                continue
            if node in self.expanded:
                yield _branch(rest, level, last=True)[0] + ELLIPSIS
            elif self.depth is None or level < self.depth:
                self.expanded.add(node)
                last = len(node.inputs) - 1
                for i, operand in reversed(list(enumerate(node.inputs))):
                    stack.append((operand, *_branch(rest, level, i == last), level + 1))

    def _label(self, variable: Variable) -> str:
        node = variable.owner
        if node is None:
            text = self._mark(self.labels.get(variable) or leaf_text(variable), variable)
            named = isinstance(variable, Constant) and variable.name
        else:
            text = self._mark(f"{node.op}" + (f".{variable.index}" if len(node.outputs) > 1 else ""), node)
            named = variable.name
            if node not in self.met and insides(node):
                self.met.add(node)
                self.found[node] = None
        text += f" <{variable.type.short()}>" if self.print_type else ""
        text += (
            f" shape={_shape_text(variable)}" if self.print_shape and hasattr(variable.type, "shape") else ""
        )
        if node is not None:
            text += "".join(
                f" {name}={found}" for name in self.maps if (found := getattr(node.op, name, None))
            )
        text += f" '{variable.name}'" if named else ""
        return text + (f" {self.order[node]}" if node is not None and node in self.order else "")

    def _mark(self, text: str, key: Apply | Variable) -> str:
        number = self.numbers.setdefault(key, len(self.numbers))
        return f"{text} [id {letters(number) if self.ids == 'CHAR' else number}]" if self.ids else text


def _shape_text(variable: Any) -> str:
    lengths = ", ".join("?" if n is None else str(n) for n in variable.type.shape)
    return f"({lengths}{',' if variable.type.ndim == 1 else ''})"


def _branch(rest: str, level: int, last: bool) -> tuple[str, str]:
    """The text before an operand, and before the lines below it."""
    if level > INDENTED_LEVELS:
        return f" ⋮ (+{level - INDENTED_LEVELS}) ", rest
    return rest + (" └─ " if last else " ├─ "), rest + ("   " if last else " │ ")


def letters(number: int) -> str:
    """The number in letters: A to Z, AA to AZ, BA and so on.

    >>> letters(0), letters(25), letters(26), letters(702)
    ('A', 'Z', 'AA', 'AAA')
    """
    text = ""
    while number >= 0:
        text = chr(ord("A") + number % 26) + text
        number = number // 26 - 1
    return text
