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
    "tensor": {"graph"},
    "gradient": {"graph"},
    "rules": {"graph"},
    # a rule on loops is run as the scans that its sides close to; what a rule asks of shapes is in its text for egglog
    # rules are tried together as optimize runs them
    "verify": {
        *("graph", "rules", "scan", "egraph", "tensor", "printing"),
        *("debug", "program", "settings", "optimiser", "functions"),
    },
    "cgen": {"graph"},
    "scan": {"graph", "rules"},
    "egraph": {"graph", "rules"},
    "extract": {"graph", "rules", "egraph"},
    "printing": {"graph"},
    # compat stands on everything
    "compat": {
        *("", "graph", "tensor", "gradient", "rules", "scan", "debug"),
        *("compile", "functions", "modes", "printing"),
    },
    "debug": {
        "graph",
        "printing",
        "rules",
        "egraph",
        "compile",
        "optimiser",
        "program",
        "settings",
        "modes",
    },
    "drawing": {"graph", "printing"},
    "comparison": {
        "graph",
        "printing",
        "drawing",
        "page",
        "extract",
        "optimiser",
        "report",
        "loop_facts",
    },
    "explanation": {
        "graph",
        "printing",
        "page",
        "comparison",
        "drawing",
        "rules",
        "egraph",
        "extract",
        "scan",
        "program",
    },
    "page": {"graph", "printing", "drawing"},
    "cli": {
        *(
            "",
            "graph",
            "rules",
            "verify",
            "egraph",
            "extract",
            "compile",
            "functions",
            "calibration",
        ),
        *("tensor", "rule_profile"),
    },
}
INSIDE_FUNCTIONS = {  # (folder, module): why a function may import upwards when it is called
    ("graph/ops", "gradient"): "gradients of broadcasting ops sum to the operand's shape with sum_to",
    ("tensor", "gradient"): "T.grad and its kin are offered beside the ops",
    ("tensor", "evaluate"): "x.eval() compiles",
    ("tensor", "printing"): "x.dprint() prints a graph",
    ("gradient", "functions"): "verify_grad computes both sides",
    ("graph/control", "gradient"): "an op that is a graph is differentiated inside",
    ("graph/control", "functions"): "an op that is a graph is run by a function of its own",
    ("scan", "gradient"): "a scan is differentiated by differentiating its step",
    ("scan", "modes"): "the mode of the steps is looked at when the scan is made",
    ("printing", "drawing"): "pydotprint draws SVG itself",
    ("graph", "printing"): "a variable without a name is called by its expression",
    ("graph", "drawing"): "a variable is drawn where a notebook shows it",
    ("drawing", "page"): "a picture in a file that ends in .html is a page",
    ("drawing", "comparison"): "a page says what the ops of a graph cost",
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
