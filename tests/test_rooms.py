"""Imports point one way: a room imports only the rooms below it, and only one room imports egglog."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted((ROOT / "eqsat").rglob("*.py"))

COMMON = {"errors", "base"}
ROOMS: dict[str, set[str]] = {  # room: what it may import besides itself and COMMON
    "base": set(),
    "graph": set(),
    "printing": {"graph"},
    "gradient": {"graph"},
    "tensor": {"graph", "gradient", "printing"},
    "rules": {"graph"},
    "cgen": {"graph"},
    "scan": {"graph", "gradient", "rules"},
    "egraph": {"graph", "rules"},
    "extract": {"graph", "rules", "egraph"},
    "pipeline": {"graph", "rules", "scan", "egraph", "extract"},
    "inspect": {"graph", "printing", "rules", "scan", "egraph", "extract", "pipeline", "optimise"},
    "optimise": {"graph", "rules", "scan", "egraph", "extract", "pipeline", "inspect"},
    "functions": {
        *("graph", "printing", "tensor", "rules", "scan", "cgen", "egraph", "extract"),
        *("pipeline", "inspect", "optimise"),
    },
    "debug": {"graph", "printing", "rules", "egraph", "pipeline", "optimise", "functions"},
    "costs": {"", "graph", "extract", "tensor"},
    # a rule on loops is run as the scans that its sides close to; rules are tried together as optimize runs them
    "verify": {
        *("graph", "rules", "scan", "egraph", "tensor", "printing"),
        *("pipeline", "optimise", "functions", "debug"),
    },
    "compat": {
        *("", "graph", "tensor", "gradient", "rules", "scan", "printing", "pipeline", "functions", "debug")
    },
    "cli": {"", "graph", "rules", "verify", "egraph", "extract", "costs", "tensor", "inspect"},
}
INSIDE_FUNCTIONS = {  # (folder, module): why a function may import upwards when it is called
    ("graph/ops", "gradient"): "gradients of broadcasting ops sum to the operand's shape with sum_to",
    ("graph/control", "gradient"): "an op that is a graph is differentiated inside",
    ("graph/control", "functions"): "an op that is a graph is run by a function of its own",
    ("graph", "printing"): "a variable without a name is called by its expression",
    ("graph", "inspect"): "a variable is drawn where a notebook shows it",
    ("printing", "inspect"): "pydotprint draws SVG itself",
    ("tensor", "functions"): "x.eval() compiles",
    ("gradient", "functions"): "verify_grad computes both sides",
    ("scan", "pipeline"): "the mode of the steps is looked at when the scan is made",
    ("pipeline", "debug"): "DebugMode is found by its name",
}


class Import(NamedTuple):
    """One imported module, where, and whether a function does it."""

    module: str
    line: int
    lazy: bool


def imports(text: str, package: str) -> Iterator[Import]:
    """Every module that the source of a file in ``package`` imports."""
    stack: list[tuple[ast.AST, bool]] = [(node, False) for node in ast.parse(text).body]
    while stack:
        node, lazy = stack.pop()
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno, lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*above, *filter(None, [node.module])])
            names = [f".{alias.name}" for alias in node.names] if module == "eqsat" else [""]
            yield from (Import(module + name, node.lineno, lazy) for name in names)
        inside = lazy or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        stack.extend((child, inside) for child in ast.iter_child_nodes(node))


def violations(text: str, relative: str) -> list[str]:
    """What a file at a path below eqsat/ imports although it must not."""
    folder, _, _ = relative.rpartition("/")
    room = folder.partition("/")[0]
    found = []
    for module, line, lazy in imports(text, ".".join(["eqsat", *filter(None, folder.split("/"))])):
        top, _, rest = module.partition(".")
        if top == "egglog" and room != "egraph":
            found.append(f"{relative}:{line} imports egglog")
        below = rest.partition(".")[0]
        if top != "eqsat" or not room or below in ROOMS[room] | COMMON | {room}:
            continue
        if not (lazy and (folder, below) in INSIDE_FUNCTIONS):
            found.append(f"{relative}:{line} imports {module}{' inside a function' if lazy else ''}")
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_imports_point_one_way(path: Path) -> None:
    relative = path.relative_to(ROOT / "eqsat").as_posix()
    assert violations(path.read_text(encoding="utf-8"), relative) == []


def test_every_folder_is_a_room() -> None:
    folders = {path.relative_to(ROOT / "eqsat").parts[0] for path in FILES if path.parent.name != "eqsat"}
    assert folders <= set(ROOMS)


@pytest.mark.parametrize(
    ("relative", "text", "found"),
    [
        ("graph/core.py", "from eqsat.tensor import exp", ["graph/core.py:1 imports eqsat.tensor"]),
        ("graph/core.py", "import eqsat.rules.rule", ["graph/core.py:1 imports eqsat.rules.rule"]),
        ("graph/core.py", "from eqsat import tensor", ["graph/core.py:1 imports eqsat.tensor"]),
        ("graph/core.py", "from ..cgen import c", ["graph/core.py:1 imports eqsat.cgen"]),
        ("graph/core.py", "from . import walk", []),
        ("graph/core.py", "from eqsat.errors import ShapeError\nimport numpy", []),
        ("graph/ops/a.py", "def f():\n    from eqsat.gradient import sum_to", []),
        ("graph/ops/a.py", "from eqsat.gradient import sum_to", ["graph/ops/a.py:1 imports eqsat.gradient"]),
        ("graph/a.py", "def f():\n import eqsat.gradient", ["graph/a.py:2 imports eqsat.gradient inside a function"]),
        ("extract/a.py", "from eqsat.egraph.encode import encode", []),
        ("egraph/a.py", "import egglog.bindings", []),
        ("extract/a.py", "import egglog", ["extract/a.py:1 imports egglog"]),
        ("a.py", "def f():\n    import egglog", ["a.py:2 imports egglog"]),
        ("a.py", "import eqsat.cgen, eqsat.extract", []),
    ],
)  # fmt: skip
def test_the_check_sees(relative: str, text: str, found: list[str]) -> None:
    assert violations(text, relative) == found


def test_no_path_of_one_machine() -> None:
    own = re.compile(r"(?<![\w)\]}.])/(?:work|root|tmp/w)\b")
    for path in [*FILES, *sorted((ROOT / "tests").rglob("*.py"))]:
        found = own.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{path.relative_to(ROOT)} names {found[0] if found else ''}"
