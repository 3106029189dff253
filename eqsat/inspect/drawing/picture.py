"""Graphs as pictures: one SVG of a graph, or of two side by side with what differs highlighted."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Any

from eqsat.base.text_files import write_text
from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError
from eqsat.graph.core import Variable
from eqsat.graph.tensor_type import shorten
from eqsat.inspect.drawing.boxes import PADDING, SMALL_SIZE, Box, Unit, text_width
from eqsat.inspect.drawing.common_parts import common_units
from eqsat.inspect.drawing.contents import Room, boxes_of
from eqsat.inspect.drawing.frames import planned
from eqsat.inspect.drawing.layout import Edge, Layout
from eqsat.inspect.drawing.marks import back_mark, box_mark, frame_mark, line_marks, number, safe, text_mark
from eqsat.inspect.drawing.style import FITS, LEGEND, STYLE
from eqsat.printing import outputs_of

LARGEST = 400  # nodes that are drawn of one graph
MARGIN = 18.0
SMALLEST = 0.6  # of its size, to which a picture shrinks on a narrow page before it is scrolled
HEADING_SIZE, CAPTION_SIZE = 14.0, 11.0


def draw(
    outputs: Any, file: Any = None, title: str | None = None, loops: bool = True, steps: bool = False
) -> str:
    """SVG text of a graph, inputs above and outputs below; also written to ``file`` if one is given.

    ``outputs`` is a variable, a list of variables or a compiled function; ``file`` a path or a text file.
    Of a graph of more than 400 nodes the 400 nearest to the outputs are drawn. With ``loops`` a loop, or another op
    that holds graphs, is a box around what it does in each step: x[t] and h[t-1] come in above, h[t] goes out below,
    and a broken line leads to the next step. Of one such graph 120 nodes are drawn, of all together 400; other loops
    stay closed and say how large they are.

    With ``steps`` the steps of a compiled function are drawn: a frame around what each kernel holds, and around the steps of
    each group that runs over blocks of rows, with its seconds by the cost model and the bytes that it reads → writes.

    A path that ends in .html becomes a page that needs no network, in which the graph can be moved, folded and looked
    into.

    Errors   ArgumentError where outputs is none of these, steps are asked for of what has none, or a path ends in another
             format than .svg or .html

    >>> import eqsat.tensor as T
    >>> x = T.vector("x")
    >>> svg = draw(T.exp(x) + 1, title="exp(x) + 1")
    >>> svg.startswith("<svg"), "f64[?]" in svg
    (True, True)
    """
    picture = _Picture()
    graph = _steps_of(outputs) if steps else outputs_of(outputs)
    _panel(picture, _Panel(graph, title or "", "", loops), MARGIN, None)
    paged = isinstance(file, (str, os.PathLike)) and os.fspath(file).lower().endswith(".html")
    svg = _finish(picture, title or "graph", [*_kinds(picture)], None if paged else file)
    if paged:
        write_picture(_page(graph, title or "graph"), file)
    return svg


def _steps_of(function: Any) -> list[Any]:
    """The graph of the steps of a compiled function, or of its report."""
    made = getattr(getattr(function, "report", function), "step_graph", None)
    if made is None:
        raise ArgumentError(
            f"draw: {shorten(function)} has no steps", needs="a compiled function", hint="eqsat.function(...)"
        )
    found: list[Any] = made()
    return found


def _page(outputs: Sequence[Any], title: str) -> str:
    from eqsat.inspect.comparison.comparison_page import graph_page

    return graph_page(outputs, title)


def draw_pair(
    before: Any,
    after: Any,
    file: Any = None,
    titles: Sequence[str] = ("before", "after"),
    captions: Sequence[str] = ("", ""),
) -> str:
    """SVG text of two graphs side by side: what both contain is muted, what one adds is highlighted.

    Two parts are the same if their ops, operands and constants are; ``captions`` stand below the titles.
    The graphs and ``file`` are as for :func:`draw`.

    >>> import eqsat.tensor as T
    >>> x = T.vector("x")
    >>> svg = draw_pair(T.log(T.exp(x)), x, captions=("2 ops", "0 ops"))
    >>> svg.count('"eq-box eq-op eq-new"'), svg.count('"eq-box eq-input eq-old"')
    (2, 2)
    """
    graphs = [outputs_of(before), outputs_of(after)]
    common = common_units(*graphs)
    picture = _Picture()
    left = MARGIN
    for graph, title, caption in zip(graphs, titles, captions, strict=True):
        if left > MARGIN:
            picture.separators.append(left)
            left += MARGIN
        left = _panel(picture, _Panel(graph, title, caption), left, common) + MARGIN
    return _finish(picture, " → ".join(titles), ["old", "new"], file)


def draw_steps(
    graphs: Sequence[Any], file: Any = None, titles: Sequence[str] = (), captions: Sequence[str] = ()
) -> str:
    """SVG text of graphs one beside the other, in each of which is highlighted what the one before does not hold.

    The graphs and ``file`` are as for :func:`draw`.

    >>> import eqsat.tensor as T
    >>> x = T.vector("x")
    >>> svg = draw_steps([T.log(T.exp(x)), x], titles=["as written", "log-exp"])
    >>> svg.count('"eq-separator"'), 'eq-input eq-old' in svg
    (1, True)
    """
    outputs = [outputs_of(g) for g in graphs]
    picture = _Picture()
    left = MARGIN
    for k, graph in enumerate(outputs):
        common = common_units(outputs[max(0, k - 1)], graph)
        if left > MARGIN:
            picture.separators.append(left)
            left += MARGIN
        panel = _Panel(graph, titles[k] if k < len(titles) else "", captions[k] if k < len(captions) else "")
        left = _panel(picture, panel, left, common) + MARGIN
    return _finish(picture, " → ".join(titles) or "steps", ["old", "new"], file)


# ---------------------------------------------------------------------------------------------- panels


@dataclass
class _Panel:
    """One graph with its heading."""

    outputs: list[Variable]
    title: str
    caption: str
    loops: bool = True


@dataclass
class _Picture:
    """SVG elements so far, frames below lines below boxes, and how far they reach."""

    frames: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    boxes: list[str] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)
    separators: list[float] = field(default_factory=list)
    right: float = 0.0
    bottom: float = MARGIN


def _panel(picture: _Picture, panel: _Panel, left: float, common: set[Unit] | None) -> float:
    """Draw a graph with its heading to the right of ``left``; returns where it ends."""
    boxes = boxes_of(panel.outputs, LARGEST, Room(LARGEST if panel.loops else 0))
    edges, plan = planned(boxes)
    caption = textwrap.wrap(panel.caption, max(40, int(plan.width / CAPTION_SIZE / 0.62)))
    headings = [(panel.title, HEADING_SIZE)] * bool(panel.title) + [(line, CAPTION_SIZE) for line in caption]
    width = max([plan.width, *(text_width(text, size) for text, size in headings)])
    top = MARGIN
    for text, size in headings:
        top += size
        name = "eq-heading" if size == HEADING_SIZE else "eq-caption"
        picture.boxes.append(text_mark(left + width / 2, top, text, name))
        top += 0.45 * size
    top += 10 if headings else 0
    _graph(picture, boxes, edges, plan, (left + (width - plan.width) / 2, top), common)
    picture.right = max(picture.right, left + width)
    picture.bottom = max(picture.bottom, top + plan.height)
    return left + width


def _graph(
    picture: _Picture,
    boxes: list[Box],
    edges: list[Edge],
    plan: Layout,
    origin: tuple[float, float],
    common: set[Unit] | None,
) -> None:
    states = [_state(box, common) for box in boxes]
    for state in ("eq-old", "", "eq-new"):
        chosen = [r for r, e in zip(plan.routes, edges, strict=True) if states[e.target] == state]
        picture.lines += line_marks(chosen, origin, state)
    for box, x, y, state in zip(boxes, plan.x, plan.y, states, strict=True):
        picture.kinds.add(box.kind)
        if box.frame is None:
            picture.boxes.append(box_mark(box, origin[0] + x, origin[1] + y, state))
            continue
        frame = box.frame
        left, top = origin[0] + x - frame.width / 2, origin[1] + y
        picture.frames.append(frame_mark(frame, left, top, state))
        picture.lines += [back_mark(back, left, top) for back in frame.back]
        inside = left + frame.origin[0], top + frame.origin[1]
        _graph(picture, frame.boxes, frame.edges, frame.plan, inside, common)


def _state(box: Box, common: set[Unit] | None) -> str:
    if common is None:
        return ""
    unit = box.unit
    if box.kind == "output" and isinstance(unit, Variable):
        unit = unit.owner or unit
    return "eq-old" if unit is None or unit in common else "eq-new"


# ------------------------------------------------------------------------------------------------- page


def _kinds(picture: _Picture) -> Iterable[str]:
    return (kind for kind in LEGEND if kind in picture.kinds)


def _finish(picture: _Picture, label: str, legend: Sequence[str], file: Any) -> str:
    marks = _legend(picture, legend)
    width, height = picture.right + MARGIN, picture.bottom + MARGIN
    size = f'width="{number(width)}" height="{number(height)}" viewBox="0 0 {number(width)} {number(height)}"'
    size += f' style="min-width:{number(SMALLEST * width)}px"'
    rules = [
        f'<path class="eq-separator" d="M{number(x)} {number(MARGIN)}V{number(height - MARGIN)}"/>'
        for x in picture.separators
    ]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} class="eqsat" role="img" aria-label="{safe(label)}">',
        f"<title>{safe(label)}</title>",
        f"<style>{FITS}{STYLE}</style>",
        f'<rect class="eq-page" width="{number(width)}" height="{number(height)}" rx="8"/>',
        *rules,
        *picture.frames,
        *picture.lines,
        *picture.boxes,
        *marks,
        "</svg>",
    ]
    text = "\n".join(parts) + "\n"
    write_picture(text, file)
    return text


def _legend(picture: _Picture, kinds: Sequence[str]) -> list[str]:
    """A swatch and a word for each kind of box, below everything, in as many rows as the width needs."""
    marks: list[str] = []
    limit = max(picture.right, 230.0)
    x, y = MARGIN, picture.bottom + 16
    for kind in kinds:
        width = 15 + text_width(LEGEND[kind], SMALL_SIZE) + PADDING
        if x > MARGIN and x + width > limit:
            x, y = MARGIN, y + 15
        marks.append(f'<g class="eq-key eq-{kind}"><path d="M{number(x)} {number(y)}h10v9h-10z"/>')
        marks.append(text_mark(x + 14, y + 8, LEGEND[kind], "eq-word") + "</g>")
        x += width + 4
        picture.right = max(picture.right, x - PADDING)
    picture.bottom = y + 9 if kinds else picture.bottom
    return marks


def write_picture(text: str, file: Any) -> None:
    """Write SVG, or a page with SVG in it, to a path or a text file; nothing where there is none.

    Errors   ArgumentError for a path that ends as that of another format
    """
    if file is None:
        return
    if isinstance(file, (str, os.PathLike)):
        suffix = os.path.splitext(os.fspath(file))[1]
        if suffix.lower() not in ("", ".svg", ".html"):
            raise ArgumentError(
                f"a picture is written as SVG, not as {suffix}",
                hint=f"{os.path.splitext(os.fspath(file))[0]}.svg",
            )
    write_text(text, file)
