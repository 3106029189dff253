"""A docstring's first sentence has a subject, a verb and an object: none begins with a question word."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.source import Source

QUESTION = re.compile(r"(What|How|Whether|Who|Where|Why|When|Which)\b")
NAMES = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def docstrings(source: Source) -> Iterator[tuple[str, str]]:
    """The name and the docstring of a module and of each class and function in it."""
    for node in source.nodes:
        if isinstance(node, NAMES) and (doc := ast.get_docstring(node)):
            yield getattr(node, "name", "module"), doc


def questions(source: Source) -> list[str]:
    """The names whose docstrings begin with a question word."""
    return [name for name, doc in docstrings(source) if QUESTION.match(doc)]


def test_the_check_sees() -> None:
    text = '"""What it is."""\ndef f():\n    """The sum."""\ndef g():\n    """Whether it is."""'
    assert questions(Source(text)) == ["module", "g"]
