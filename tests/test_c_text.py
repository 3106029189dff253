"""C stands in cgen/ and in its .c files, save the expressions of elementwise ops."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.source import Source

C = re.compile(
    r"\bu?int(8|16|32|64)_t\b|\bsizeof\b|\b(for|while|switch) \(|\bif \([\w({!]|\bvoid \*|__builtin_|__real__|\bstatic (inline|const)\b"
    r"|^#(define|pragma|include)|\b(memcpy|memset|malloc|free)\(|&&|\|\||\w\+\+[;)]|\w\[0\]$|;\s*\}\}$|^\w+ \? |\*\(?[{<]"
)
NAMES = {"CWriter", "COperand", "CView", "CTYPE", "c_strides", "total_length"}


def places(source: Source) -> Iterator[int]:
    """Lines of a file at which a text holds C, or a name of the C generator is used."""
    skipped = {id(inner) for node in source.nodes for part in _free(node) for inner in ast.walk(part)}
    for node in source.nodes:
        if id(node) in skipped:
            continue
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and C.search(node.value)
            or isinstance(node, (ast.Name, ast.alias))
            and _name(node) in NAMES
        ):
            yield node.lineno


def _name(node: ast.Name | ast.alias) -> str:
    return node.id if isinstance(node, ast.Name) else node.name


def _free(node: ast.AST) -> list[ast.AST]:
    """What may hold C under a node: docstrings, and what an elementwise op or a reduction says in C."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("elemwise", "Reduction"):
        return [
            *node.args,
            *(k.value for k in node.keywords if k.arg in ("c", "identity", "accumulator", "complex")),
        ]
    if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and node.body:
        first = node.body[0]
        return [first] if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) else []
    return []


def c_outside(source: Source) -> list[str]:
    """The lines with C of a file that lies in no folder cgen."""
    return [] if "cgen" in source.path.split("/") else [f"{line}" for line in sorted(set(places(source)))]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('w.emit(f"for (int64_t i = 0; i < {n}; i++) {body}")', [1]),
        ("def f(w: CWriter, x: COperand) -> None:\n    pass", [1]),
        ('"""if (x) y;"""\n\n@elemwise(c="({x} > 0 && {y} > 0)")\ndef both(x, y): ...', []),
        ('hint = "T.switch(x > 0, x, y) if it may be negative"', []),
    ],
)
def test_the_check_sees(text: str, lines: list[int]) -> None:
    assert sorted(set(places(Source(text)))) == lines
    assert c_outside(Source(text)) == [f"{line}" for line in lines]
    assert c_outside(Source(text, "cgen/a.py")) == []
