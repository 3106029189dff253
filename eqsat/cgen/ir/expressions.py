"""Expressions of the loop program: numbers, names, elements of memory, operations and calls. A target prints them.

Integers are int64 and divide towards zero. Operations on known integers are computed when the expression is made.

>>> n = Name("n")
>>> n * 1 + 0 is n, Int(7) // 2, Int(3) > 4
(True, Int(value=3), Int(value=0))
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from eqsat.base.values import dataclass

TESTS = {"==", "!=", "<", ">", "<=", ">=", "&&", "||", "!"}


class Expression:
    """A value of the loop program, with the operators of integers; ``eq``, ``ne``, ``both``, ``either`` make tests."""

    __slots__ = ()

    @property
    def dtype(self) -> str:
        """Dtype of the value."""
        return "int64"

    def __add__(self, other: Expression | int) -> Expression:
        return binary("+", self, other)

    def __radd__(self, other: int) -> Expression:
        return binary("+", Int(other), self)

    def __sub__(self, other: Expression | int) -> Expression:
        return binary("-", self, other)

    def __rsub__(self, other: int) -> Expression:
        return binary("-", Int(other), self)

    def __mul__(self, other: Expression | int) -> Expression:
        return binary("*", self, other)

    def __rmul__(self, other: int) -> Expression:
        return binary("*", Int(other), self)

    def __floordiv__(self, other: Expression | int) -> Expression:
        return binary("/", self, other)

    def __mod__(self, other: Expression | int) -> Expression:
        return binary("%", self, other)

    def __lt__(self, other: Expression | int) -> Expression:
        return binary("<", self, other)

    def __gt__(self, other: Expression | int) -> Expression:
        return binary(">", self, other)

    def __le__(self, other: Expression | int) -> Expression:
        return binary("<=", self, other)

    def __ge__(self, other: Expression | int) -> Expression:
        return binary(">=", self, other)

    def __neg__(self) -> Expression:
        return Int(-self.value) if isinstance(self, Int) else Unary("-", self)


@dataclass(frozen=True, slots=True)
class Int(Expression):
    """An integer that is known."""

    value: int


@dataclass(frozen=True, slots=True)
class Number(Expression):
    """A number of a dtype that is known."""

    value: Any
    of: str

    @property
    def dtype(self) -> str:
        return self.of


@dataclass(frozen=True, slots=True)
class Name(Expression):
    """A number of the segment's table, a parameter, a local value or a counter."""

    name: str
    of: str = "int64"

    @property
    def dtype(self) -> str:
        return self.of


@dataclass(frozen=True, slots=True)
class Pointer(Expression):
    """A pointer of the segment's table, or to a constant: an address in bytes."""

    name: str


@dataclass(frozen=True, slots=True)
class Shifted(Expression):
    """The address so many elements of a dtype after another address."""

    base: Expression
    of: str
    offset: Expression


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    """``-x`` or ``!x``."""

    op: str
    x: Expression

    @property
    def dtype(self) -> str:
        return "bool" if self.op == "!" else self.x.dtype


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    """Two values joined by an arithmetic operation, a comparison, ``&&`` or ``||``."""

    op: str
    x: Expression
    y: Expression

    @property
    def dtype(self) -> str:
        return "bool" if self.op in TESTS else (self.y if isinstance(self.x, Int) else self.x).dtype


@dataclass(frozen=True, slots=True)
class Select(Expression):
    """One of two values by a test; the other one is not computed."""

    test: Expression
    x: Expression
    y: Expression

    @property
    def dtype(self) -> str:
        return (self.y if isinstance(self.x, Int) else self.x).dtype


@dataclass(frozen=True, slots=True)
class Cast(Expression):
    """A value in another dtype; integers that do not fit wrap around."""

    of: str
    x: Expression

    @property
    def dtype(self) -> str:
        return self.of


@dataclass(frozen=True, slots=True)
class Function(Expression):
    """A function of values that each target knows by name: least, exp, log, logaddexp, ceil, finite, or one of ``of`` numbers."""

    name: str
    args: tuple[Expression, ...]
    of: str = "int64"

    @property
    def dtype(self) -> str:
        return self.of


@dataclass(frozen=True, slots=True)
class Argument(Expression):
    """A number of a block by its place, or a pointer to elements ``to``, where operands are too many for names."""

    place: Expression
    to: str = ""


@dataclass(frozen=True, slots=True)
class Read(Expression):
    """The number of a dtype at an address."""

    address: Expression
    of: str

    @property
    def dtype(self) -> str:
        return self.of


@dataclass(frozen=True, slots=True)
class Turn(Expression):
    """One of several addresses or integers, which take turns by a number."""

    number: Expression
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Elsewhere(Expression):
    """True where two addresses differ."""

    x: Expression
    y: Expression


@dataclass(frozen=True, slots=True)
class Text(Expression):
    """A value in the target's own text, as an op of the user gives it."""

    text: str
    of: str = "int64"

    @property
    def dtype(self) -> str:
        return self.of


_PART = re.compile(r"-?[A-Za-z0-9_\[\]]+")
ZERO: Expression = Int(0)
ONE: Expression = Int(1)
_WHOLE: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "%": lambda a, b: abs(a) % abs(b) * (1 if a >= 0 else -1),
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_SAME_RIGHT = {"+": 0, "-": 0, "*": 1, "/": 1}
_SAME_LEFT = {"+": 0, "*": 1}


def expression(x: Expression | int) -> Expression:
    """An integer as an expression; an expression as it is."""
    return Int(x) if isinstance(x, int) else x


def binary(op: str, x: Expression, y: Expression | int) -> Expression:
    """Two values joined by an operation; what known integers make of it is known."""
    if isinstance(y, int):
        y = Int(y)
    if isinstance(y, Int):
        if isinstance(x, Int) and (y.value or op not in "/%"):
            return Int(int(_WHOLE[op](x.value, y.value)))
        if _SAME_RIGHT.get(op) == y.value:
            return x
        if op == "*" and not y.value or op == "%" and y.value == 1:
            return ZERO
    elif isinstance(x, Int):
        if _SAME_LEFT.get(op) == x.value:
            return y
        if op == "*" and not x.value:
            return x
    elif op == "-" and x == y and x.dtype == "int64":
        return ZERO
    return Binary(op, x, y)


def eq(x: Expression, y: Expression | int) -> Expression:
    """True where two values are equal."""
    return ONE if x == y and x.dtype == "int64" else binary("==", x, y)


def ne(x: Expression, y: Expression | int) -> Expression:
    """True where two values differ."""
    return ZERO if x == y and x.dtype == "int64" else binary("!=", x, y)  # a NaN differs from itself


def either(*tests: Expression) -> Expression:
    """True where one of the tests holds; those after it are not asked."""
    return functools.reduce(lambda a, b: _logical("||", a, b, 1), tests, ZERO)


def both(*tests: Expression) -> Expression:
    """True where all tests hold; those after one that does not are not asked."""
    return functools.reduce(lambda a, b: _logical("&&", a, b, 0), tests, ONE)


def _logical(op: str, x: Expression, y: Expression, settled: int) -> Expression:
    for a, b in ((x, y), (y, x)):
        if isinstance(a, Int):
            return Int(settled) if bool(a.value) == bool(settled) else b
    return Binary(op, x, y)


def negated(test: Expression) -> Expression:
    """True where a test does not hold."""
    return Int(int(not test.value)) if isinstance(test, Int) else Unary("!", test)


def select(test: Expression, x: Expression | int, y: Expression | int) -> Expression:
    """``x`` where the test holds, else ``y``."""
    if isinstance(test, Int):
        return expression(x if test.value else y)
    return Select(test, expression(x), expression(y))


def least(x: Expression, y: Expression) -> Expression:
    """The smaller of two integers."""
    if isinstance(x, Int) and isinstance(y, Int):
        return Int(min(x.value, y.value))
    return Function("least", (x, y))


def product(factors: Iterable[Expression]) -> Expression:
    """The product of integers; 1 of none."""
    return functools.reduce(lambda a, b: a * b, factors, ONE)


@functools.cache
def length(text: str) -> Expression:
    """A length of an array: a number, a name, or a product of them as ``Lengths`` writes it."""
    parts = [part.strip("()") for part in text.split("*")]
    assert all(_PART.fullmatch(p) for p in parts), text
    return product(Int(int(p)) if p.lstrip("-").isdigit() else Name(p) for p in parts)


def strides_of(lengths: Iterable[Expression]) -> tuple[Expression, ...]:
    """Strides in elements of a C-contiguous array of these lengths."""
    strides: list[Expression] = []
    step: Expression = ONE
    for n in reversed(list(lengths)):
        strides.append(step)
        step = n * step
    return tuple(reversed(strides))


def plain_text(x: Expression) -> str:
    """A number, a name or a product of them as ``Lengths`` writes it; empty for anything else."""
    if isinstance(x, Int):
        return str(x.value)
    if isinstance(x, Name):
        return x.name
    if isinstance(x, Binary) and x.op == "*" and isinstance(x.y, (Int, Name)):
        left, right = plain_text(x.x), plain_text(x.y)
        return f"{left}*{right}" if left and "-" not in left + right else ""
    return ""


_PARTS: dict[type, tuple[str, ...]] = {
    Shifted: ("base", "offset"),
    Unary: ("x",),
    Binary: ("x", "y"),
    Select: ("test", "x", "y"),
    Cast: ("x",),
    Argument: ("place",),
    Read: ("address",),
    Turn: ("number",),
    Elsewhere: ("x", "y"),
}
_SEVERAL = {Function: "args", Turn: "items"}


def inside(x: Expression) -> Iterator[Expression]:
    """An expression and all those in it."""
    stack = [x]
    while stack:
        x = stack.pop()
        yield x
        stack += [getattr(x, part) for part in _PARTS.get(type(x), ())]
        stack += getattr(x, _SEVERAL[type(x)]) if type(x) in _SEVERAL else ()
        memory = getattr(x, "memory", None)
        if memory is not None:
            stack += [memory.address, *memory.s, *x.index]  # type: ignore[attr-defined]


def mentions(*values: Expression) -> str:
    """The names of numbers and pointers in expressions, with spaces between them."""
    return " ".join(
        getattr(x, "name", "") or getattr(x, "text", "") for value in values for x in inside(value)
    )


def reads_memory(x: Expression) -> bool:
    """True where an expression holds an element of memory."""
    return any(isinstance(part, (Read, Text)) or hasattr(part, "memory") for part in inside(x))
