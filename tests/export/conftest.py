"""Functions exported into a temporary folder, built by make, and called through their C."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eqsat.cgen.library.interface import table_of
from eqsat.cgen.library.text import letters
from eqsat.export.front import Library, by_ctypes
from eqsat.export.subject import interface

WARNINGS = "-Wall -Wextra -Werror"


def make(folder: Path, name: str, *more: str) -> Path:
    """The shared library of a folder, without a warning; it is given the matrix routines when it is loaded."""
    own = f"CFLAGS={WARNINGS} -D{name.upper()}_OWN_ROUTINES"
    command = ["make", "-s", "-C", str(folder), own, "LDLIBS=-lm", *more, f"lib{name}.so"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return folder / f"lib{name}.so"


def exported(f: Any, folder: Path, name: str) -> dict[str, Any]:
    """A function written into a folder; the facts about its library."""
    f.export(folder, name)
    known = interface(f, name, "export")
    return table_of(known, [letters(*r) for r in known.foreign])


def loaded(folder: Path, table: dict[str, Any], *more: str) -> Library:
    """The library of a folder, built and loaded."""
    return Library(table, by_ctypes(make(folder, table["name"], *more)))


@pytest.fixture
def tools() -> tuple[Callable[..., dict[str, Any]], Callable[..., Library]]:
    """What exports a function, and what loads the library."""
    if shutil.which("make") is None or shutil.which("cc") is None:
        pytest.skip("needs make and cc")
    return exported, loaded


@pytest.fixture
def built(tmp_path: Path, tools: Any) -> Callable[..., Library]:
    """A function as a library that is loaded."""
    return lambda f, name="lib": loaded(tmp_path, exported(f, tmp_path, name))
