"""An ablation as a page: rules by graphs as tables of cost, e-nodes and seconds, the graphs, and every effect."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

from eqsat.base.units import time_text
from eqsat.inspect.page.page import Section, page
from eqsat.inspect.page.tables import html_table

if TYPE_CHECKING:
    from eqsat.research.ablation import Ablation, Effect, Measured

WHOLE = "(all rules)"
MEASURES: dict[str, tuple[Callable[[Measured], float], Callable[[float], str]]] = {
    "cost": (lambda m: m.cost, time_text),
    "e-nodes": (lambda m: m.enodes, lambda n: f"{n:,.0f}"),
    "seconds": (lambda m: m.seconds, lambda s: f"{s:.3f}"),
}


def ablation_page(found: Ablation, title: str) -> str:
    """The text of an HTML file."""
    lead = f"{found.summary()}. A cell is empty where the rule does not fire on the graph."
    tables = [
        Section(f"{name} with one rule left out", matrix(found, name), name == "cost") for name in MEASURES
    ]
    return page(title, lead, [], [*tables, Section("Every run", effects(found), False)])


def matrix(found: Ablation, measure: str) -> str:
    """A table of one figure: a row for each rule that was left out, a column for each graph."""
    of, shown = MEASURES[measure]
    cells: dict[str, dict[str, Effect]] = {}
    for e in found:
        cells.setdefault(e.rule, {})[e.graph] = e
    rows = [(WHOLE, *(shown(of(m)) for m in found.whole.values()))]
    for rule, by_graph in cells.items():
        here = (by_graph.get(graph) for graph in found.whole)
        rows.append((rule, *("" if e is None else shown(of(e.left_out)) for e in here)))
    return html_table(("left out", *found.whole), rows, right=range(1, 1 + len(found.whole)), name=measure)


def effects(found: Ablation) -> str:
    """Every run, those first in which the cost rose most."""
    from eqsat.research.ablation import HEAD, NUMBERS

    if not found.effects:
        return f"<p>{escape('no rule was left out')}</p>"
    rows = [e.row() for e in sorted(found, key=lambda e: (-e.times, e.rule, e.graph))]
    return html_table(HEAD, rows, right=NUMBERS, name="every run")
