"""A text of Python, parsed once, and its nodes, for checks that look through the sources."""

from __future__ import annotations

import ast
from functools import cached_property


class Source:
    """The text of a file at a path below eqsat/."""

    def __init__(self, text: str, path: str = "rules/a.py") -> None:
        self.text = text
        self.path = path
        self.tree = ast.parse(text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of the tree."""
        return list(ast.walk(self.tree))
