"""Every function of the guides that has no Python op gives its bits as a library, built by each compiler that is there."""

from __future__ import annotations

import copy
import doctest
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eqsat.errors import ArgumentError
from eqsat.functions.function import Function

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = sorted([*ROOT.glob("docs/*.md"), ROOT / "README.md"])
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
REASONS = ("in Python", "has no C", "graphs", "is timed", "is compiled for", "is no tensor")


class Recorder:
    """Exports each function before its first call, and keeps what it was given and what came of it."""

    def __init__(self, folder: Path, export: Any) -> None:
        self.folder, self.export = folder, export
        self.usual = Function.__call__
        self.seen: list[Function] = []
        self.kept: list[dict[str, Any]] = []
        self.refused: list[str] = []

    def call(self, f: Function, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """The answer of a call."""
        fresh = not keywords and len(args) == f.count and all(f is not one for one in self.seen)
        record = self.exported(f, args) if fresh else None
        result = self.usual(f, *args, **keywords)
        if record is not None:
            values = list(result.values()) if isinstance(result, dict) else result
            values = [] if values is None else values if isinstance(values, list) else [values]
            states = [np.array(v.local()) for v in f.updated]
            self.kept.append({**record, "results": copy.deepcopy(values), "states": states})
        return result

    def exported(self, f: Function, args: tuple[Any, ...]) -> dict[str, Any] | None:
        """The folder of a function and what it was given; None for one that is refused."""
        self.seen.append(f)
        name = f"f{len(self.seen)}"
        try:
            table = self.export(f, self.folder / name, name)
        except ArgumentError as error:
            self.refused.append(error.message)
            return None
        return {"folder": self.folder / name, "table": table, "given": copy.deepcopy(args)}


def same(got: Any, wanted: Any) -> bool:
    return np.shape(got) == np.shape(wanted) and np.asarray(got).tobytes() == np.asarray(wanted).tobytes()


@pytest.mark.sweep
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_functions_of_a_guide(page: Path, tmp_path: Path, tools: Any, monkeypatch: Any) -> None:
    export, load = tools
    recorder = Recorder(tmp_path, export)
    monkeypatch.setattr(Function, "__call__", lambda f, *args, **words: recorder.call(f, args, words))
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    doctest.testfile(str(page), module_relative=False, report=False, optionflags=options)
    assert [said for said in recorder.refused if not any(word in said for word in REASONS)] == []
    for record in recorder.kept:
        for compiler in COMPILERS:
            library = load(record["folder"], record["table"], "-B", f"CC={compiler}")
            if compiler == "gcc":  # which the function was compiled with
                check(library, record)


def check(library: Any, record: dict[str, Any]) -> None:
    """Compare results and states of a library with those that were kept."""
    table = record["table"]
    arrays = [np.asarray(v).astype(kind[1]) for v, kind in zip(record["given"], table["inputs"], strict=True)]
    states = [library.init()] if table["fields"] else []
    got = library.call(*states, *arrays)
    for a, b in zip(got if isinstance(got, list) else [got], record["results"], strict=True):
        assert same(a, b), (table, a, b)
    for (name, *_), value in zip(table["fields"], record["states"], strict=True):
        assert same(states[0][name], value), (table, name)
