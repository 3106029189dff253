"""Extract the cheapest graph of e-graphs in files.

Files are e-graphs in JSON as egraph-serialize writes them; of folders, all .json files below are taken. For each one
line says what was found: the DAG cost of the choice, a bound below which none exists, and whether the two meet.
A file that cannot be used, or to which the extractor gives a wrong answer, is refused with the reason, the others go
on, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from eqsat.base.progress import Progress
from eqsat.errors import ArgumentError, EGraphFileError, EqsatError, raised_text
from eqsat.extract.choose import Extraction
from eqsat.extract.extractors import EXTRACTORS, extract_with, find_extractor
from eqsat.extract.serialize import Serialized, read

_HEAD = ("e-nodes", "classes", "cost", "bound", "proved", "seconds")
_WIDTHS = (8, 8, 14, 14, 6, 8)


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``eqsat extract``."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a JSON file, or a folder of them")
    names = ", ".join(EXTRACTORS)
    parser.add_argument("--extractor", default="best", help=f"{names}, or module:function; best by default")
    parser.add_argument("--seconds", type=_seconds, default=50.0, help="for each file at most; 50 by default")
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="writes each choice there as JSON")
    parser.add_argument("--json", action="store_true", help="one JSON object a line instead of the table")
    parser.add_argument("--refuse-negative", action="store_true", help="refuses files with negative costs")


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds above 0")
    return seconds


def run(asked: argparse.Namespace) -> int:
    """Extracts from each file; 1 where one was refused."""
    find_extractor(asked.extractor)
    files = found_files(asked.files)
    names = short_names(files)
    width = max([len(name) for name in names.values()] + [4])
    if not asked.json:
        cells = [name.rjust(size) for name, size in zip(_HEAD, _WIDTHS, strict=True)]
        print("  ".join(["file".ljust(width), *cells, "extractor"]))
    refused = 0
    for file in files:
        try:
            egraph = read(file, negative=not asked.refuse_negative)
            with Progress(f"extract {file.name}", seconds=asked.seconds):
                found = extract_with(asked.extractor, egraph.problem, asked.seconds)
        except Exception as error:  # the other files go on
            refused += 1
            what = str(error) if isinstance(error, EqsatError) else raised_text(error)
            if asked.json:
                print(json.dumps({"file": str(file), "refused": what}))
            where = "" if isinstance(error, EGraphFileError) else f"{file}: "
            print(f"eqsat: refused {where}{what}", file=sys.stderr, flush=True)
            continue
        print(as_json(egraph, found) if asked.json else as_row(names[file], width, egraph, found), flush=True)
        if asked.output is not None:
            write_choice(asked.output / f"{Path(names[file]).with_suffix('')}.choice.json", egraph, found)
    return 1 if refused else 0


def found_files(given: Sequence[str]) -> list[Path]:
    """The files as given, and those below folders, each once."""
    found: dict[Path, None] = {}
    for path in map(Path, given):
        found.update(dict.fromkeys(sorted(path.rglob("*.json")) if path.is_dir() else [path]))
    return list(found)


def short_names(files: Sequence[Path]) -> dict[Path, str]:
    """Paths without the folders that all have in common."""
    if not files:
        return {}
    common = Path(os.path.commonpath([file.absolute().parent for file in files]))
    return {file: str(file.absolute().relative_to(common)) for file in files}


def as_row(name: str, width: int, egraph: Serialized, found: Extraction) -> str:
    """The line of the table for one file."""
    values = (
        str(len(egraph.nodes)),
        str(len(egraph.classes)),
        f"{found.cost:.9g}",
        f"{found.bound:.9g}",
        "yes" if found.proved else "no",
        f"{found.seconds:.2f}",
    )
    cells = [value.rjust(size) for value, size in zip(values, _WIDTHS, strict=True)]
    return "  ".join([name.ljust(width), *cells, found.method])


def as_json(egraph: Serialized, found: Extraction) -> str:
    """The same as a JSON object."""
    return json.dumps(facts(egraph, found))


def facts(egraph: Serialized, found: Extraction) -> dict[str, object]:
    """The lines that describe one file."""
    return {
        "file": egraph.name,
        "e_nodes": len(egraph.nodes),
        "classes": len(egraph.classes),
        "cost": found.cost,
        "bound": found.bound,
        "proved": found.proved,
        "seconds": found.seconds,
        "extractor": found.method,
    }


def write_choice(path: Path, egraph: Serialized, found: Extraction) -> None:
    """Writes the facts, and the chosen e-node of each class, by the names that the file gives them."""
    whole = {**facts(egraph, found), "choices": egraph.choices(found.choice)}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise ArgumentError(f"--output: {path} cannot be written: {error.strerror}") from error
