"""Results of the examples for the site: notebooks and programs are kept without them, and run when the site is made."""

from __future__ import annotations

import ast
import contextlib
import html
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MOST = 200_000  # characters of a result that stands in a page
MARK = "@@result {}@@"  # in the place of a result, whose text no link of the page is looked for in


def results(path: Path) -> list[str]:
    """The results of an example as HTML: one for each cell of a notebook, or the one text that a program prints."""
    if path.suffix == ".py":
        return [printed(program_output(path))]
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [c for c in json.loads(path.read_text(encoding="utf-8"))["cells"] if c["cell_type"] == "code"]
    with inside_a_folder():
        return [cell_result("".join(cell["source"]), names, path) for cell in cells]


@contextlib.contextmanager
def inside_a_folder() -> Iterator[str]:
    """A ``with`` block in a temporary folder, where examples write their files."""
    old = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(old)


def program_output(path: Path) -> str:
    """The text that a program prints."""
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    with inside_a_folder():
        run = [sys.executable, str(path)]
        done = subprocess.run(
            run, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": paths}
        )
    return done.stdout


def cell_result(text: str, names: dict[str, Any], path: Path) -> str:
    """The text that a cell prints, and the value of its last expression."""
    tree, said = ast.parse(text), io.StringIO()
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(said):
        exec(compile(tree, str(path), "exec"), names)
        value = (
            eval(compile(ast.Expression(last.value), str(path), "eval"), names)
            if isinstance(last, ast.Expr)
            else None
        )
    return printed(said.getvalue()) + (shown(value) if value is not None else "")


def shown(value: Any) -> str:
    """A value as a notebook shows it; as text where that is a program, or too long for a page."""
    for name in ("_repr_svg_", "_repr_html_"):
        made = getattr(value, name)() if hasattr(type(value), name) else None
        if made and "<script" not in made and len(made) <= MOST:
            body = made[made.index("<svg") :] if name == "_repr_svg_" else made
            return f"<div>\n{body}\n</div>\n\n"
    return printed(repr(value))


def printed(text: str) -> str:
    """Text as it is printed."""
    return f"<pre><code>{html.escape(text.rstrip())}</code></pre>\n\n" if text.strip() else ""
