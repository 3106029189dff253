"""Optimise graphs under several settings: cost as written and found, bound, unstable forms, e-nodes and seconds of each.

Graphs come from a Python file or a module, as for eqsat rules ablate: GRAPHS, a dictionary of outputs or of functions that give
them; else outputs; else every variable with an op that it defines. --rules, --extractor, --target and --model may be given several
times; each graph is optimised under every choice of one of each. A line is printed as soon as it is known. A graph that cannot
be optimised so is an error in its line, the others go on, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import eqsat
from eqsat.base.progress import Progress
from eqsat.base.text_tables import row_text
from eqsat.cli.rules.ablate import chosen_graphs, write
from eqsat.inspect.comparison.comparison_table import HEAD, NUMBERS, cells_of

SEVERAL = {
    "rules": "as rules= of optimize takes them, as exact or default,-log-exp",
    "extractor": "the name of an extractor, or module:function",
    "target": "c or cuda",
}
MODELS = ("flops", "traffic", "nodes")


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``eqsat compare``."""
    parser.add_argument("graphs", metavar="FILE|MODULE|wins", help="where graphs come from")
    for name, meaning in SEVERAL.items():
        parser.add_argument(f"--{name}", action="append", help=f"{meaning}; may be given several times")
    parser.add_argument(
        "--model", action="append", choices=MODELS, help="a cost model of eqsat.costs that counts"
    )
    parser.add_argument("--only", metavar="GRAPHS", help="names of graphs, with commas between")
    parser.add_argument("--seconds", type=float, help="limit of saturation of each run")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="writes every row as comma-separated values")
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="writes a page with tables of graphs by settings"
    )
    parser.add_argument("--pairs", action="store_true", help="puts both graphs of each row on the page")
    parser.add_argument("--json", action="store_true", help="one JSON object a line instead of the table")


def run(asked: argparse.Namespace) -> int:
    """Print a row for each graph under each settings; 1 where one is an error."""
    graphs = chosen_graphs(asked.graphs, asked.only)
    found = eqsat.compare(graphs, pairs=asked.pairs, **keywords_of(asked))
    widths = [len(name) for name in HEAD]
    widths[:2] = [max(map(len, [*names, ""])) + 1 for names in (found.graphs, found.settings)]
    widths[2:] = [max(width, 12) for width in widths[2:]]
    if not asked.json:
        print(row_text(HEAD, widths, right=NUMBERS), flush=True)
    with Progress("compare", len(found)) as progress:
        for row in found:
            text = json.dumps(row.as_row()) if asked.json else row_text(cells_of(row), widths, NUMBERS)
            Progress.say(text)
            progress.step(row.name)
    if not asked.json:
        print(*found.notes(), sep="\n", end="\n" * bool(found.notes()))
    for path, text_of in ((asked.csv, found.csv), (asked.html, found.html)):
        if path is not None:
            write(path, text_of)
    return int(any(row.error for row in found))


def keywords_of(asked: argparse.Namespace) -> dict[str, Any]:
    """The settings that were named; of each with several values one is taken at a time."""
    several = {name: getattr(asked, name) for name in SEVERAL}
    several["model"] = asked.model and [getattr(eqsat.costs, name)() for name in asked.model]
    found: dict[str, Any] = {name: values for name, values in several.items() if values}
    return found if asked.seconds is None else found | {"seconds": asked.seconds}
