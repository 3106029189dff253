"""Extract the cheapest graph of e-graphs in files.

Files are e-graphs in JSON as egraph-serialize writes them; of folders, all .json files below are taken. For each one
line says what was found: the DAG cost of the choice, a bound below which none exists, and whether the two meet.
A file that cannot be used, or to which the extractor gives a wrong answer, is refused with the reason, the others go
on, and the exit status is 1. Workers of --executor read the files by the same paths.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from eqsat.base.executors import add_executor
from eqsat.base.jobs import Jobs
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
    add_executor(parser, "extracted files")
    parser.add_argument("--refuse-negative", action="store_true", help="refuses files with negative costs")


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds above 0")
    return seconds


def run(asked: argparse.Namespace) -> int:
    """Extracts from each file; 1 where one was refused."""
    find_extractor(asked.extractor)
    names = short_names(found_files(asked.files))
    width = max([len(name) for name in names.values()] + [4])
    if not asked.json:
        cells = [name.rjust(size) for name, size in zip(_HEAD, _WIDTHS, strict=True)]
        print("  ".join(["file".ljust(width), *cells, "extractor"]))
    refused = 0
    negative, choices = not asked.refuse_negative, asked.output is not None
    jobs = Jobs(
        partial(
            extracted, extractor=asked.extractor, seconds=asked.seconds, negative=negative, choices=choices
        ),
        key=cache(lambda file: f"{names[file]} {digest(file)}"),
        about={"extract": [asked.extractor, asked.seconds, negative, choices]},
        row=lambda found: None if "refused" in found else found,
    )
    with contextlib.ExitStack() as stack:
        if asked.executor:
            progress = stack.enter_context(Progress("extract", len(names)))
        for file, found in jobs.run(names, asked.executor, asked.resume):
            if "refused" in found:
                refused += 1
                say_refused(file, found, asked.json)
                continue
            chosen = found.pop("choices", None)
            Progress.say(json.dumps(found) if asked.json else as_row(names[file], width, found))
            if asked.output is not None:
                path = asked.output / f"{Path(names[file]).with_suffix('')}.choice.json"
                write_choice(path, {**found, "choices": chosen})
            if asked.executor:
                progress.step(names[file])
    return 1 if refused else 0


def extracted(file: Path, extractor: str, seconds: float, negative: bool, choices: bool) -> dict[str, Any]:
    """The facts of the extraction from one file, with the ``choices`` if they are asked for; or why it was refused."""
    try:
        egraph = read(file, negative=negative)
        with Progress(f"extract {file.name}", seconds=seconds):
            found = extract_with(extractor, egraph.problem, seconds)
    except Exception as error:  # the other files go on
        what = str(error) if isinstance(error, EqsatError) else raised_text(error)
        return {"file": str(file), "refused": what, "named": isinstance(error, EGraphFileError)}
    return {**facts(egraph, found), **({"choices": egraph.choices(found.choice)} if choices else {})}


def say_refused(file: Path, found: dict[str, Any], as_json: bool) -> None:
    """Says why a file was refused; an error that does not name the file is said after its path."""
    if as_json:
        print(json.dumps({"file": str(file), "refused": found["refused"]}))
    where = "" if found["named"] else f"{file}: "
    print(f"eqsat: refused {where}{found['refused']}", file=sys.stderr, flush=True)


def digest(file: Path) -> str:
    """The content of a file as a hash; nothing for one that cannot be read."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return ""


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


def as_row(name: str, width: int, found: dict[str, Any]) -> str:
    """The line of the table for one file."""
    values = (
        str(found["e_nodes"]),
        str(found["classes"]),
        f"{found['cost']:.9g}",
        f"{found['bound']:.9g}",
        "yes" if found["proved"] else "no",
        f"{found['seconds']:.2f}",
    )
    cells = [value.rjust(size) for value, size in zip(values, _WIDTHS, strict=True)]
    return "  ".join([name.ljust(width), *cells, found["extractor"]])


def facts(egraph: Serialized, found: Extraction) -> dict[str, Any]:
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


def write_choice(path: Path, whole: dict[str, Any]) -> None:
    """Writes the facts, and the chosen e-node of each class, by the names that the file gives them."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise ArgumentError(f"--output: {path} cannot be written: {error.strerror}") from error
