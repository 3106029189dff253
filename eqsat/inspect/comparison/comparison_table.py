"""Many graphs under many settings: one row for each pair, computed when it is asked for."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from eqsat.base.notebook_tables import notebook_table
from eqsat.base.progress import Progress
from eqsat.base.text_tables import table
from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError
from eqsat.graph.tensor_type import shorten
from eqsat.inspect.comparison.cell import FIELDS, Cell, Row, computed

HEAD = ("graph", "settings", "written", "found", "bound", "unstable", "ops", "e-nodes", "seconds", "limits")
NUMBERS = range(2, len(HEAD) - 1)
MEASURES = {
    "cost found": lambda row: row.costs[1],
    "cost as written": lambda row: row.costs[0],
    "lower bound": lambda row: row.costs[2],
    "unstable forms left": lambda row: f"{row.unstable_left}",
    "e-nodes": lambda row: f"{row.e_nodes:,}",
    "seconds": lambda row: f"{row.seconds:.3f}",
}

Mapper = Callable[[Callable[[Cell], Row], Sequence[Cell]], Any]


@dataclass(eq=False, repr=False)
class ComparisonTable:
    """Graphs under settings; ``eqsat.compare`` makes it from graphs by name.

    Iterating gives a row for each pair, as soon as it is computed, and each is computed once. ``cells`` are the jobs: calling one gives
    its row, in this process or in another one. A graph that cannot be optimised under some settings has a row with ``error``,
    and the others go on.

    >>> import eqsat, eqsat.tensor as T
    >>> x = T.dvector("x")
    >>> graphs = {"soft": T.log(1 + T.exp(x)), "sum": x + x}
    >>> found = eqsat.compare(graphs, {"exact": {"rules": "exact"}, "default": {}})
    >>> [(row.graph, row.settings, row.unstable_left) for row in found]
    [('soft', 'exact', 1), ('soft', 'default', 0), ('sum', 'exact', 0), ('sum', 'default', 0)]
    >>> found["soft", "default"].found < found["soft", "exact"].found
    True
    """

    cells: list[Cell]
    done: dict[int, Row] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.cells)

    def __iter__(self) -> Iterator[Row]:
        return map(self.row, range(len(self.cells)))

    def __getitem__(self, names: tuple[str, str]) -> Row:
        """The row of a graph and of settings, by their names."""
        places = {(cell.graph, cell.settings): place for place, cell in enumerate(self.cells)}
        if names not in places:
            raise ArgumentError(
                f"compare: there is no cell {names!r}", among=(str(names), [*map(str, places)])
            )
        return self.row(places[names])

    def row(self, place: int) -> Row:
        """The row of one cell, computed the first time it is asked for."""
        if place not in self.done:
            self.done[place] = computed(self.cells[place])
        return self.done[place]

    def compute(self, each: Mapper = map) -> ComparisonTable:
        """Compute the rows that are missing with a function like ``map``, as that of a pool of processes; gives the table."""
        missing = [place for place in range(len(self.cells)) if place not in self.done]
        with Progress("compare", len(missing)) as progress:
            rows = each(computed, [self.cells[place] for place in missing])
            for place, row in zip(missing, rows, strict=True):
                self.done[place] = row
                progress.step(row.name)
        return self

    @property
    def graphs(self) -> list[str]:
        """The names of the graphs."""
        return list(dict.fromkeys(cell.graph for cell in self.cells))

    @property
    def settings(self) -> list[str]:
        """The names of the settings."""
        return list(dict.fromkeys(cell.settings for cell in self.cells))

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each pair, as tables of other libraries take them."""
        return [row.as_row() for row in self.compute()]

    def csv(self) -> str:
        """The same as comma-separated values with a head."""
        text = io.StringIO()
        out = csv.DictWriter(text, FIELDS, lineterminator="\n")
        out.writeheader()
        out.writerows(self.rows())
        return text.getvalue()

    def notes(self) -> list[str]:
        """A line for each limit that was met and each error."""
        rows = list(self.compute())
        said = [(row, text) for row in rows for text in (*row.budgets, row.error and f"error: {row.error}")]
        models = {row.model: row.settings for row in rows if row.model}
        lines = [f"{row.name}: {text}" for row, text in said if text]
        if len(models) > 1:
            lines += [f"costs under {name} are by {model}" for model, name in models.items()]
        if any(row.unstable_written for row in rows):
            lines.append(OBJECTIVE)
        return lines

    def __str__(self) -> str:
        return "\n".join([table(HEAD, list(map(cells_of, self.compute())), right=NUMBERS), *self.notes()])

    def __repr__(self) -> str:
        sizes = f"{len(self.graphs)} graphs under {len(self.settings)} settings"
        return f"<ComparisonTable: {sizes}, {len(self.done)} of {len(self)} computed>"

    def _repr_html_(self) -> str:
        rows = list(map(cells_of, self.compute()))
        return notebook_table("Graphs under settings", HEAD, rows, "; ".join(self.notes()), right=NUMBERS)

    def html(self, title: str = "Graphs under settings") -> str:
        """A page that needs no network: graphs by settings as tables, every row, and the graphs of each pair where ``pairs=True`` asked for them."""
        from eqsat.inspect.comparison.table_page import table_page

        return table_page(self, title)

    def save_html(self, path: Any, title: str = "Graphs under settings") -> None:
        """Write the page of :meth:`html` to a path or a text file."""
        from eqsat.base.text_files import write_text

        write_text(self.html(title), path)


OBJECTIVE = (
    "unstable forms count before cost: a stable graph that costs more than one with unstable forms is chosen, "
    "and a bound is about graphs with no more of them"
)


def cells_of(row: Row) -> tuple[str, ...]:
    """The cells of a table, under ``HEAD``."""
    if row.error:
        return (row.graph, row.settings, *[""] * (len(HEAD) - 3), "error")
    figures = f"{row.unstable_left}", f"{row.ops_written} -> {row.ops}", f"{row.e_nodes:,}"
    return (row.graph, row.settings, *row.costs, *figures, f"{row.seconds:.3f}", str(len(row.budgets) or ""))


def table_of(
    graphs: Mapping[str, list[Any]], settings: Sequence[tuple[str, Mapping[str, Any]]], pairs: bool
) -> ComparisonTable:
    """The table of all pairs, of which none is computed yet."""
    names = [name for name, _ in settings]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ArgumentError(f"compare: two settings are called {twice!r}", needs="a name for each")
    cells = [Cell(g, outputs, s, dict(kw), pairs) for g, outputs in graphs.items() for s, kw in settings]
    return ComparisonTable(cells)


def products(keywords: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every choice of one value for each keyword; of keywords with a list or tuple one value each, others are for all.

    >>> products({"rules": ("exact", "default"), "extractor": ("greedy", "best"), "seconds": 1.0})[1]
    {'rules': 'exact', 'extractor': 'best', 'seconds': 1.0}
    """
    several = {k: v for k, v in keywords.items() if isinstance(v, (list, tuple))}
    for word, values in several.items():
        if not values:
            raise ArgumentError(
                f"compare: {word}={shorten(values)} has no value", needs="one value or several"
            )
    chosen = itertools.product(*several.values())
    return [{**keywords, **dict(zip(several, values, strict=True))} for values in chosen]
