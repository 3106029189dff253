"""Entries of the reference for bridges whose library may be missing: they are read from the text of the modules, and nothing is imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOM = Path(__file__).resolve().parent.parent / "eqsat" / "bridges"

Found = tuple[str, str, str]  # name, the call, the docstring


def of_libraries(known: set[str]) -> Iterator[tuple[str, str, list[Found]]]:
    """The packages of the room that are not known: the module, its docstring, and what it offers."""
    for path in sorted(ROOM.glob("*/__init__.py")):
        module, tree = f"eqsat.bridges.{path.parent.name}", ast.parse(path.read_text(encoding="utf-8"))
        offered = offered_by(tree)
        if module not in known and offered:
            there = definitions(path.parent)
            found = [
                (f"{module}.{name}", call(there[name]), doc(there[name]))
                for name in sorted(offered, key=str.lower)
            ]
            yield module, ast.get_docstring(tree) or "", found


def offered_by(tree: ast.Module) -> list[str]:
    """The names of ``__all__``; none where it is not written out."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return [str(name) for name in ast.literal_eval(node.value)]
    return []


Definition = ast.FunctionDef | ast.ClassDef


def definitions(folder: Path) -> dict[str, Definition]:
    """The functions and classes at the top of the modules of a package."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.py")))
    return {n.name: n for tree in trees for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}


def call(node: Definition) -> str:
    """The parameters of a function, or of what makes an object, without annotations."""
    made = (
        node
        if isinstance(node, ast.FunctionDef)
        else next((n for n in node.body if getattr(n, "name", "") == "__init__"), None)
    )
    if not isinstance(made, ast.FunctionDef):
        return ""
    given = made.args
    for one in [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]:
        if one is not None:
            one.annotation = None
    return f"({ast.unparse(given).removeprefix('self').removeprefix(', ')})"


def doc(node: Definition) -> str:
    """The docstring up to its examples, which need the library."""
    return (ast.get_docstring(node) or "").partition("\n>>> ")[0].strip()
