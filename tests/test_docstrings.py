"""A docstring's first sentence has a subject, a verb and an object: none begins with a question word."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOM = Path(__file__).resolve().parent.parent / "eqsat"
QUESTION = re.compile(r"(What|How|Whether|Who|Where|Why|When|Which)\b")
NAMES = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def docstrings(text: str) -> Iterator[tuple[str, str]]:
    """The name and the docstring of a module and of each class and function in it."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, NAMES) and (doc := ast.get_docstring(node)):
            yield getattr(node, "name", "module"), doc


def questions(text: str) -> list[str]:
    """The names whose docstrings begin with a question word."""
    return [name for name, doc in docstrings(text) if QUESTION.match(doc)]


FILES = sorted(ROOM.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(ROOM).as_posix())
def test_no_docstring_is_a_question(path: Path) -> None:
    assert questions(path.read_text(encoding="utf-8")) == []


def test_the_check_sees() -> None:
    assert questions(
        '"""What it is."""\ndef f():\n    """The sum."""\ndef g():\n    """Whether it is."""'
    ) == ["module", "g"]
