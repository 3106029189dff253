"""Declarations of conditions of rules: a name, an expression for the e-graph, a meaning on arrays, and the same in words."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import cached_property
from numbers import Integral, Real
from typing import Any, NoReturn

from eqsat.base.values import dataclass
from eqsat.errors import DeclarationError, RuleError
from eqsat.rules.condition import EITHER, Condition

APPLIED = re.compile(r"\bo_(\w+)\(([^()]*)\)")  # an op of the e-graph, as in o_length(b, c)


@dataclass(frozen=True)
class Fact:
    """A condition on its operands a, b and c.

    ``text`` is an expression in which ``mask(a)`` is the value of the table ``mask`` for an operand, and ``first`` the
    first operand of the left side. ``bits(a)`` is ``mask(a)`` with other bits above those of axes. Parts joined by "and" are
    asked for in turn; ``is_known(cval(a))`` asks only that there is a value.
    ``holds`` takes numbers, arrays and the values of parameters.
    """

    text: str
    holds: Callable[..., Any]
    about: str  # tensors, numbers, matrices, loops or functions
    doc: str = ""
    offered: bool = False  # to users, as a function of eqsat.conditions
    # arrays with drawn values, and the other operands: the first array, or several, within the condition
    into: Callable[..., Any] | None = None

    @property
    def operands(self) -> tuple[str, ...]:
        """The names of its operands: x and y are tensors, v is a number, the others are axes."""
        code = self.holds.__code__
        return code.co_varnames[: code.co_argcount]

    @cached_property
    def wants(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The ops of operands that the text compares: the e-graph must hold them before it can be asked.

        >>> from eqsat.rules.facts import FACTS
        >>> FACTS["as_long"].wants
        (('length', ('b', 'c')),)
        """
        return tuple((op, tuple(names.split(", "))) for op, names in APPLIED.findall(self.text))

    @cached_property
    def makes(self) -> frozenset[str]:
        """The ops that a rule which asks for it brings: where two lengths are compared also one with which known lengths are numbers."""
        return frozenset([op for op, _ in self.wants] + ["reshape"] * (len(self.wants) > 1))

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The sort of each operand in the e-graph, "tensor" or "float", as far as the text says it; "" is not known.

        >>> from eqsat.rules.facts import FACTS
        >>> FACTS["not_below"].kinds, FACTS["rank"].kinds
        (('tensor', 'float'), ('', ''))
        """
        letters = "abc"[: len(self.operands)]
        nodes: list[Any] = [*ast.walk(ast.parse(self.text, mode="eval"))]
        bounded = {n.args[0].id for n in nodes if _is_float(n) and isinstance(n.args[0], ast.Name)}
        pairs = [sides for n in nodes for sides in [_sides(n)] if any(map(_is_float, sides))]
        beside = {side.id for sides in pairs for side in sides if isinstance(side, ast.Name)}
        return tuple("tensor" if n in bounded else "float" if n in beside else "" for n in letters)


def typed(rule: str, condition: Condition) -> Condition:
    """The condition of a rule with each number as the e-graph holds it: a float where its fact compares it with floats.

    Errors   RuleError that names the rule, the fact and the operand
    """
    facts = []
    for name, args in condition.facts:
        if name == EITHER:
            args = tuple(typed(rule, one) for one in args)
        elif name in FACTS:
            args = tuple(_operand(rule, name, k, one) for k, one in enumerate(args))
        facts.append((name, args))
    return Condition(tuple(facts), condition.rest)


def _operand(rule: str, name: str, place: int, given: Any) -> Any:
    """One operand of a fact, as the sort of its place asks for."""
    fact = FACTS[name]
    if place >= len(fact.operands) or fact.about == "numbers":
        return given
    kind, word = fact.kinds[place], fact.operands[place]
    number = isinstance(given, Real) and not isinstance(given, bool)
    whole = isinstance(given, Integral) and number
    if kind == "float" and number:
        return float(given)
    wrong = "number" if kind == "float" else "metavariable" if kind == "tensor" and number else ""
    if wrong:
        raise RuleError(f"rule {rule}: {name} is said of {word}, which is a {wrong}, not of {given}")
    if number and not whole:
        raise RuleError(f"rule {rule}: {name} is said of {word}, which is a whole number, not of {given}")
    return int(given) if whole else given


FLOATS = ("lo", "hi", "cval", "total")  # what is asked of operands: floats, ...
OTHERS = (  # ... integers, and what is true or not
    *("bits", "columns", "dep", "dtype", "dtype_widens", "finite", "highest", "identity"),
    *("known", "lower", "lowest", "mask"),
    *("named_move", "ndim", "nonzero", "o_length", "over", "pattern_swaps", "pole", "posdef"),
    *("positive_diagonal", "rows", "several", "shared_left", "shared_right", "single", "step_of", "sum_over"),
    *("symmetric", "told", "uneven", "upper", "varies", "weight", "float", "int", "number", "bool"),
)
WORDS = ("abs", "is_known")


FACTS: dict[str, Fact] = {  # by name; eqsat/rules/facts.py fills it
    EITHER: Fact("0 == 0", lambda *conditions: True, "tensors", "One of the conditions is known."),
}


def fact(
    name: str,
    text: str,
    holds: Callable[..., Any],
    doc: str,
    about: str = "tensors",
    offered: bool = False,
    into: Callable[..., Any] | None = None,
) -> Callable[..., Condition]:
    """Declare a condition; the result makes it of its operands. One that is ``offered`` is in ``eqsat.conditions`` too.

    >>> from eqsat.rules.facts import FACTS, covers
    >>> from eqsat.rules.pattern import parameters, reals
    >>> print(covers(reals("x"), parameters("axes")))
    covers(x, axes)
    >>> FACTS["covers"].text
    '0 == bits(a) & b'
    """
    made = Fact(text, holds, about, doc, offered, into)
    names = made.operands
    check_text(name, text, len(names))

    def maker(*operands: Any) -> Condition:
        if len(operands) != len(names):
            raise RuleError(
                f"{name} is said of {', '.join(names)}, not of {len(operands)} operands: {', '.join(map(str, operands))}"
            )
        return Condition(((name, operands),))

    maker.__name__ = maker.__qualname__ = name
    maker.__doc__ = doc
    FACTS[name] = made
    return maker


def check_text(name: str, text: str, count: int) -> None:
    """Refuse a text that the e-graph could not ask.

    Errors   DeclarationError that says which part cannot stand there, and what may
    """
    try:
        nodes = [*ast.walk(ast.parse(text, mode="eval"))]
    except SyntaxError:
        raise DeclarationError(
            f"fact {name}: {text!r} is no expression", needs="such as lo(a) > 0.0"
        ) from None
    functions = {id(n.func) for n in nodes if isinstance(n, ast.Call)}
    given = {n.target.id for n in nodes if isinstance(n, ast.NamedExpr)}
    known = {*"abc"[:count], "first", *given}
    for node in nodes:
        if isinstance(node, ast.Name) and node.id not in (
            (*FLOATS, *OTHERS, *WORDS) if id(node) in functions else known
        ):
            _refuse(name, text, node.id, count)
        for side in _sides(node):
            if type(getattr(side, "value", None)) is int and any(map(_is_float, _sides(node))):
                _refuse(
                    name, text, f"{ast.unparse(side)} beside a float, which is {ast.unparse(side)}.0,", count
                )


def _sides(node: Any) -> list[Any]:
    """The operands of a comparison or of arithmetic, without their signs."""
    sides = {
        ast.Compare: lambda: [node.left, *node.comparators],
        ast.BinOp: lambda: [node.left, node.right],
    }.get(type(node), list)()
    return [s.operand if isinstance(s, ast.UnaryOp) else s for s in sides]


def _is_float(node: Any) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FLOATS


def _refuse(name: str, text: str, part: str, count: int) -> NoReturn:
    raise DeclarationError(
        f"fact {name}: {text!r}: {part} cannot stand there",
        needs=f"operands {', '.join('abc'[:count])}, which are those of holds in their order, or first; "
        f"of them the floats {', '.join(FLOATS)}, and {', '.join(OTHERS)}; {' and '.join(WORDS)}",
    )
