"""The example notebooks run from their first cell to their last, and every result can be shown."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SHOWN = ("_repr_html_", "_repr_svg_", "__repr__")


def cells(path: Path, kind: str = "code") -> list[str]:
    """The texts of the cells of a notebook."""
    return ["".join(c["source"]) for c in json.loads(path.read_text())["cells"] if c["cell_type"] == kind]


def run(text: str, names: dict[str, Any], path: Path) -> Any:
    """The value of the last expression of a cell."""
    tree = ast.parse(text)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(path), "exec"), names)
    return (
        eval(compile(ast.Expression(last.value), str(path), "eval"), names)
        if isinstance(last, ast.Expr)
        else None
    )


def test_there_are_three() -> None:
    assert len(NOTEBOOKS) >= 3


@pytest.mark.c
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_runs(path: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    for text in cells(path):
        found = run(text, names, path)
        shown = [getattr(found, name)() for name in SHOWN if hasattr(type(found), name)]
        assert found is None or any(shown), text


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_is_kept_without_results(path: Path) -> None:
    whole = json.loads(path.read_text())
    assert whole["nbformat"] == 4 and cells(path, "markdown")[0].startswith("# ")
    assert all(not c.get("outputs") and c.get("execution_count") is None for c in whole["cells"])


@pytest.mark.sweep
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_kernel_runs_it(path: Path) -> None:
    client = pytest.importorskip("nbclient")
    formats = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    client.NotebookClient(formats.read(path, as_version=4), timeout=300).execute()
