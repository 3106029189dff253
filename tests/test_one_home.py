"""A fact about ops has one home, their declarations: nothing else is keyed by their names."""

from __future__ import annotations

import ast

import pytest

import eqsat.scan  # noqa: F401  (declares the ops of loops)
from eqsat.graph.declare import OPS
from tests.source import Source

DECLARE = ("graph/ops/", "graph/loops.py")  # the declarations themselves
MOST = 2  # names of ops in one literal
NAMES = {*OPS, *(f"{name}_{count}" for name, d in OPS.items() for count in d.forms)}

TABLES = {  # the literals that may name more, by file and the name that they are given
    ("printing/line.py", "OPERATORS"): "symbols for printing",
    ("printing/short_text.py", "WRITERS"): "forms for printing",
    ("costs/calibration.py", "FUNCTIONS"): "functions whose price is measured",
    ("tensor/linalg.py", "_ELSEWHERE"): "NumPy's and Theano's functions",
    ("frontends/theano/op_names.py", "WRITE"): "the ops of a class of Theano",
    ("frontends/theano/op_names.py", "SUBSCRIPT"): "the ops of a class of Theano",
    ("frontends/pytensor/tensor_names.py", "PARAMETERS"): "parameters of PyTensor's functions",
    ("frontends/pytensor/tensor_names.py", "TENSOR"): "PyTensor's functions",
    ("bridges/jax/shapes.py", "JOINS"): "JAX's primitives",
    ("lengths/expression.py", "FUNCTIONS"): "functions of lengths in signatures, which are no ops",
}
ALWAYS = {"__all__"}  # names that a module offers


def literals(source: Source) -> list[tuple[str, int, set[str]]]:
    """The literals of a file with the names of ops in them: what each is given to, its line, and the names.

    Counted are keys of dicts, members of sets, lists and tuples, cases of a match, and the words of a text.
    """
    found, body = [], source.tree.body
    owners = {id(inner): name for node in body for name in _targets(node) for inner in ast.walk(node)}
    for node in source.nodes:
        names = NAMES.intersection(_members(node))
        if len(names) > MOST:
            found.append((owners.get(id(node), ""), node.lineno, names))  # type: ignore[attr-defined]
    return found


def _targets(node: ast.stmt) -> list[str]:
    """The names to which a statement at the top of a file gives a value."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _members(node: ast.AST) -> list[str]:
    """The texts by which a literal is keyed, or that it holds; a text of which most words are names counts as a list."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        words = node.value.split()
        return words if 2 * len(NAMES.intersection(words)) > len(words) else []
    if isinstance(node, ast.Match):
        cases = [inner for case in node.cases for inner in ast.walk(case.pattern)]
        parts: list[ast.AST | None] = [case.value for case in cases if isinstance(case, ast.MatchValue)]
    else:
        parts = list(getattr(node, "keys" if isinstance(node, ast.Dict) else "elts", []))
    return [p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str)]


def keyed(source: Source) -> list[str]:
    """Lines of literals that hold the names of three or more ops, but for tables that may."""
    if source.path.startswith(DECLARE):
        return []
    excused = ALWAYS | {given for path, given in TABLES if path == source.path}
    return [f"{line}" for given, line, _ in literals(source) if given not in excused]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('ODD = {"sin": 1, "tan": 2, "erf": 3}', [1]),
        ("def f(op):\n    return op in ('exp', 'exp2', 'expm1')", [2]),
        ("NAMES = 'exp log sqrt'.split()", [1]),
        ("match op:\n    case 'sin' | 'cos':\n        pass\n    case 'tan':\n        pass", [1]),
        ("PARTS = ['subtensor_1', 'concatenate_2', 'set_part_2']", [1]),
        ("PAIR = ('max', 'min')", []),
        ("__all__ = ['sin', 'cos', 'tan']", []),
        ("hint = 'the exp of a sum of logs, as log and exp are'", []),
    ],
)
def test_the_check_sees_tables(text: str, lines: list[int]) -> None:
    assert keyed(Source(text, "rules/a.py")) == [f"{line}" for line in lines]
    assert keyed(Source(text, "graph/ops/a.py")) == []
