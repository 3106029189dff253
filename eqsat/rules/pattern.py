"""Patterns: terms of ops over metavariables, written with the same functions and operators as expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from eqsat.errors import RuleError
from eqsat.graph.declare import DeclaredOp
from eqsat.graph.ops import elemwise as e


class Pattern:
    """Base of the terms of a rule; arithmetic on patterns builds patterns, comparisons build conditions."""

    def _apply_op(self, op: DeclaredOp, args: tuple[Any, ...]) -> Term:
        return Term(op.name, tuple(as_pattern(a) for a in args), tuple(op.values))

    def __add__(self, other: Any) -> Any:
        return e.add(self, other)

    def __radd__(self, other: Any) -> Any:
        return e.add(other, self)

    def __sub__(self, other: Any) -> Any:
        return e.sub(self, other)

    def __rsub__(self, other: Any) -> Any:
        return e.sub(other, self)

    def __mul__(self, other: Any) -> Any:
        return e.mul(self, other)

    def __rmul__(self, other: Any) -> Any:
        return e.mul(other, self)

    def __truediv__(self, other: Any) -> Any:
        return e.truediv(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return e.truediv(other, self)

    def __pow__(self, other: Any) -> Any:
        return e.pow(self, other)

    def __neg__(self) -> Any:
        return e.neg(self)

    def __gt__(self, other: float) -> Condition:
        return _sign_condition("positive", self, other)

    def __ge__(self, other: float) -> Condition:
        return _sign_condition("nonneg", self, other)

    def __lt__(self, other: float) -> Condition:
        return _sign_condition("negative", self, other)

    def __le__(self, other: float) -> Condition:
        return _sign_condition("nonpos", self, other)


@dataclass(frozen=True, eq=True)
class Meta(Pattern):
    """A metavariable for a tensor; ``domain`` is float, int or any."""

    name: str
    domain: str = "float"

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Number(Pattern):
    """A number: on the left it matches a tensor filled with it, on the right it is a constant."""

    value: float

    def __str__(self) -> str:
        return f"{self.value:g}"


@dataclass(frozen=True)
class Term(Pattern):
    """An op applied to patterns; ``params`` are values, parameter metavariables or calls on them."""

    op: str
    args: tuple[Any, ...]
    params: tuple[Any, ...] = ()

    def __str__(self) -> str:
        inside = ", ".join(map(str, self.args))
        extra = "{" + ", ".join(map(str, self.params)) + "}" if self.params else ""
        return f"{self.op}{extra}({inside})"


def _parameter_method(name: str) -> Callable[[Any, Any], ParameterCall]:
    def method(self: Any, other: Any) -> ParameterCall:
        return ParameterCall(name, (self, other))

    return method


@dataclass(frozen=True)
class Parameter:
    """A metavariable for a parameter of an op, such as axes or a pattern."""

    name: str

    def __str__(self) -> str:
        return self.name

    __or__ = _parameter_method("|")
    __and__ = _parameter_method("&")


@dataclass(frozen=True)
class ParameterCall:
    """A function of parameters: ``|``, ``&`` and ``-`` of bit masks, or a named function of patterns."""

    function: str
    args: tuple[Any, ...]

    def __str__(self) -> str:
        return f"{self.function}({', '.join(map(str, self.args))})"


@dataclass(frozen=True)
class Condition:
    """Something that must be known of a metavariable; ``&`` joins conditions."""

    facts: tuple[tuple[str, tuple[Any, ...]], ...]

    def __and__(self, other: Condition) -> Condition:
        return Condition(self.facts + other.facts)

    def __str__(self) -> str:
        return " and ".join(f"{name}({', '.join(map(str, args))})" for name, args in self.facts)


def _sign_condition(fact: str, pattern: Pattern, bound: float) -> Condition:
    if bound != 0 or not isinstance(pattern, Meta):
        raise RuleError(f"a condition compares a metavariable with 0, not {pattern} with {bound}")
    return Condition(((fact, (pattern,)),))


def nonzero(x: Meta) -> Condition:
    """No element of x is 0."""
    return Condition((("nonzero", (x,)),))


def finite(x: Meta) -> Condition:
    """No element of x is NaN or infinite."""
    return Condition((("finite", (x,)),))


def uniform(x: Meta) -> Condition:
    """x is a known number, repeated."""
    return Condition((("uniform", (x,)),))


def invariant(x: Meta, axes: Parameter) -> Condition:
    """x has length 1 along the axes."""
    return Condition((("invariant", (x, axes)),))


def covers(x: Meta, axes: Parameter) -> Condition:
    """x has no axis of length 1 by type among the axes."""
    return Condition((("covers", (x, axes)),))


def same_dtype(x: Meta, dtype: Parameter) -> Condition:
    """x has the dtype of a cast."""
    return Condition((("same_dtype", (x, dtype)),))


def widens(x: Meta, dtype: Parameter) -> Condition:
    """Every value of x's dtype is a value of the given dtype."""
    return Condition((("widens", (x, dtype)),))


def swaps(pattern: Parameter) -> Condition:
    """The dimshuffle pattern is (1, 0)."""
    return Condition((("swaps", (pattern,)),))


def disjoint(a: Parameter, b: Parameter) -> Condition:
    """Two sets of axes have no axis in common."""
    return Condition((("disjoint", (a, b)),))


def reals(names: str) -> Any:
    """Metavariables for floating tensors; one where one name is given."""
    return _metas(names, "float")


def integers(names: str) -> Any:
    """Metavariables for integer tensors."""
    return _metas(names, "int")


def anything(names: str) -> Any:
    """Metavariables for tensors of any dtype."""
    return _metas(names, "any")


def _metas(names: str, domain: str) -> Any:
    made = [Meta(name, domain) for name in names.split()]
    return made[0] if len(made) == 1 else made


def parameters(names: str) -> Any:
    """Metavariables for parameters of ops; one where one name is given."""
    made = [Parameter(name) for name in names.split()]
    return made[0] if len(made) == 1 else made


def compose(p: Parameter, q: Parameter) -> ParameterCall:
    """The dimshuffle pattern that does what p and then q do."""
    return ParameterCall("compose", (p, q))


def axes_before(p: Parameter, axes: Parameter) -> ParameterCall:
    """The axes of x that stand at ``axes`` of dimshuffle(x, p); defined where none of them is new."""
    return ParameterCall("axes_before", (p, axes))


def axes_after(p: Parameter, axes: Parameter) -> ParameterCall:
    """The axes of dimshuffle(x, p) at which ``axes`` of x stand; defined where none of them is dropped."""
    return ParameterCall("axes_after", (p, axes))


def as_pattern(value: Any) -> Any:
    """Pattern of a value in a rule: patterns as they are, numbers as Number."""
    if isinstance(value, Pattern):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Number(float(value))
    raise RuleError(f"{value!r} cannot stand in a rule", needs="a metavariable, a number or a term of them")


def subterms(pattern: Any) -> Iterator[Any]:
    """The pattern and all patterns in it, outermost first."""
    stack = [pattern]
    while stack:
        item = stack.pop()
        yield item
        if isinstance(item, Term):
            stack.extend(reversed(item.args))


def metas_of(pattern: Any) -> set[Meta]:
    """The tensor metavariables of a pattern."""
    return {p for p in subterms(pattern) if isinstance(p, Meta)}


def parameters_of(pattern: Any) -> set[str]:
    """Names of the parameter metavariables of a pattern."""
    found: set[str] = set()
    for p in subterms(pattern):
        stack = list(p.params) if isinstance(p, Term) else []
        while stack:
            item = stack.pop()
            if isinstance(item, Parameter):
                found.add(item.name)
            elif isinstance(item, ParameterCall):
                stack.extend(item.args)
    return found


def term_size(pattern: Any) -> int:
    """Number of ops in a pattern."""
    return sum(isinstance(p, Term) for p in subterms(pattern))
