"""Lengths as expressions over the lengths of operands, which are evaluated as integers, C text or variables.

>>> m, n = At(((0, 0),)), At(((1, 0),))
>>> (m + n - 1).text({0: "x", 1: "y"})
'x.shape[0] + y.shape[0] - 1'
>>> evaluate(least(m, 3), Numbers([(5,), (2,)]))
3
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from eqsat.base.values import dataclass
from eqsat.errors import DeclarationError

L = TypeVar("L")
Place = tuple[int, int]  # an operand and one of its axes, counted from 0


class Length:
    """A length, or another integer that a length is computed from."""

    def __add__(self, other: Length | int) -> Length:
        return combined("+", self, other)

    def __sub__(self, other: Length | int) -> Length:
        return combined("-", self, other)

    def __mul__(self, other: Length | int) -> Length:
        return combined("*", self, other)

    def __floordiv__(self, other: Length | int) -> Length:
        return combined("//", self, other)

    def __radd__(self, other: int) -> Length:
        return combined("+", other, self)

    def __rsub__(self, other: int) -> Length:
        return combined("-", other, self)

    def __rmul__(self, other: int) -> Length:
        return combined("*", other, self)

    def text(self, names: Mapping[int, str]) -> str:
        """The expression in the words of NumPy, with names of the operands."""
        return evaluate(self, Words(names))


@dataclass(frozen=True)
class Known(Length):
    """A number."""

    n: int


@dataclass(frozen=True)
class At(Length):
    """The length of an axis of an operand, or of several axes that must have one length."""

    places: tuple[Place, ...]


@dataclass(frozen=True)
class Value(Length):
    """The number that an operand without axes holds when the function runs."""

    operand: int


@dataclass(frozen=True)
class Combined(Length):
    """Two lengths joined by ``+ - * // min max``."""

    op: str
    left: Length
    right: Length


@dataclass(frozen=True)
class _Unknown(Length):
    """A length that only the values of the operands tell."""


UNKNOWN = _Unknown()


def as_length(n: Length | int | None) -> Length:
    """An integer as an expression; None is a length that nothing tells."""
    return n if isinstance(n, Length) else UNKNOWN if n is None else Known(int(n))


def combined(op: str, left: Length | int | None, right: Length | int | None) -> Length:
    """Two lengths joined; what is the same as one of them, or a number, is given as such."""
    a, b = as_length(left), as_length(right)
    if op in "+*" and isinstance(a, Known):
        a, b = b, a
    if UNKNOWN in (a, b):
        return UNKNOWN
    if isinstance(a, Known) and isinstance(b, Known):
        return Known(WHOLE[op](a.n, b.n))
    if op == "-" and isinstance(b, Known):
        op, b = "+", Known(-b.n)
    if op == "+" and isinstance(b, Known) and isinstance(a, Combined) and a.op == "+":
        a, b = (a.left, Known(a.right.n + b.n)) if isinstance(a.right, Known) else (a, b)
    if op == "max" and b == Known(0) and not_negative(a):
        return a
    if op == "min" and Known(0) in (a, b) and not_negative(a) and not_negative(b):
        return Known(0)
    if op in ("min", "max") and a == b or b == NEUTRAL.get(op) or op == "*" and b == Known(0):
        return b if b == Known(0) and op == "*" else a
    if op == "min" and isinstance(b, Combined) and b.op == "+" and a in (b.left, b.right) and not_negative(b):
        return a
    return Combined(op, a, b)


def not_negative(n: Length) -> bool:
    """True for what cannot be negative, as a length or a sum of some."""
    if isinstance(n, Combined) and n.op in ("+", "*", "min"):
        return not_negative(n.left) and not_negative(n.right)
    return isinstance(n, At) or (isinstance(n, Known) and n.n >= 0)


def leaves(n: Length) -> list[Length]:
    """The lengths and values of operands that an expression is computed from; UNKNOWN where it is not known."""
    stack, found = [n], []
    while stack:
        n = stack.pop()
        if isinstance(n, Combined):
            stack += [n.left, n.right]
        elif not isinstance(n, Known):
            found.append(n)
    return found


def replaced(n: Length, new: Mapping[Length, Length]) -> Length:
    """An expression with lengths of operands replaced."""
    if isinstance(n, Combined):
        return combined(n.op, replaced(n.left, new), replaced(n.right, new))
    return new.get(n, n)


def equal(*lengths: At) -> At:
    """Lengths of axes that must be the same, as one."""
    return At(tuple(place for n in lengths for place in n.places))


def least(a: Length | int | None, b: Length | int | None) -> Length:
    """The smaller of two lengths."""
    return combined("min", a, b)


def greatest(a: Length | int | None, b: Length | int | None) -> Length:
    """The larger of two lengths."""
    return combined("max", a, b)


def clip(n: Length | int | None, low: Length | int, high: Length | int) -> Length:
    """A length that is at least ``low`` and at most ``high``."""
    return least(greatest(n, low), high)


WHOLE: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "min": min,
    "max": max,
}
NEUTRAL = {"+": Known(0), "-": Known(0), "*": Known(1), "//": Known(1)}


class Algebra(Protocol[L]):
    """A way to read expressions of lengths: as numbers, as text, as variables of a graph."""

    def known(self, n: int) -> L:
        """A number."""

    def unknown(self) -> L:
        """A length that nothing tells."""

    def at(self, places: Sequence[Place]) -> L:
        """The length that some axes of operands share."""

    def value(self, operand: int) -> L:
        """The integer that an operand holds."""

    def combine(self, op: str, a: L, b: L) -> L:
        """Two lengths joined by one of ``+ - * // min max``."""


def evaluate(length: Length, algebra: Algebra[L]) -> L:
    """The meaning of an expression in an algebra."""
    if isinstance(length, Known):
        return algebra.known(length.n)
    if isinstance(length, At):
        return algebra.at(length.places)
    if isinstance(length, Value):
        return algebra.value(length.operand)
    if isinstance(length, Combined):
        return algebra.combine(length.op, evaluate(length.left, algebra), evaluate(length.right, algebra))
    return algebra.unknown()


class Numbers:
    """Lengths as integers, None where one is not known; of axes that share a length any may tell it."""

    def __init__(
        self, shapes: Sequence[Sequence[int | None]], values: Mapping[int, int] | None = None
    ) -> None:
        self.shapes, self.values = shapes, values or {}

    def known(self, n: int) -> int | None:
        return n

    def unknown(self) -> int | None:
        return None

    def at(self, places: Sequence[Place]) -> int | None:
        lengths = (self.shapes[operand][axis] for operand, axis in places)
        return next((n for n in lengths if n is not None), None)

    def value(self, operand: int) -> int | None:
        return self.values.get(operand)

    def combine(self, op: str, a: int | None, b: int | None) -> int | None:
        return None if a is None or b is None else WHOLE[op](a, b)


class Words:
    """Lengths as text for a reader."""

    def __init__(self, names: Mapping[int, str]) -> None:
        self.names = names

    def known(self, n: int) -> str:
        return str(n)

    def unknown(self) -> str:
        return "?"

    def at(self, places: Sequence[Place]) -> str:
        operand, axis = places[0]
        return f"{self.names[operand]}.shape[{axis}]"

    def value(self, operand: int) -> str:
        return self.names[operand]

    def combine(self, op: str, a: str, b: str) -> str:
        if op in ("min", "max"):
            return f"{op}({a}, {b})"
        if op == "+" and b.startswith("-"):
            op, b = "-", b[1:]
        if op in ("*", "//"):
            a, b = (f"({t})" if " " in t and not t.endswith(")") else t for t in (a, b))
        return f"{a} {op} {b}"


def read(text: str, symbols: Mapping[str, Any]) -> Length:
    """An expression as it stands in a signature: ``m + n - 1``, ``min(m, n)``, ``clip(n, 0, 4)``, ``?``.

    Errors   DeclarationError for what is no such expression, or for a name that is no symbol
    """
    import ast

    if text.strip() == "?":
        return UNKNOWN
    try:
        tree: Any = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise DeclarationError(f"{text!r} is no length", needs="such as n, m + n - 1 or min(m, n)") from None
    return _read(tree, symbols, text)


JOINED = {"Add": "+", "Sub": "-", "Mult": "*", "FloorDiv": "//"}
FUNCTIONS: dict[str, Callable[..., Length]] = {"min": least, "max": greatest, "clip": clip}


def _read(tree: Any, symbols: Mapping[str, Any], text: str) -> Length:
    kind = type(tree).__name__
    if kind == "Constant" and isinstance(tree.value, int):
        return Known(tree.value)
    if kind == "Name" and tree.id in symbols:
        return as_length(symbols[tree.id])
    if kind == "Name":
        raise DeclarationError(f"{tree.id} in {text!r} is no length of an operand", among=(tree.id, symbols))
    if kind == "BinOp" and type(tree.op).__name__ in JOINED:
        left, right = (_read(side, symbols, text) for side in (tree.left, tree.right))
        return combined(JOINED[type(tree.op).__name__], left, right)
    if kind == "Call" and getattr(tree.func, "id", "") in FUNCTIONS:
        return FUNCTIONS[tree.func.id](*(_read(arg, symbols, text) for arg in tree.args))
    raise DeclarationError(f"{text!r} is no length", needs="such as n, m + n - 1 or min(m, n)")
