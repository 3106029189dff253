"""Many comparisons as one page: graphs by settings as tables of each figure, and a section for each pair of graphs."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

from eqsat.inspect.comparison.comparison_table import HEAD, MEASURES, NUMBERS, cells_of
from eqsat.inspect.page import Section, page
from eqsat.inspect.page.tables import html_table

if TYPE_CHECKING:
    from eqsat.inspect.comparison.cell import Row
    from eqsat.inspect.comparison.comparison_table import ComparisonTable


def table_page(found: ComparisonTable, title: str) -> str:
    """The text of an HTML file."""
    rows = {(row.graph, row.settings): row for row in found.compute()}
    places = {names: f"#pair-{k}" for k, (names, row) in enumerate(rows.items()) if row.pair}
    lead = f"{len(found.graphs)} graphs under {len(found.settings)} settings"
    notes = "".join(f"<p>{escape(text)}</p>" for text in found.notes())
    tables = [
        Section(name, matrix(found, rows, places, name, shown), k < 1)
        for k, (name, shown) in enumerate(MEASURES.items())
    ]
    links = {(k, 0): places[names] for k, names in enumerate(rows) if names in places}
    every = html_table(
        HEAD, list(map(cells_of, rows.values())), right=NUMBERS, name="every pair", links=links
    )
    pairs = [Section(row.name, pair(row, places[names]), False) for names, row in rows.items() if row.pair]
    return page(title, lead, [], [*tables, Section("Every pair", every), *pairs], notes)


def matrix(
    found: ComparisonTable,
    rows: dict[tuple[str, str], Row],
    places: dict[tuple[str, str], str],
    name: str,
    shown: Callable[[Row], str],
) -> str:
    """A table of one figure: a row for each graph, a column for each choice of settings."""
    body: list[tuple[str, ...]] = []
    links: dict[tuple[int, int], str] = {}
    for line, graph in enumerate(found.graphs):
        here = [rows[graph, settings] for settings in found.settings]
        body.append((graph, *("error" if row.error else shown(row) for row in here)))
        links |= {
            (line, k): places[graph, s] for k, s in enumerate(found.settings, 1) if (graph, s) in places
        }
    right = range(1, 1 + len(found.settings))
    return html_table(("graph", *found.settings), body, right=right, name=name, links=links)


def pair(row: Row, place: str) -> str:
    """Both graphs of a pair, at the place where links lead."""
    return f'<div id="{place.removeprefix("#")}">{row.pair}</div>'
