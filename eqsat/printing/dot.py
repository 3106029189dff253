"""Graphs in the dot language: a box per variable and an ellipse per op; pictures through Graphviz or our own SVG."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.walk import graph_inputs, toposort
from eqsat.notices import warn_once
from eqsat.printing.words import leaf_text, outputs_of

TEXT = ("dot", "gv", "txt")
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
) -> str:
    """The graph of a variable, a list of variables or a compiled function in the dot language.

    ``compact`` leaves out variables between two ops that have no name. ``var_with_name_simple`` shows a variable that
    has a name by it alone, without its type.

    >>> import eqsat.tensor as T
    >>> x, y = T.vectors("x", "y")
    >>> text = dot_text(x + y, var_with_name_simple=True)
    >>> text.count("shape=box"), text.count("shape=ellipse")
    (3, 1)
    """
    outputs = outputs_of(fct)
    drawing = _Dot(outputs, compact, with_ids, var_with_name_simple, max_label_size)
    return "\n".join(
        ["digraph eqsat {", '  node [style=filled, fontname="monospace"];', *drawing.lines(), "}", ""]
    )


class _Dot:
    def __init__(self, outputs: list[Variable], compact: bool, ids: bool, simple: bool, widest: int) -> None:
        self.outputs, self.compact, self.ids, self.simple, self.widest = outputs, compact, ids, simple, widest
        self.nodes = toposort(outputs)
        self.op = {node: f"op{k}" for k, node in enumerate(self.nodes)}
        shown = dict.fromkeys([*graph_inputs(outputs), *(v for n in self.nodes for v in n.outputs), *outputs])
        self.box = {v: f"var{k}" for k, v in enumerate(v for v in shown if self._is_shown(v))}

    def _is_shown(self, v: Variable) -> bool:
        return v.owner is None or v in self.outputs or v.name is not None or not self.compact

    def lines(self) -> Iterator[str]:
        for v, name in self.box.items():
            yield f'  {name} [shape=box, fillcolor="{COLOURS[self._kind(v)]}", label={_quoted(self._text(v))}];'
        for node, name in self.op.items():
            yield f'  {name} [shape=ellipse, fillcolor="{COLOURS["op"]}", label={_quoted(self._cut(self._op(node)))}];'
        for node, name in self.op.items():
            for place, v in enumerate(node.inputs):
                yield f"  {self._source(v)} -> {name}{self._edge(v, place if len(node.inputs) > 1 else None)};"
            for v in node.outputs:
                if v in self.box:
                    yield f"  {name} -> {self.box[v]}{self._edge(v, v.index if len(node.outputs) > 1 else None)};"

    def _source(self, v: Variable) -> str:
        if v in self.box:
            return self.box[v]
        assert v.owner is not None
        return self.op[v.owner]

    def _edge(self, v: Variable, place: int | None) -> str:
        words = [str(place)] if place is not None else []
        if v not in self.box:
            words.append(v.type.short())
        return f" [label={_quoted(' '.join(words))}]" if words else ""

    def _kind(self, v: Variable) -> str:
        if v in self.outputs:
            return "output"
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


def pydotprint(
    fct: Any,
    outfile: Any = None,
    compact: bool = True,
    format: str | None = None,
    with_ids: bool = False,
    high_contrast: bool = True,
    max_label_size: int = 70,
    scan_graphs: bool = False,
    var_with_name_simple: bool = False,
    print_output_file: bool = True,
    return_image: bool = False,
) -> str | None:
    """Write a picture of a graph, and say where.

    ``outfile`` ends in .svg (drawn without other programs), in .dot (text), or in another format, which needs the
    program dot of Graphviz; where that is missing, the dot text is written to the file instead, and a warning says so.
    ``return_image`` returns the SVG text and writes nothing. ``high_contrast`` and ``scan_graphs`` are taken for the
    sake of older programs.

    >>> import eqsat.tensor as T
    >>> x = T.dscalar("x")
    >>> pydotprint(x + 1, return_image=True).startswith("<svg")
    True
    """
    from eqsat.drawing import draw

    if return_image:
        return draw(fct)
    name = os.fspath(outfile) if outfile is not None else f"eqsat.pydotprint.{format or 'svg'}"
    kind = format or (os.path.splitext(name)[1][1:].lower() or "svg")
    if kind == "svg":
        with open(name, "w", encoding="utf-8") as file:
            file.write(draw(fct))
    else:
        text = dot_text(fct, compact, with_ids, var_with_name_simple, max_label_size)
        _write(text, name, kind)
    if print_output_file:
        print(f"The output file is available at {name}")
    return None


def _write(text: str, name: str, kind: str) -> None:
    program = None if kind in TEXT else shutil.which("dot")
    if program is not None:
        subprocess.run([program, f"-T{kind}", "-o", name], input=text.encode(), check=True)
        return
    if kind not in TEXT:
        warn_once(
            "graphviz", f"Graphviz is not installed: {name} holds the text of the dot language, not a picture"
        )
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
