"""Expressions of Python as egglog text: conditions of rules, bounds of results and their types are declared as such."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from eqsat.egraph.packed import TESTS
from eqsat.errors import DeclarationError

SIGNS: dict[type, str] = {
    **{ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%"},
    **{ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>"},
    **{ast.Eq: "=", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="},
}
OPERATION = re.compile(r"(?:(\w+) )?([-+*/]) ?([a-z]\w*)")  # perhaps with a number on the left


@lru_cache(maxsize=512)
def prefix(text: str) -> str:
    """An expression in egglog.

    Errors   DeclarationError for what is no expression

    >>> prefix("max(lo_x, -hi_y) + 1")
    '(+ (max lo_x (neg hi_y)) 1)'
    """
    return Printer(text, lambda name: name, lambda name, args: f"({name} {' '.join(args)})").whole()


def operation(text: str, names: Mapping[str, str]) -> str:
    """One operation of arithmetic on floats, with other names for its operands; no text for any other formula.

    >>> operation("1 / x", {"x": "u"}), operation("x * y", {"x": "u", "y": "w"}), operation("exp(x)", {"x": "u"})
    ('(/ 1.0 u)', '(* u w)', '')
    """
    found = OPERATION.fullmatch(text)
    if found is None:
        return ""
    left, sign, right = found.groups()
    operands = [names.get(side, f"{side}.0") for side in (left, right) if side]
    return f"({sign if left else 'neg'} {' '.join(operands)})"


@lru_cache(maxsize=512)
def atoms(text: str) -> tuple[str, ...]:
    """The atoms of a condition, with the operands in braces, and with the table that is read of one.

    >>> atoms("is_known(cval(a)) and nonzero(b) and 0 == bits(a) & 1 << b")
    ('{cval a}', '(nonzero {b})', '(= 0 (& {bits a} (<< 1 {b})))')
    >>> atoms("-1 <= a < (n := lo(b) * 2) and n < 5")
    ('(= ?n (* {lo b} 2))', '(<= -1 {a})', '(< {a} ?n)', '(< ?n 5)')
    """
    return tuple(Conditions(text, lambda name: f"{{{name}}}", _read).every())


def _read(name: str, args: list[str]) -> str:
    """The value of a function of numbers, or, of one operand, of a table."""
    (*more, last) = args
    return f"({name} {' '.join(args)})" if more or name == "abs" else f"{{{name} {last[1:-1]}}}"


class Printer:
    """Prints the nodes of one expression; ``leaf`` prints a name, ``call`` a function of printed operands."""

    def __init__(self, text: str, leaf: Callable[[str], str], call: Callable[[str, list[str]], str]) -> None:
        self.source, self.leaf, self.call = text, leaf, call
        try:
            self.tree = ast.parse(text, mode="eval").body
        except SyntaxError:
            raise DeclarationError(
                f"{text!r} is no expression", needs="such as lo_x + hi_y or max(lo_x, lo_y)"
            ) from None

    def whole(self) -> str:
        """The whole expression."""
        return self.text(self.tree)

    def text(self, node: Any) -> str:
        """One node of it."""
        if isinstance(node, ast.Name):
            return self.leaf(node.id)
        if isinstance(node, ast.BinOp):
            return self.pair(type(node.op), node.left, node.right)
        if isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
            return f"(neg {self.text(node.operand)})"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self.call(node.func.id, [self.text(a) for a in node.args])
        if isinstance(node, (ast.Constant, ast.UnaryOp)):
            return self.source[node.col_offset : node.end_col_offset]
        raise DeclarationError(f"{self.source!r}: {ast.unparse(node)} is no expression for the e-graph")

    def pair(self, sign: type, left: Any, right: Any) -> str:
        """Two operands of an operator."""
        return f"({SIGNS[sign]} {self.text(left)} {self.text(right)})"


class Conditions(Printer):
    """Prints the parts of a condition; a value that gets a name, as in ``(n := lo(a)) > 0``, is asked for first."""

    def every(self) -> Iterator[str]:
        """The atoms of all parts."""
        parts = self.tree.values if isinstance(self.tree, ast.BoolOp) else [self.tree]
        given = {n.target.id for n in ast.walk(self.tree) if isinstance(n, ast.NamedExpr)}
        free, self.leaf = self.leaf, lambda name: f"?{name}" if name in given else free(name)
        for part in parts:
            for n in ast.walk(part):
                if isinstance(n, ast.NamedExpr):
                    yield f"(= ?{n.target.id} {self.text(n.value)})"
            yield from self.part(part)

    def part(self, node: Any) -> Iterator[str]:
        """The atoms of one part: comparisons, a test, or what must only have a value."""
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for k, sign in enumerate(node.ops):
                yield self.pair(type(sign), sides[k], sides[k + 1])
        elif node.func.id == "is_known":
            yield self.text(node.args[0])
        elif node.func.id in TESTS:
            yield self.text(node)
        else:
            yield f"({node.func.id} {' '.join(map(self.text, node.args))})"

    def text(self, node: Any) -> str:
        return self.leaf(node.target.id) if isinstance(node, ast.NamedExpr) else super().text(node)


def inlined(body: list[str], head: str, parts: dict[str, str]) -> tuple[list[str], str]:
    """A rule in which what is used once stands where it is used: egglog takes longer to add a rule with more variables."""
    lines = [*body, head]
    for name, text in parts.items():
        atom, word = f"(= {name} {text})", re.compile(rf"{re.escape(name)}(?!\w)")
        uses = [k for k, line in enumerate(lines) for _ in word.findall(line) if line != atom]
        if len(uses) < 2 and atom in lines:
            lines = [word.sub(text, line) for line in lines if line != atom]
    return lines[:-1], lines[-1]


def number_text(value: float) -> str:
    """A float in egglog's syntax."""
    return "NaN" if value != value else repr(float(value))
