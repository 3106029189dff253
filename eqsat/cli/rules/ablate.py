"""Rewrite graphs with one rule left out at a time: cost, e-nodes and seconds of each.

Graphs come from a Python file or a module: GRAPHS, a dictionary of outputs or of functions that give them; else outputs; else every
variable with an op, list of them, and function without parameters that it defines. The word wins stands for the expressions of
benchmarks/wins of a checkout. A rule is left out where it matches; where it does not, it changes nothing and no run is spent.
A line is printed after each run.
"""

from __future__ import annotations

import argparse
import inspect
import json
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import eqsat
from eqsat.base.executors import add_executor
from eqsat.base.names import close_names, joined
from eqsat.base.progress import Progress
from eqsat.base.text_files import write_text
from eqsat.base.text_tables import row_text
from eqsat.errors import ArgumentError
from eqsat.graph.core import Variable
from eqsat.pipeline.preparation import named_outputs
from eqsat.research.ablation import HEAD, NUMBERS, RUNS, Runs, Where, left_out, with_all_rules
from eqsat.rules.rule import select_rules
from eqsat.verify.sources import load_module

WINS = "wins"
COLUMNS = (36, 24, 7, 12, 8, 7, 6, 7, 7)  # characters of each column of ``HEAD``


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``eqsat rules ablate``."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="rules to leave out; by default all that fire"
    )
    parser.add_argument("--graphs", required=True, metavar="FILE|MODULE|wins", help="where graphs come from")
    parser.add_argument("--only", metavar="GRAPHS", help="names of graphs, with commas between")
    parser.add_argument("--rules", help="as rules= of optimize takes them; the default tiers by default")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"at most so many; {RUNS} by default")
    parser.add_argument("--seconds", type=float, help="limit of saturation of each run")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="writes every run as comma-separated values")
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="writes a page with tables of rules by graphs"
    )
    add_executor(parser, "measured runs")
    parser.add_argument("--json", action="store_true", help="one JSON object a line instead of the table")


def run(asked: argparse.Namespace) -> int:
    """Measure each graph with all rules, and without each that fires on it."""
    graphs = named_outputs("ablate", chosen_graphs(asked.graphs, asked.only))
    runs = Runs(graphs, select_rules(asked.rules), asked.seconds)
    where = Where(asked.executor, asked.resume, () if asked.graphs == WINS else (asked.graphs,))
    found = with_all_rules(runs, where)
    if not asked.json:
        print(row_text(HEAD, COLUMNS, right=NUMBERS), flush=True)
    for effect in left_out(found, runs, ",".join(asked.names) or None, asked.runs, where):
        text = json.dumps(effect.as_row()) if asked.json else row_text(effect.row(), COLUMNS, NUMBERS)
        Progress.say(text)
    if not asked.json:
        print(found.summary())
    for path, text_of in ((asked.csv, found.csv), (asked.html, found.html)):
        if path is not None:
            write(path, text_of)
    return 0


def write(path: Path, text_of: Callable[[], str]) -> None:
    """Write a text to a file that the user named."""
    try:
        write_text(text_of(), path)
    except OSError as error:
        raise ArgumentError(f"{path} cannot be written: {error.strerror}") from error


def chosen_graphs(source: str, only: str | None) -> dict[str, Any]:
    """The graphs of a source, or some of them by name."""
    module = wins() if source == WINS else load_module(source)
    found = dict(graphs_of(module))
    if not found:
        raise ArgumentError(
            f"{source} has no graphs", needs="GRAPHS, outputs, variables, or functions that give them"
        )
    names = list(found) if only is None else [name.strip() for name in only.split(",")]
    unknown = [name for name in names if name not in found]
    if unknown:
        raise ArgumentError(
            f"{source} has no graph {unknown[0]!r}", hint=joined(close_names(unknown[0], found, 1)) or None
        )
    return {name: made(found[name]) for name in names}


def wins() -> ModuleType:
    """The expressions of benchmarks/wins, of the checkout that this is or that one is in."""
    folders = [Path("benchmarks"), Path(eqsat.__file__).parents[1] / "benchmarks"]
    folder = next((f for f in folders if (f / WINS / "graphs.py").is_file()), None)
    if folder is None:
        raise ArgumentError(
            "there is no benchmarks/wins here, since installed packages do not hold it",
            needs="a checkout of eqsat as the working directory, or graphs of your own as --graphs FILE",
        )
    sys.path.insert(0, str(folder.resolve()))
    return import_module(f"{WINS}.graphs")


def graphs_of(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Names and outputs of a module, or the functions that give these."""
    defined = vars(module)
    if isinstance(defined.get("GRAPHS"), dict):
        yield from defined["GRAPHS"].items()
    elif "outputs" in defined:
        yield Path(module.__file__ or "outputs").stem, defined["outputs"]
    else:
        yield from (
            (name, v) for name, v in defined.items() if is_graph(v, module) and not name.startswith("_")
        )


def is_graph(value: Any, module: ModuleType) -> bool:
    """True for a variable that an op computes, several of them, and a function of the module that takes nothing."""
    if isinstance(value, Variable):
        return value.owner is not None
    if isinstance(value, (list, tuple)):
        return bool(value) and all(isinstance(v, Variable) for v in value)
    own = inspect.isfunction(value) and value.__module__ == module.__name__
    return own and not inspect.signature(value).parameters


def made(value: Any) -> Any:
    """Outputs, computed where a function gives them."""
    return value() if inspect.isfunction(value) else value
