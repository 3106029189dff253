"""The page: a heading, graphs side by side, and sections with tables and pictures, in one file with its own script."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from eqsat.base.values import dataclass
from eqsat.graph.walk import toposort
from eqsat.inspect.drawing.common_parts import structure_numbers
from eqsat.inspect.drawing.style import LEGEND, STYLE
from eqsat.inspect.page.graph_data import LARGEST, Scene, graphs_data
from eqsat.printing import debugprint

FIRST = 60  # boxes that a page shows at first
MOST_TEXT = 2000  # nodes of a graph that is written as text


@dataclass(frozen=True)
class Panel:
    """One graph: its heading, what stands below, its outputs, and of its nodes the part of the cost and the cost in words.

    ``show`` says a part of the cost in words.
    """

    title: str
    caption: str
    outputs: Sequence[Any]
    costs: Mapping[Any, tuple[float, str]] = field(default_factory=dict)
    show: Callable[[float], str] = lambda share: f"{share:.1%}"


@dataclass(frozen=True)
class Section:
    """A part of the page below the graphs: a heading and HTML; ``open`` where it is not folded at first."""

    title: str
    html: str
    open: bool = True


def page(
    title: str, lead: str, panels: Sequence[Panel], sections: Sequence[Section] = (), top: str = ""
) -> str:
    """The text of an HTML file that needs no network.

    ``lead`` is plain text, ``top`` HTML between it and the graphs. Of two panels what both graphs hold is muted.

    >>> import eqsat.tensor as T
    >>> text = page("exp", "one op", [Panel("graph", "", [T.exp(T.dscalar("x"))])])
    >>> text.startswith("<!DOCTYPE html>"), "http-equiv" in text, "src=" in text
    (True, True, False)
    """
    data = _data(panels)
    parts = [
        _head(title),
        f"<body><main><h1>{escape(title)}</h1>",
        f'<p class="lead">{escape(lead)}</p>' if lead else "",
        top,
        _graphs(panels) if panels else "",
        *map(_section, [*sections, *map(_as_text, panels)]),
        "</main>",
        f'<script type="application/json" id="graphs">{_json(data)}</script>',
        f"<script>{_file('page.js')}</script>",
        "</body></html>",
    ]
    return "\n".join(filter(None, parts)) + "\n"


def _data(panels: Sequence[Panel]) -> list[Any]:
    """The graphs for the script; together they begin with a bounded number of boxes."""
    if not panels:
        return []
    second = panels[1].outputs if len(panels) == 2 else []
    numbers = structure_numbers(panels[0].outputs, second)
    common = set(numbers[0].values()) & set(numbers[1].values()) if len(panels) == 2 else None
    scenes = [Scene(p.costs, n, common, p.show) for p, n in zip(panels, numbers, strict=False)]
    return graphs_data([p.outputs for p in panels], scenes, FIRST)


def _head(title: str) -> str:
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
    return "\n".join(
        [
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escape(title)}</title><style>{_file('page.css')}{STYLE}</style></head>",
        ]
    )


def _json(data: Any) -> str:
    """JSON that may stand inside a script element."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


@lru_cache
def _file(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


FIND = (
    '<div class="find" role="search"><label for="find">Find</label><input id="find" type="search" role="combobox" '
    'autocomplete="off" aria-expanded="false" aria-controls="found" aria-autocomplete="list" '
    'placeholder="op, name, scope or line"><span id="found-count" role="status"></span>'
    '<ul id="found" role="listbox" aria-label="boxes that were found" hidden></ul></div>'
)


def _graphs(panels: Sequence[Panel]) -> str:
    figures = "".join(_figure(k, p) for k, p in enumerate(panels))
    many = any(len(toposort(p.outputs)) > LARGEST for p in panels)
    note = f"Of each graph the {LARGEST} nodes nearest to the outputs are drawn. " if many else ""
    return (
        f'{FIND}<div class="graphs">{figures}</div><p class="hint">{note}Drag to move, pinch or hold Ctrl and turn the wheel to '
        "zoom. Point at a box, tap it or reach it with Tab and the arrow keys to see its type, cost and line; a double "
        "click, Enter, or its round button opens a group or a loop, or folds what only a box needs; Escape closes the group "
        "around a box.</p>"
        f"{_legend(len(panels) == 2)}<noscript><p>The graphs are drawn by a script; without one they are below as text.</p></noscript>"
    )


def _legend(pair: bool) -> str:
    kinds = ["old", "new"] if pair else [k for k in LEGEND if k not in ("old", "new")]
    marks = [
        f'<span><svg class="eqsat" width="14" height="12" aria-hidden="true"><g class="eq-key eq-{k}">'
        f'<path d="M1 1h12v10h-12z"/></g></svg> {escape(LEGEND[k])}</span>'
        for k in kinds
    ]
    return f'<p class="legend">{"".join(marks)}</p>'


def _figure(number: int, panel: Panel) -> str:
    name = escape(panel.title)
    buttons = "".join(
        f'<button type="button" data-do="{do}" aria-label="{escape(label)}" title="{escape(label)}">{text}</button>'
        for do, text, label in (
            ("out", "−", "zoom out"),
            ("in", "+", "zoom in"),
            ("fit", "fit", "show the whole graph"),
            ("open", "open all", "open all groups and loops, and unfold everything"),
            ("shut", "close all", "close all groups and loops"),
        )
    )
    buttons += (
        '<button type="button" data-do="shapes" aria-pressed="false" title="ops that compute lengths, and views that change '
        'nothing but a shape">shape arithmetic</button>'
    )
    return (
        f'<figure data-graph="{number}"><figcaption><b>{name}</b> <span>{escape(panel.caption)}</span></figcaption>'
        f'<div class="tools" role="toolbar" aria-label="{name}: view">{buttons}</div>'
        f'<div class="stage"><svg class="eqsat canvas" role="group" aria-label="{name}"></svg>'
        '<svg class="eqsat mini" aria-hidden="true"></svg></div>'
        '<p class="about" aria-live="polite">&nbsp;</p></figure>'
    )


def _section(section: Section) -> str:
    opened = " open" if section.open else ""
    return f"<details{opened}><summary><h2>{escape(section.title)}</h2></summary>{section.html}</details>"


def _as_text(panel: Panel) -> Section:
    """The graph as a tree of lines, for those who do not see the picture."""
    count = len(toposort(panel.outputs))
    text = "" if count > MOST_TEXT else debugprint(list(panel.outputs), print_type=True, file="str") or ""
    return Section(f"{panel.title} as text", f"<pre>{escape(text or f'{count:,} ops')}</pre>", False)
