"""A comparison as a page: both graphs, and a table of what only one holds and of what both do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from eqsat.graph.core import Apply
from eqsat.inspect.comparison.align import Line, align, graph_of
from eqsat.inspect.comparison.comparison_text import verdict
from eqsat.inspect.comparison.node_costs import assumed_lengths, part_of, shares, shown
from eqsat.inspect.page import Panel, Section, page
from eqsat.inspect.page.tables import html_table

if TYPE_CHECKING:
    from eqsat.inspect.comparison.comparison import Comparison

DEAREST = 12  # ops in a list of those that cost most


def comparison_page(
    found: Comparison, more: Sequence[Section] = (), lead: str | None = None, title: str = "", top: str = ""
) -> str:
    """The page of a comparison, with more sections after the table of costs, and HTML above the graphs."""
    models = list(found.models.items())
    totals = list(
        zip(
            *(m.show_all(*(g.total[k] for g in found.graphs)) for k, (_, m) in enumerate(models)), strict=True
        )
    )
    panels = [
        Panel(
            side.name,
            f"{size:,} ops, {', '.join(total)}",
            side.outputs,
            shares(side.outputs, models[0][1], side.reckoned(models[0][1], found.hints)),
            part_of(seconds, models[0][1]),
        )
        for side, size, total, seconds in zip(
            (found.a, found.b), found.sizes, totals, found.seconds, strict=True
        )
    ]
    top += f"<p>{escape(found.lengths)}</p>" if found.lengths else ""
    heading = title or f"{found.a.name} and {found.b.name}"
    sections = [dearest_section(found), costs_section(found), *more]
    return page(heading, lead or verdict(found), panels, sections, top)


def graph_page(outputs: Sequence[Any], title: str, model: Any = None) -> str:
    """The page of one graph, with what each op costs."""
    from eqsat.extract.stored import current_model

    costs = model or current_model()
    graph = graph_of(outputs, [costs])
    lines = align(graph, graph_of([], [costs])).only[0]
    caption = f"{len(graph.priced):,} ops, {shown(graph.total[0], costs)}"
    panel = Panel(title, caption, outputs, shares(outputs, costs), part_of(graph.total[0], costs))
    lead = assumed_lengths(outputs, costs)
    return page(title, lead, [panel], [Section("Cost of each op", _lines(lines, {"cost": costs}))])


def dearest_section(found: Comparison) -> Section:
    """A table for each graph of the ops that cost most under the first model, with their part of the whole."""
    assert found.alignment is not None  # it numbers the ops
    html = ""
    for side, graph in zip((found.a, found.b), found.graphs, strict=True):
        ops = zip(graph.priced, (s[0] for s in graph.seconds), strict=False)
        dear = sorted((pair for pair in ops if pair[1] > 0), key=lambda pair: -pair[1])[:DEAREST]
        rows = [
            (op_text(p.node), found.show(s), f"{s / graph.total[0]:.0%}", place_of(p.node)) for p, s in dear
        ]
        numbers = [graph.numbers[p.node] for p, _ in dear]
        head = ("op", "cost", "of all", "scope or line")
        table = html_table(head, rows, right=(1, 2), code=(0,), boxes=numbers) if rows else "<p>nothing</p>"
        html += f"<h3>{escape(side.name)}</h3>{table}"
    return Section("Ops that cost most", html, False)


def op_text(node: Apply) -> str:
    """An op with the type of its results."""
    return f"{str(node.op).partition('{')[0]}  {', '.join(v.type.short() for v in node.outputs)}"  # type: ignore[attr-defined]


def place_of(node: Apply) -> str:
    """The scope of an op, else the line that made it."""
    first = node.outputs[0]
    return first.scope or first.made_at or ""


def costs_section(found: Comparison) -> Section:
    """A table for each part: only in the one, only in the other, in both."""
    parts = [
        (f"only {found.a.name}", found.only_a),
        (f"only {found.b.name}", found.only_b),
        ("in both", found.shared),
    ]
    html = "".join(f"<h3>{escape(name)}</h3>{_lines(lines, found.models)}" for name, lines in parts)
    return Section("Cost of each op", html)


def _lines(lines: Sequence[Line], models: Mapping[str, Any]) -> str:
    if not lines:
        return "<p>nothing</p>"
    head = ("op", "type", *models, "made at")
    rows = [
        (
            str(line) + (f" ({line.ops} ops)" if line.ops > 1 else ""),
            line.type,
            *(shown(s, m) for s, m in zip(line.seconds, models.values(), strict=True)),
            line.made_at or "",
        )
        for line in lines
    ]
    numbers = [line.number for line in lines]
    right = range(2, 2 + len(models))
    return html_table(head, rows, right=right, code=(0,), name="cost of each op", boxes=numbers)
