"""Imports point one way, also those inside functions: a room imports only rooms that stand above it in docs/architecture.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from eqsat.base.hooks import _PLACES, hook
from eqsat.errors import DeclarationError
from eqsat.pipeline.modes import CHECKING
from tests.source import Source

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted((ROOT / "eqsat").rglob("*.py"))
FACADE = {"__init__.py", "__init__.pyi", "__main__.py"}  # names of all rooms, which no room but these imports
ABOVE_THE_FACADE = {
    "frontends": "programs for other libraries are given names of eqsat",
    "cli": "the version",
}
ONE_FILE = {"errors.py": "base", "optimise.py": "optimise"}  # files at the top, and their rooms
MOST_AT_THE_TOP = 8
MOST_LINES = 500


def rooms() -> dict[str, set[str]]:
    """The table of docs/architecture.md: each room, in its order, and the rooms that it imports."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)(?:/|\.py)` \|[^|]*\| ([^|]*) \|$", text, re.MULTILINE)
    found: dict[str, set[str]] = {}
    for room, words in rows:
        found[room] = set(found) if words == "all" else set(re.findall(r"\w+", words)) - {"nothing"}
    return found


ROOMS = rooms()


class Import(NamedTuple):
    """One imported module, where, and whether a function does it."""

    module: str
    line: int
    lazy: bool


def imports(source: Source) -> Iterator[Import]:
    """Every module that a file imports, or names in a table of late names."""
    package = ".".join(["eqsat", *source.path.split("/")[:-1]])
    stack: list[tuple[ast.AST, bool]] = [(node, False) for node in source.tree.body]
    while stack:
        node, lazy = stack.pop()
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno, lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*above, *filter(None, [node.module])])
            names = [f".{alias.name}" for alias in node.names] if module == "eqsat" else [""]
            yield from (Import(module + name, node.lineno, lazy) for name in names)
        elif isinstance(node, ast.Constant) and is_place(node.value):
            yield Import(node.value.partition(":")[0], node.lineno, True)
        inside = lazy or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        stack.extend((child, inside) for child in ast.iter_child_nodes(node))


def is_place(value: object) -> bool:
    """True for text that names a module of a room, or ``"module:attribute"``."""
    if not isinstance(value, str) or not re.fullmatch(r"eqsat(\.\w+)+(:\w*)?", value):
        return False
    path = ROOT / value.partition(":")[0].replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").exists()


def room_of(relative: str) -> str:
    """The room of a file at a path below eqsat/; the facade has none."""
    top, slash, _ = relative.partition("/")
    return top if slash else ONE_FILE.get(top, "")


def violations(source: Source) -> list[str]:
    """The imports of a file that its room may not have."""
    room, found = room_of(source.path), []
    for module, line, lazy in imports(source):
        top, _, rest = module.partition(".")
        if top == "egglog" and room != "egraph":
            found.append(f"{line} imports egglog")
        if top == "eqsat" and room and not may_import(room, rest.partition(".")[0]):
            found.append(f"{line} imports {module}{' inside a function' if lazy else ''}")
    return found


def rooms_imported(source: Source) -> set[str]:
    """The rooms that a file imports, and other names at the top of eqsat."""
    return {module.split(".")[1] for module, _, _ in imports(source) if module.startswith("eqsat.")}


def may_import(room: str, other: str) -> bool:
    """True for a room itself, base, and those of the table; for names of the facade where the room is above it."""
    other = ONE_FILE.get(f"{other}.py", other)
    if other not in ROOMS:
        return room in ABOVE_THE_FACADE
    return other in ROOMS[room] | {"base", room}


def test_the_table_of_rooms_is_the_tree() -> None:
    folders = {path.relative_to(ROOT / "eqsat").parts[0] for path in FILES if path.parent.name != "eqsat"}
    assert set(ROOMS) == folders | {"optimise"}
    top = {path.name for path in (ROOT / "eqsat").iterdir() if path.is_file()}
    assert top == {*FACADE, *ONE_FILE, "py.typed"} and len(top) <= MOST_AT_THE_TOP


def test_rooms_make_no_circle() -> None:
    order = list(ROOMS)
    for k, room in enumerate(order):
        assert ROOMS[room] <= set(order[:k]), f"{room} imports a room that stands below it in the table"
    assert len(ABOVE_THE_FACADE) <= 4


def test_hooks_lead_upwards() -> None:
    table = ast.parse((ROOT / "eqsat" / "__init__.py").read_text(encoding="utf-8"))
    calls = (n for n in ast.walk(table) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))
    hooks = next(ast.literal_eval(n.args[0]) for n in calls if n.func.id == "_register_hooks")  # type: ignore[attr-defined]
    asked = set()
    for path in FILES:
        text, room = path.read_text(encoding="utf-8"), room_of(path.relative_to(ROOT / "eqsat").as_posix())
        for name in re.findall(r'(?<!>>> )\bhook\("(\w+)"\)', text):
            asked.add(name)
            assert room == "base" or not may_import(room, hooks[name].split(".")[1].partition(":")[0]), (
                path,
                name,
            )
    assert set(hooks) == asked and set(_PLACES) == asked | {*CHECKING}


def test_a_hook_that_is_missing_says_which_there_are() -> None:
    with pytest.raises(DeclarationError) as caught:
        hook("get_modes")
    assert caught.value.message == "there is no hook 'get_modes' in eqsat/__init__.py"
    assert caught.value.hint == "get_mode" and "DebugMode, NanGuardMode" in str(caught.value.needs)


@pytest.mark.parametrize(
    ("relative", "text", "found"),
    [
        ("graph/core.py", "from eqsat.tensor import exp", ["graph/core.py:1 imports eqsat.tensor"]),
        ("graph/core.py", "import eqsat.rules.rule", ["graph/core.py:1 imports eqsat.rules.rule"]),
        ("graph/core.py", "from eqsat import tensor", ["graph/core.py:1 imports eqsat.tensor"]),
        ("graph/core.py", "from ..cgen import c", ["graph/core.py:1 imports eqsat.cgen"]),
        ("graph/core.py", "from . import walk", []),
        ("graph/core.py", "from eqsat.errors import ShapeError\nimport numpy", []),
        ("graph/ops/a.py", "from eqsat.gradient import sum_to", ["graph/ops/a.py:1 imports eqsat.gradient"]),
        ("graph/a.py", "NAMES = {'grad': 'eqsat.gradient:grad'}", ["graph/a.py:1 imports eqsat.gradient inside a function"]),
        ("errors.py", "import eqsat.graph.core", ["errors.py:1 imports eqsat.graph.core"]),
        ("graph/a.py", "from eqsat import function", ["graph/a.py:1 imports eqsat.function"]),
        ("optimise.py", "from eqsat.functions import store", ["optimise.py:1 imports eqsat.functions"]),
        ("graph/a.py", "def f():\n import eqsat.gradient", ["graph/a.py:2 imports eqsat.gradient inside a function"]),
        ("extract/a.py", "from eqsat.egraph.encode import encode", []),
        ("egraph/a.py", "import egglog.bindings", []),
        ("extract/a.py", "import egglog", ["extract/a.py:1 imports egglog"]),
        ("optimise.py", "def f():\n    import egglog", ["optimise.py:2 imports egglog"]),
        ("__init__.py", "import eqsat.cgen, eqsat.extract", []),
    ],
)  # fmt: skip
def test_the_check_sees(relative: str, text: str, found: list[str]) -> None:
    assert [f"{relative}:{what}" for what in violations(Source(text, relative))] == found


LONGER = {"graph/ops/elemwise.py"}  # a table of declarations


def test_a_file_has_at_most_500_lines() -> None:
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    longer = {path.relative_to(ROOT / "eqsat").as_posix() for path in FILES if lines[path] > MOST_LINES}
    assert longer <= LONGER


def test_no_path_of_one_machine() -> None:
    own = re.compile(r"(?<![\w)\]}.])/(?:work|root|tmp/w)\b")
    for path in [*FILES, *sorted((ROOT / "tests").rglob("*.py"))]:
        found = own.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{path.relative_to(ROOT)} names {found[0] if found else ''}"
