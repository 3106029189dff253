"""Patterns: terms of ops over metavariables, written with the same functions and operators as expressions."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from eqsat.base.values import dataclass
from eqsat.errors import RuleError
from eqsat.graph.declare import DeclaredOp
from eqsat.graph.ops import elemwise as e
from eqsat.graph.parameters import PART, parameter_text, part_text
from eqsat.graph.part_calls import CALLS
from eqsat.rules.condition import Condition

__all__ = ["anything", "bools", "indices", "integers", "numbers", "parameters", "places", "reals", "value"]


class Pattern:
    """Base of the terms of a rule; arithmetic on patterns builds patterns, comparisons build conditions."""

    def _apply_op(self, op: DeclaredOp, args: tuple[Any, ...]) -> Term:
        name = op.declaration.seen_as(len(args))
        if name is None:
            raise RuleError(f"rules do not see {op} of {len(args)} operands")
        return Term(name, tuple(as_pattern(a) for a in args), tuple(op.values))

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
    """A metavariable for a tensor; ``domain`` is float, int, bool, number (any but bool), index, place or any."""

    name: str
    domain: str = "float"

    def __str__(self) -> str:
        return self.name


def held_by_float32(value: float) -> bool:
    """True for a number that is the same in float32 and float64."""
    return value != value or struct.unpack("f", struct.pack("f", value))[0] == value


@dataclass(frozen=True)
class Number(Pattern):
    """A number: on the left it matches a tensor filled with it, on the right it is a constant."""

    value: float
    ndim: int | None = None  # where the rule says at which rank it stands

    def __post_init__(self) -> None:
        if self.value != self.value:  # one object for all, so that rules with it are equal
            object.__setattr__(self, "value", math.nan)

    def __reduce__(self) -> Any:
        return Number, (self.value, self.ndim)

    def at(self, ndim: int) -> Number:
        """The number at a rank."""
        return Number(self.value, ndim)

    def __str__(self) -> str:
        return f"{self.value:g}" if held_by_float32(self.value) else repr(self.value)


@dataclass(frozen=True)
class Value(Pattern):
    """Arithmetic on the numbers that uniform metavariables are known to be; on the right it is a constant.

    It is computed in float64, so a rule must limit it to values that every floating dtype holds.
    """

    function: str
    args: tuple[Any, ...]
    ndim: int | None = None  # where the rule says at which rank it stands

    def at(self, ndim: int) -> Value:
        """The number at a rank."""
        return Value(self.function, self.args, ndim)

    def __add__(self, other: Any) -> Any:
        return Value("+", (self, other)) if is_number(other) else super().__add__(other)

    def __sub__(self, other: Any) -> Any:
        return Value("-", (self, other)) if is_number(other) else super().__sub__(other)

    def __mul__(self, other: Any) -> Any:
        return Value("*", (self, other)) if is_number(other) else super().__mul__(other)

    def __truediv__(self, other: Any) -> Any:
        return Value("/", (self, other)) if is_number(other) else super().__truediv__(other)

    def __str__(self) -> str:
        if self.function == "value":
            return str(self.args[0])
        return f"[{self.args[0]} {self.function} {self.args[1]}]"


def is_number(x: Any) -> bool:
    """True for what a Value can be computed with."""
    return isinstance(x, (Value, int, float))


def value(x: Meta) -> Value:
    """The number that fills x; a rule that uses it matches only where that is known.

    >>> from eqsat.rules.pattern import reals, value
    >>> value(reals("c")).function
    'value'
    """
    return Value("value", (x,))


@dataclass(frozen=True)
class Term(Pattern):
    """An op applied to patterns; ``params`` are values, parameter metavariables or calls on them."""

    op: str
    args: tuple[Any, ...]
    params: tuple[Any, ...] = ()

    @cached_property
    def inner(self) -> tuple[Any, ...]:
        """All patterns below the term, from the left."""
        return tuple(p for a in self.args for p in subterms(a))

    def __str__(self) -> str:
        inside = ", ".join(map(str, self.args))
        extra = "{" + ", ".join(map(str, self.params)) + "}" if self.params else ""
        return f"{self.op}{extra}({inside})"


@dataclass(frozen=True)
class NewValue(Pattern):
    """The new value of the state of a key, on the right side of a rule."""

    key: Parameter

    def __str__(self) -> str:
        return f"new({self.key})"


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
class Literal:
    """A parameter that has one value in a rule and a code of its own in each graph: a move of axes, a part."""

    kind: str  # move, or the name of the parameter's kind
    value: Any
    ndim: int = 0  # of the operand of a move

    def __str__(self) -> str:
        return part_text(self.value) if self.kind == PART.name else parameter_text(self.value)


def _sign_condition(fact: str, pattern: Pattern, bound: float) -> Condition:
    if bound != 0 or not isinstance(pattern, Meta):
        from eqsat.rules.written import beside_number  # which imports this file

        number = isinstance(pattern, Meta) and isinstance(bound, (int, float))
        raise RuleError(
            f"a condition compares a metavariable with 0, not {pattern} with {bound}",
            needs="a fact of eqsat/rules/facts.py for other comparisons",
            hint=f"{beside_number(fact)}({pattern}, {float(bound)})" if number else None,
        )
    return Condition(((fact, (pattern,)),))


def reals(names: str) -> Any:
    """Metavariables for floating tensors; one where one name is given.

    >>> from eqsat.rules.pattern import reals
    >>> x, y = reals("x y")
    >>> str(x + y)
    'add(x, y)'
    """
    return _metas(names, "float")


def integers(names: str) -> Any:
    """Metavariables for integer tensors.

    >>> from eqsat.rules.pattern import integers
    >>> integers("k").domain
    'int'
    """
    return _metas(names, "int")


def bools(names: str) -> Any:
    """Metavariables for tensors of bool.

    >>> from eqsat.rules.pattern import bools
    >>> bools("p").domain
    'bool'
    """
    return _metas(names, "bool")


def numbers(names: str) -> Any:
    """Metavariables for tensors of any dtype but bool, where ``+`` and ``*`` mean something else.

    >>> from eqsat.rules.pattern import numbers
    >>> numbers("x").domain
    'number'
    """
    return _metas(names, "number")


def anything(names: str) -> Any:
    """Metavariables for tensors of any dtype.

    >>> from eqsat.rules.pattern import anything
    >>> anything("x").domain
    'any'
    """
    return _metas(names, "any")


def indices(names: str) -> Any:
    """Metavariables for int64 vectors of indices of rows.

    >>> from eqsat.rules.pattern import indices
    >>> indices("i").domain
    'index'
    """
    return _metas(names, "index")


def shapes(names: str) -> Any:
    """Metavariables for int64 vectors that are shapes.

    >>> from eqsat.rules.pattern import shapes
    >>> shapes("s").domain
    'shape'
    """
    return _metas(names, "shape")


def places(names: str) -> Any:
    """Metavariables for 0-d int64 tensors that stand in an index.

    >>> from eqsat.rules.pattern import places
    >>> places("i").domain
    'place'
    """
    return _metas(names, "place")


def _metas(names: str, domain: str) -> Any:
    made = [Meta(name, domain) for name in names.split()]
    return made[0] if len(made) == 1 else made


def parameters(names: str) -> Any:
    """Metavariables for parameters of ops; one where one name is given.

    >>> from eqsat.rules.pattern import parameters
    >>> parameters("axes").name
    'axes'
    """
    made = [Parameter(name) for name in names.split()]
    return made[0] if len(made) == 1 else made


def compose(p: Parameter, q: Parameter) -> ParameterCall:
    """The dimshuffle pattern that does what p and then q do."""
    return ParameterCall("compose", (p, q))


def transposed(x: Any) -> Term:
    """The transpose of a matrix, for the right side of a rule; ``swaps`` recognises one on the left."""
    return Term("dimshuffle", (as_pattern(x),), (ParameterCall("swap", ()),))


def moved(x: Any, name: str) -> Term:
    """x with its axes moved as the move of this name in graph/moves.py says, for the right side of a rule."""
    return Term("dimshuffle", (as_pattern(x),), (ParameterCall("move", (name,)),))


def picked(pattern: Parameter) -> ParameterCall:
    """The axis from which a gather with one index array picks."""
    return ParameterCall("picked", (pattern,))


def under_time(x: Any, rank: int | None = None) -> Term:
    """x with a new first axis, of length 1, where the steps of a loop lie in what it meets; a term says its rank."""
    return Term("dimshuffle", (x,), (ParameterCall("lead", (x if rank is None else rank,)),))


def without_time(x: Any, model: Meta) -> Term:
    """x, whose first axis has length 1, without it; the model has the rank of the result."""
    return Term("dimshuffle", (as_pattern(x),), (ParameterCall("drop", (model,)),))


def beside_time(p: Parameter) -> ParameterCall:
    """The dimshuffle pattern that does what p does to the axes after the first."""
    return ParameterCall("lift", (p,))


def next_axis(axis: Parameter) -> ParameterCall:
    """The axis counted with one more axis before it."""
    return ParameterCall("next", (axis,))


def swapped_inside(x: Any) -> Term:
    """The matrices of a stack, each transposed."""
    return Term("dimshuffle", (as_pattern(x),), (ParameterCall("lift", (ParameterCall("swap", ()),)),))


def later(axes: Parameter) -> ParameterCall:
    """Axes counted with one more axis before them."""
    return ParameterCall("later", (axes,))


def alone(axis: Parameter) -> ParameterCall:
    """The set of one axis."""
    return ParameterCall("alone", (axis,))


def axes_before(p: Parameter, axes: Parameter) -> ParameterCall:
    """The axes of x that stand at ``axes`` of dimshuffle(x, p); defined where none of them is new."""
    return ParameterCall("axes_before", (p, axes))


def axis_before(p: Parameter, axis: Parameter) -> ParameterCall:
    """The axis of x that stands at ``axis`` of dimshuffle(x, p); defined where that is not new."""
    return ParameterCall("only", (ParameterCall("axes_before", (p, alone(axis))),))


def axes_after(p: Parameter, axes: Parameter) -> ParameterCall:
    """The axes of dimshuffle(x, p) at which ``axes`` of x stand; defined where none of them is dropped."""
    return ParameterCall("axes_after", (p, axes))


def ones(x: Meta) -> ParameterCall:
    """The axes of x that are known to have length 1."""
    return ParameterCall("ones", (x,))


def lengths(x: Meta) -> ParameterCall:
    """The known lengths of x."""
    return ParameterCall("lengths", (x,))


def rank_of(x: Meta) -> ParameterCall:
    """The number of axes of x."""
    return ParameterCall("rank_of", (x,))


def call(name: str, *args: Any) -> ParameterCall:
    """A function of index patterns, by its name in graph/part_calls.py; a rule does not match where it gives None."""
    if name not in CALLS or len(args) != len(CALLS[name].arguments):
        raise RuleError(f"there is no function of patterns {name!r} with {len(args)} arguments")
    return ParameterCall(name, args)


def as_pattern(value: Any) -> Any:
    """Pattern of a value in a rule: patterns as they are, numbers as Number."""
    if isinstance(value, Pattern):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return Number(float(value))
    made = [("made", value)] if hasattr(value, "made_at") else []
    raise RuleError(
        f"{value!r} cannot stand in a rule",
        operands=made,
        needs="a metavariable, a number or a term of them",
        hint="a number in place of an op of numbers, with rounded=True in the rule" if made else None,
    )


def subterms(pattern: Any) -> Iterator[Any]:
    """The pattern and all patterns in it, outermost first."""
    return iter((pattern, *pattern.inner) if type(pattern) is Term else (pattern,))


def metas_of(pattern: Any) -> set[Meta]:
    """The tensor metavariables of a pattern."""
    return {p for p in subterms(pattern) if type(p) is Meta}


def asks_numbers(pattern: Any) -> bool:
    """True for a pattern that computes with known numbers, in a term or in a parameter of one."""
    stack = [pattern]
    while stack:
        item = stack.pop()
        if isinstance(item, Value):
            return True
        stack += getattr(item, "args", ())
        stack += getattr(item, "params", ())
    return False
