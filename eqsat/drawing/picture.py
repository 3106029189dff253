"""Graphs as pictures: one SVG of a graph, or of two side by side with what differs highlighted."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape

from eqsat.drawing.boxes import (
    PADDING,
    SMALL_SIZE,
    TITLE_SIZE,
    Box,
    Unit,
    boxes_of,
    common_units,
    text_width,
)
from eqsat.drawing.layout import Edge, Layout, Route, layout
from eqsat.drawing.style import LEGEND, STYLE
from eqsat.errors import ArgumentError
from eqsat.graph.core import Variable
from eqsat.printing import outputs_of

LARGEST = 400  # nodes that are drawn of one graph
MARGIN = 18.0
HEADING_SIZE, CAPTION_SIZE = 14.0, 11.0
ARROW = 6.0


def draw(outputs: Any, file: Any = None, title: str | None = None) -> str:
    """SVG text of a graph, inputs above and outputs below; also written to ``file`` if one is given.

    ``outputs`` is a variable, a list of variables or a compiled function; ``file`` a path or a text file.
    Of a graph of more than 400 nodes the 400 nearest to the outputs are drawn.

    Errors   ArgumentError where outputs is none of these, or a path ends in another format than .svg

    >>> import eqsat.tensor as T
    >>> x = T.vector("x")
    >>> svg = draw(T.exp(x) + 1, title="exp(x) + 1")
    >>> svg.startswith("<svg"), "f64[?]" in svg
    (True, True)
    """
    picture = _Picture()
    _panel(picture, _Panel(outputs_of(outputs), title or "", ""), MARGIN, None)
    return _finish(picture, title or "graph", [*_kinds(picture)], file)


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


# ---------------------------------------------------------------------------------------------- panels


@dataclass
class _Panel:
    """One graph with its heading."""

    outputs: list[Variable]
    title: str
    caption: str


@dataclass
class _Picture:
    """SVG elements so far, lines below boxes, and how far they reach."""

    lines: list[str] = field(default_factory=list)
    boxes: list[str] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)
    separators: list[float] = field(default_factory=list)
    right: float = 0.0
    bottom: float = MARGIN


def _panel(picture: _Picture, panel: _Panel, left: float, common: set[Unit] | None) -> float:
    """Draw a graph with its heading to the right of ``left``; returns where it ends."""
    boxes = boxes_of(panel.outputs, LARGEST)
    edges = [Edge(s, target, p) for target, box in enumerate(boxes) for p, s in enumerate(box.operands)]
    sizes = [box.size() for box in boxes]
    late = [box.kind == "constant" for box in boxes]
    plan = layout(sizes, edges, [not box.commutes for box in boxes], late)
    caption = textwrap.wrap(panel.caption, max(40, int(plan.width / CAPTION_SIZE / 0.62)))
    headings = [(panel.title, HEADING_SIZE)] * bool(panel.title) + [(line, CAPTION_SIZE) for line in caption]
    width = max([plan.width, *(text_width(text, size) for text, size in headings)])
    top = MARGIN
    for text, size in headings:
        top += size
        name = "eq-heading" if size == HEADING_SIZE else "eq-caption"
        picture.boxes.append(_text(left + width / 2, top, text, name))
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
        picture.lines += _lines(chosen, origin, state)
    for box, x, y, state in zip(boxes, plan.x, plan.y, states, strict=True):
        picture.boxes.append(_box(box, origin[0] + x, origin[1] + y, state))
        picture.kinds.add(box.kind)


def _state(box: Box, common: set[Unit] | None) -> str:
    if common is None:
        return ""
    unit = box.unit
    if box.kind == "output" and isinstance(unit, Variable):
        unit = unit.owner or unit
    return "eq-old" if unit is None or unit in common else "eq-new"


# ------------------------------------------------------------------------------------------------ marks


def _box(box: Box, x: float, top: float, state: str) -> str:
    width, height = box.size()
    classes = " ".join(filter(None, ["eq-box", f"eq-{box.kind}", state]))
    radius = 4.0 if box.kind in ("op", "view", "more") else height / 2 if box.small else 11.0
    text_size = SMALL_SIZE if box.small else TITLE_SIZE
    baseline = top + height / 2 + (-2.5 if box.detail else 0.36 * text_size)
    argument = f'<tspan class="eq-argument" dx="{SMALL_SIZE / 2:.2f}">{_safe(box.argument)}</tspan>'
    parts = [
        f'<g class="{classes}"><title>{_safe(box.tooltip or box.title)}</title>',
        f'<rect x="{_n(x - width / 2)}" y="{_n(top)}" width="{_n(width)}" height="{_n(height)}" rx="{_n(radius)}"/>',
        _text(x, baseline, box.title, "eq-small" if box.small else "eq-title", argument * bool(box.argument)),
        _text(x, top + height / 2 + 11, box.detail, "eq-detail") if box.detail else "",
    ]
    return "".join(parts) + "</g>"


def _text(x: float, baseline: float, text: str, name: str, more: str = "") -> str:
    return f'<text class="{name}" x="{_n(x)}" y="{_n(baseline)}">{_safe(text)}{more}</text>'


def _lines(routes: Sequence[Route], origin: tuple[float, float], state: str) -> list[str]:
    """Lines and arrowheads; a piece that several lines share is drawn once."""
    pieces: dict[str, None] = {}
    heads = []
    for route in routes:
        x, y, y_band = route.start
        for to_x, top, bottom in [*route.through, (route.end[0], route.end[1], route.end[2] - ARROW + 1)]:
            pieces[_curve(origin, (x, y), y_band, (to_x, top), bottom)] = None
            x, y, y_band = to_x, bottom, bottom
        tip_x, tip_y = origin[0] + route.end[0], origin[1] + route.end[2]
        heads.append(f"M{_n(tip_x - 3.5)} {_n(tip_y - ARROW)}h7L{_n(tip_x)} {_n(tip_y)}z")
    if not heads:
        return []
    suffix = f" {state}" if state else ""
    return [
        f'<path class="eq-line{suffix}" d="{"".join(pieces)}"/>',
        f'<path class="eq-head{suffix}" d="{"".join(heads)}"/>',
    ]


def _curve(
    origin: tuple[float, float], a: tuple[float, float], band: float, b: tuple[float, float], bottom: float
) -> str:
    """Straight down to the end of a layer, across the gap, and straight through the next layer."""
    x, y = origin
    middle = y + (band + b[1]) / 2
    across = f"C{_n(x + a[0])} {_n(middle)} {_n(x + b[0])} {_n(middle)} {_n(x + b[0])} {_n(y + b[1])}"
    return f"M{_n(x + a[0])} {_n(y + a[1])}V{_n(y + band)}{across}V{_n(y + bottom)}"


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _safe(text: str) -> str:
    """Text for XML: escaped, without characters that XML does not allow."""
    allowed = (c if c in "\t\n\r" or "\x20" <= c < "\ud800" or "\ue000" <= c < "\ufffe" or c > "\uffff" else "\ufffd"
               for c in text)  # fmt: skip
    return escape("".join(allowed), {'"': "&quot;"})


# ------------------------------------------------------------------------------------------------- page


def _kinds(picture: _Picture) -> Iterable[str]:
    return (kind for kind in LEGEND if kind in picture.kinds)


def _finish(picture: _Picture, label: str, legend: Sequence[str], file: Any) -> str:
    marks = _legend(picture, legend)
    width, height = picture.right + MARGIN, picture.bottom + MARGIN
    size = f'width="{_n(width)}" height="{_n(height)}" viewBox="0 0 {_n(width)} {_n(height)}"'
    rules = [
        f'<path class="eq-separator" d="M{_n(x)} {_n(MARGIN)}V{_n(height - MARGIN)}"/>'
        for x in picture.separators
    ]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} class="eqsat" role="img" aria-label="{_safe(label)}">',
        f"<title>{_safe(label)}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="eq-page" width="{_n(width)}" height="{_n(height)}" rx="8"/>',
        *rules,
        *picture.lines,
        *picture.boxes,
        *marks,
        "</svg>",
    ]
    text = "\n".join(parts) + "\n"
    _write(text, file)
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
        marks.append(f'<g class="eq-key eq-{kind}"><path d="M{_n(x)} {_n(y)}h10v9h-10z"/>')
        marks.append(_text(x + 14, y + 8, LEGEND[kind], "eq-word") + "</g>")
        x += width + 4
        picture.right = max(picture.right, x - PADDING)
    picture.bottom = y + 9 if kinds else picture.bottom
    return marks


def _write(text: str, file: Any) -> None:
    if file is None:
        return
    if isinstance(file, (str, os.PathLike)):
        suffix = os.path.splitext(os.fspath(file))[1]
        if suffix.lower() not in ("", ".svg", ".html"):
            raise ArgumentError(
                f"a picture is written as SVG, not as {suffix}",
                hint=f"{os.path.splitext(os.fspath(file))[0]}.svg",
            )
        with open(file, "w", encoding="utf-8") as stream:
            stream.write(text)
    else:
        file.write(text)
