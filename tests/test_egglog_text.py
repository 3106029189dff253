"""Only egraph/ writes egglog."""

from __future__ import annotations

import ast
import re

import pytest

from tests.source import Source

# parentheses in front of what is no infix operator in a sentence, and words of egglog
EGGLOG = re.compile(
    r"(?<!\w)\((?:rule|rewrite|birewrite|set|union|delete|subsume|function|relation|constructor|datatype|sort|ruleset|run-schedule) (?:[({\w]|$)"
    r"|(?<!\w)\((?:=|!=|<=|>=|<|>|\+|-|\*|/|&|\||<<|>>|neg|abs|min|max|not|or|and) (?:[({\w]|$)|:ruleset\b|:merge\b"
)


def egglog_lines(source: Source) -> list[int]:
    """Lines of a file at which a text, which is no docstring, would be read by egglog."""
    docs = {
        id(node.body[0].value)
        for node in source.nodes
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef))
        and isinstance(node.body[0], ast.Expr)
    }
    texts = (node for node in source.nodes if isinstance(node, ast.Constant) and id(node) not in docs)
    return [node.lineno for node in texts if isinstance(node.value, str) and EGGLOG.search(node.value)]


def egglog_outside(source: Source) -> list[str]:
    """The lines with egglog of a file that does not belong to the room of the e-graph."""
    return [] if source.path.startswith("egraph/") else [f"{line}" for line in egglog_lines(source)]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('x = "(rule ((= e (Exp x))) ((set (lo e) 0.0)) :ruleset facts)"', [1]),
        ('x = f"(= {a} (dep {b}))"', [1]),
        ('when = "(> {lo a} 0.0)"', [1]),
        ('x = "lo(a) > 0"', []),
        ('"""A docstring may say (set (lo e) 0.0)."""', []),
        ('x = "op(not x, y) = z"', []),
        ('x = "two numbers (of which one may be 0) and a rule"', []),
    ],
)
def test_the_check_sees_egglog(text: str, lines: list[int]) -> None:
    assert egglog_lines(Source(text)) == lines
    assert egglog_outside(Source(text)) == [f"{line}" for line in lines]
    assert egglog_outside(Source(text, "egraph/a.py")) == []
