"""Both sides of a rule as graphs, as NumPy values and over the real numbers."""

from __future__ import annotations

import ast
import builtins
import math
import zlib
from collections.abc import Callable
from dataclasses import field
from functools import cache
from typing import Any

import mpmath
import numpy as np

from eqsat.base.names import meant
from eqsat.base.values import dataclass
from eqsat.errors import DeclarationError, EqsatError
from eqsat.graph.constant import constant
from eqsat.graph.declare import OPS, Declaration, find_op
from eqsat.graph.dtypes import BOOL, FLOATS
from eqsat.graph.moves import MOVES
from eqsat.graph.part_calls import CALLS as PART_CALLS
from eqsat.graph.part_functions import unit_axes
from eqsat.graph.properties import monotone
from eqsat.graph.tensor_type import TensorType
from eqsat.rules.pattern import (
    Literal,
    Meta,
    NewValue,
    Number,
    Parameter,
    ParameterCall,
    Term,
    Value,
    subterms,
)
from eqsat.rules.pattern_parts import operand_models
from eqsat.rules.rule import held_by_float32
from eqsat.verify import real_arrays as words
from eqsat.verify.calls import by_elements, refuse_as_in_a_call
from eqsat.verify.real_names import EXPONENT, NAMES, closed_form, is_too_large

Array = Any
ROOM = {"float64": (1e-60, 1e60), "float32": (1e-8, 1e8)}  # for backward rules
FEEL = 2.0**40  # units in the last place by which an operand that is lost moves a result
TINY = 1e40  # one over what counts as small of such an operand
DIGITS = (60, 360)  # a complaint found with the first number of digits is looked at again with the second
POINTS = 48


class Undefined(Exception):
    """A side of a rule cannot be built for these types or parameters."""


class NoSuchCall(Undefined):
    """A function of parameters gives nothing here, so the rule does not match."""


@dataclass
class Point:
    """Values of the metavariables, and of the parameters, of one rule."""

    values: dict[str, Array]
    params: dict[str, Any] = field(default_factory=dict)
    dtype: str | None = None  # of the numbers of a rule without metavariables

    def __str__(self) -> str:
        parts = [f"{k}={v.tolist()} ({v.dtype.name})" for k, v in self.values.items()]
        parts += [f"numbers in {self.dtype}"] if self.dtype else []
        return ", ".join([*parts, *(f"{k}={v}" for k, v in self.params.items())])


# ----------------------------------------------------------------------------------------------- both sides


class Side:
    """Computes a pattern; ``leaf`` gives metavariables, ``apply`` ops, ``number`` constants."""

    def __init__(self, point: Point, dtype: str | None = None, ndim: int | None = None) -> None:
        self.point, self.root_dtype = point, dtype or point.dtype
        self.root_ndim = 0 if ndim is None and point.dtype else ndim

    def run(self, pattern: Any) -> Any:
        """Value of a pattern."""
        if isinstance(pattern, Meta):
            return self.leaf(pattern)
        if isinstance(pattern, NewValue):
            return self.new_value()
        if isinstance(pattern, (Number, Value)):
            return self.beside(None, 0, pattern, [])
        assert isinstance(pattern, Term), pattern
        args: list[Any] = [None if isinstance(a, (Number, Value)) else self.run(a) for a in pattern.args]
        for i, arg in enumerate(pattern.args):
            if args[i] is None:
                args[i] = self.beside(pattern, i, arg, args)
        names = OPS[pattern.op].parameters
        params = [self.parameter(p) for p in pattern.params]
        try:
            return self.apply(pattern.op, args, dict(zip(names, params, strict=True)))
        except (EqsatError, ValueError, AssertionError, IndexError) as error:
            raise Undefined(f"{pattern}: {error}") from error

    def beside(self, pattern: Term | None, index: int, number: Any, args: list[Any]) -> Any:
        """A constant with the dtype of the operand that shares its letter, and the rank of any operand.

        A number that is a whole side has the dtype and the rank of the other side.
        """
        letters = OPS[pattern.op].signature.partition("->")[0].split(",") if pattern is not None else []
        ready = [a for a in args if a is not None]
        letter = letters[index : index + 1]
        same = [a for i, a in enumerate(args) if a is not None and letters[i : i + 1] == letter]
        if not same and pattern is not None:
            _, source = operand_models(pattern, None)[index]
            same = [self.point.values[source.name]] if isinstance(source, Meta) else []
        dtype = dtype_of(same[0]) if same else BOOL if letter == ["?"] else self.root_dtype
        if dtype is None:  # of an op of numbers alone, or a number that fills a shape
            dtype = next(map(dtype_of, [*ready, *self.point.values.values()]), None)
        ndim = self.rank_of(number, ready)
        assert dtype is not None, pattern
        return self.number(self.value(number), dtype, ndim)

    def rank_of(self, number: Any, ready: list[Any]) -> int:
        """The rank that a rule says of a number, else that of an operand beside it."""
        found = getattr(number, "ndim", None)
        if found is None:
            found = ready[0].ndim if ready else self.root_ndim
        if found is None:
            found = next((v.ndim for v in self.point.values.values()), None)
        assert found is not None
        return int(found)

    def value(self, pattern: Any) -> float:
        """The number that a Number or Value stands for."""
        if isinstance(pattern, Number):
            return pattern.value
        if not isinstance(pattern, Value):
            return float(pattern)
        if pattern.function == "value":
            found = self.point.values[pattern.args[0].name]
            if not found.size:
                raise Undefined("an empty tensor is no number")
            return float(found.flat[0])
        a, b = (self.value(v) for v in pattern.args)
        try:
            return (
                {"+": a + b, "-": a - b, "*": a * b}[pattern.function] if pattern.function != "/" else a / b
            )
        except ZeroDivisionError as error:
            raise Undefined("division by zero") from error

    def parameter(self, value: Any) -> Any:
        """A parameter of an op, computed from those that the left side binds."""
        if isinstance(value, Literal):
            return value.value
        if isinstance(value, Parameter):
            return self.point.params[value.name]
        if isinstance(value, Meta):
            return self.leaf(value).ndim
        if isinstance(value, Value):
            return int(self.value(value))
        if not isinstance(value, ParameterCall):
            return value
        if value.function in ASKED:
            return ASKED[value.function](self.known_shape(value.args[0]))
        args = [self.parameter(a) for a in value.args]
        found = (PART_CALLS if value.function in PART_CALLS else CALLS)[value.function](*args)
        if found is None:
            raise NoSuchCall(str(value))
        return found[0] if getattr(PART_CALLS.get(value.function), "result", "") == "move" else found

    def known_shape(self, meta: Meta) -> tuple[int | None, ...]:
        """The lengths of a metavariable that the e-graph knows."""
        return tuple(self.point.values[meta.name].shape)

    def leaf(self, meta: Meta) -> Any:
        raise NotImplementedError

    def new_value(self) -> Any:
        raise NotImplementedError

    def number(self, value: float, dtype: str, ndim: int) -> Any:
        raise NotImplementedError

    def apply(self, op: str, args: list[Any], params: dict[str, Any]) -> Any:
        raise NotImplementedError


ASKED: dict[str, Callable[..., Any]] = {
    "ones": unit_axes,
    "lengths": lambda shape: shape,
    "rank_of": len,
}
CALLS: dict[str, Callable[..., Any]] = {
    "|": lambda a, b: tuple(sorted({*a, *b})),
    "&": lambda a, b: tuple(sorted({*a} & {*b})),
    "swap": lambda: (1, 0),
    "compose": lambda p, q: tuple("x" if a == "x" else p[a] for a in q),
    "axes_before": lambda p, axes: (
        None if any(a >= len(p) or p[a] == "x" for a in axes) else tuple(sorted(p[a] for a in axes))
    ),
    "axes_after": lambda p, axes: (
        tuple(sorted(p.index(a) for a in axes)) if all(a in p for a in axes) else None
    ),
    "lead": lambda rank: ("x", *range(rank)),
    "drop": lambda rank: tuple(range(1, rank + 1)),
    "lift": lambda p: (0, *(a if a == "x" else a + 1 for a in p)),
    "later": lambda axes: tuple(a + 1 for a in axes),
    "next": lambda axis: axis + 1,
    "alone": lambda axis: (axis,),
    "only": lambda axes: axes[0],
    "move": lambda name: MOVES[name][0],
    "picked": lambda pattern: tuple(a for a, p in enumerate(pattern) if p >= 0),
}


def sized_at_run_time(pattern: Any) -> bool:
    """True for a pattern with lengths that come at run time: the graph keeps what is known of the left side."""
    forms = (OPS[p.op].form_of for p in subterms(pattern) if isinstance(p, Term) and len(p.args) > 1)
    return any(form in ("subtensor", "alloc") for form in forms)


def dtype_of(value: Any) -> str:
    """Name of the dtype of an array or a variable."""
    return str(value.type.dtype) if hasattr(value, "type") else str(value.dtype.name)


def filled(value: float, dtype: str, ndim: int) -> Array:
    """A constant of rank ``ndim`` with one element."""
    try:
        with np.errstate(all="ignore"):
            return np.full((1,) * ndim, value if dtype in FLOATS else int(value), dtype)
    except (OverflowError, ValueError) as error:
        raise Undefined(f"{dtype} does not hold {value}") from error


class Graph(Side):
    """Makes graph nodes, with static types; operands that would need a cast or padding are refused."""

    def __init__(self, point: Point, dtype: str | None = None, ndim: int | None = None) -> None:
        super().__init__(point, dtype, ndim)
        self.variables: dict[str, Any] = {}

    def leaf(self, meta: Meta) -> Any:
        if meta.name not in self.variables:
            v = self.point.values[meta.name]
            if meta.domain == "shape":
                return constant(v)
            self.variables[meta.name] = TensorType(v.dtype.name, shape=self.lengths(v.shape))()
        return self.variables[meta.name]

    def lengths(self, shape: tuple[int, ...]) -> tuple[int | None, ...]:
        """The lengths that the type of a variable knows."""
        return shape

    def number(self, value: float, dtype: str, ndim: int) -> Any:
        return constant(filled(value, dtype, ndim))

    def apply(self, op: str, args: list[Any], params: dict[str, Any]) -> Any:
        node = find_op(op, tuple(params.values())).make_node(*args)
        if not all(a is b for a, b in zip(node.inputs, args)):
            raise Undefined(f"{op} converts its operands")
        return node.outputs[0]


class OpenGraph(Graph):
    """The same over variables of unknown lengths, but for those of 1."""

    def lengths(self, shape: tuple[int, ...]) -> tuple[int | None, ...]:
        return tuple(1 if n == 1 else None for n in shape)


class Floats(Side):
    """Computes with NumPy, as the ops mean it."""

    def leaf(self, meta: Meta) -> Array:
        return self.point.values[meta.name]

    def number(self, value: float, dtype: str, ndim: int) -> Array:
        return filled(value, dtype, ndim)

    def apply(self, op: str, args: list[Any], params: dict[str, Any]) -> Array:
        one = find_op(op, tuple(params.values()))
        refuse_as_in_a_call(one, args)
        result = by_elements(one, args) if OPS[op].kind == "elemwise" else np.asarray(one.compute(*args))
        letter = OPS[op].signature.partition("->")[2]
        if OPS[op].kind == "elemwise" and letter == "f":
            result = result.astype(args[0].dtype, copy=False)
        return result


class Reals(Side):
    """Computes over the real numbers, in arrays of mpmath numbers; NaN where there is no real value."""

    def leaf(self, meta: Meta) -> Array:
        v = self.point.values[meta.name]
        return v if v.dtype == object else lift(v)

    def number(self, value: float, dtype: str, ndim: int) -> Array:
        if not held_by_float32(value) and dtype == "float64":
            return np.full((1,) * ndim, real_number(value), object)
        with np.errstate(all="ignore"):
            rounded = np.dtype(dtype).type(value) if dtype in FLOATS else value
        return np.full((1,) * ndim, mpmath.mpf(float(rounded)), object)

    def beside(self, pattern: Term | None, index: int, number: Any, args: list[Any]) -> Any:
        ndim = self.rank_of(number, [a for a in args if a is not None])
        dtype = "float64" if isinstance(number, Number) else self.root_dtype or "float64"
        return self.number(self.value(number), dtype, ndim)

    def value(self, pattern: Any) -> float:
        return float(super().value(pattern))

    def apply(self, op: str, args: list[Any], params: dict[str, Any]) -> Array:
        if OPS[op].kind == "elemwise":
            call, name, lost = real_function(op), f"{op} {sorted(params.items())}", swallows(OPS[op])
            return np.asarray(
                np.frompyfunc(lambda *a: blurred(call(*a), name, a, lost), len(args), 1)(*args), object
            )
        whole = real_arrays(op)
        if whole is not None:
            try:
                return whole(*args, **params)
            except ARITHMETIC:  # of one element, which cannot be told from the others
                return np.full(self.shape_of(op, args, params), mpmath.nan, object)
        first = first_index(op)
        if first is not None:
            args = [*args[:first], *(i.astype(int) for i in args[first:])]
        return np.asarray(OPS[op].meaning(*args, **params), object)

    def shape_of(self, op: str, args: list[Any], params: dict[str, Any]) -> tuple[int, ...]:
        """The lengths of a result, from the meaning of the op on ones."""
        return np.shape(OPS[op].meaning(*(np.ones(np.shape(a)) for a in args), **params))


ARITHMETIC = (ZeroDivisionError, ValueError, OverflowError)  # of a formula without a value


def swallows(d: Declaration) -> float | None:
    """The neutral number of an operation that grows with each of two operands, of which one may be lost beside the other; else None."""
    grows = [m.rises and m.strict and not m.signs for m in monotone(d)]
    if not d.commutative or grows != [True, True]:
        return None
    return -math.inf if d.neutral is None else d.neutral


def blurred(value: Any, name: str, operands: tuple[Any, ...], neutral: float | None = None) -> Any:
    """A number that was rounded, changed by a few units in its last place, the same for an op of the same operands.

    So runs with more digits differ where all digits are lost: both ``cosh(1e5)**2`` and ``sinh(1e5)**2`` round to one number,
    of which the difference would be an exact 0. What was not rounded, as ``x - x``, stays. An operand that is lost beside the
    other one, as 1 beside ``e**5000``, moves the result as it would with more digits: the larger it is, the more.
    """
    if neutral is not None and (moved := _without_loss(value, operands, neutral)) is not None:
        return moved
    if not isinstance(value, mpmath.mpf) or value._mpf_[3] < mpmath.mp.prec - 8:  # the bits of its mantissa
        return value
    if any(value == o or value == -o for o in operands if isinstance(o, mpmath.mpf)):
        return value
    units = 1 + zlib.crc32(f"{name}{[getattr(o, '_mpf_', o) for o in operands]}".encode()) % 7
    return value * (1 + units * mpmath.mp.eps)


def _without_loss(value: Any, operands: tuple[Any, ...], neutral: float) -> Any:
    """A result that is one operand in all its digits, moved as the other one would; None for others."""
    if not all(isinstance(v, mpmath.mpf) and mpmath.isfinite(v) for v in (value, *operands)):
        return None
    unit = abs(value) * mpmath.mp.eps
    for kept, other in (operands, operands[::-1]):
        if abs(value - kept) <= 16 * unit and other != neutral and abs(other) < abs(kept):
            return kept + unit * FEEL * (mpmath.asinh(other * TINY) + (0 if neutral == 0 else 2000))
    return None


def real_number(value: float) -> Any:
    """The real number that a rule means by a float: 1/10 by 0.1, and pi by the float that is nearest to it."""
    return mpmath.make_mpf(closed_form(value).evalf(mpmath.mp.dps + 5)._mpf_)


def first_index(op: str) -> int | None:
    """The first operand that is an index or a length, in a form of an op that takes any number of them; None without such."""
    d = OPS.find(op)
    whole = OPS[d.form_of].tensors if d is not None and d.form_of else ()
    return len(whole) - 1 if len(whole) > 1 else None


def lift(v: Array) -> Array:
    """Array of mpmath numbers, or of Python bools."""
    made = np.empty(v.shape, object)
    for i in np.ndindex(v.shape):
        made[i] = bool(v[i]) if v.dtype == bool else mpmath.mpf(float(v[i]))
    return made


def check_real(op: str) -> None:
    """Refuse a formula over the reals that names what there is not."""
    d = OPS[op]
    if d.real is not None:
        formula(op, NAMES if d.kind == "elemwise" else vars(words))


def formula(op: str, names: dict[str, Any]) -> Callable[..., Any]:
    """The formula over the reals in the declaration of an op, as a function of its operands and parameters."""
    d = OPS[op]
    if d.real is None:
        raise Undefined(f"{op} has no formula over the reals")
    own = [*d.tensors, *d.parameters]
    try:
        found = [n for n in ast.walk(ast.parse(d.real, mode="eval")) if isinstance(n, ast.Name)]
    except SyntaxError:
        raise DeclarationError(f"{op}: real is {d.real!r}, which is no expression") from None
    given = {n.id for n in found if isinstance(n.ctx, ast.Store)}
    unknown = sorted({n.id for n in found} - {*own, *names, *given, *dir(builtins)})
    if unknown:
        raise DeclarationError(
            f"{op}: real is {d.real!r}: there is no {unknown[0]}", hint=meant(unknown[0], [*own, *names])
        )
    return eval(f"lambda {', '.join(own)}: {d.real}", dict(names))  # type: ignore[no-any-return]


def exponents_of(d: Declaration) -> list[int]:
    """The places of the operands that are exponents in the formula of an op."""
    parts = ast.walk(ast.parse(str(d.real), mode="eval"))
    powers = [p.right for p in parts if isinstance(p, ast.BinOp) and isinstance(p.op, ast.Pow)]
    return [d.tensors.index(p.id) for p in powers if isinstance(p, ast.Name) and p.id in d.tensors]


@cache
def real_function(op: str) -> Callable[..., Any]:
    """The meaning of an elementwise op on real numbers, from the formula in its declaration."""
    call = formula(op, NAMES)
    exponents = exponents_of(OPS[op])

    def run(*args: Any) -> Any:
        if any(is_too_large(args[k], EXPONENT) for k in exponents):
            return mpmath.nan
        if any(isinstance(a, mpmath.mpf) and not mpmath.isfinite(a) for a in args):
            return mpmath.nan
        try:
            result = call(*args, *[None] * len(OPS[op].parameters))
        except ARITHMETIC:
            return mpmath.nan
        return mpmath.nan if isinstance(result, mpmath.mpc) else result

    return run


@cache
def real_arrays(op: str) -> Callable[..., Array] | None:
    """The meaning of an op on whole arrays over the reals: by its formula, or by the op that it reduces with."""
    d = OPS[op]
    if d.real is not None:
        call = formula(op, vars(words))
        return words.each(call) if d.shapes is not None and d.shapes.stacks else call
    if d.reduces and OPS[d.reduces].real is not None:
        return lambda x, axes: reduced(d.reduces, x, axes)
    return None


def reduced(op: str, x: Array, axes: tuple[int, ...]) -> Array:
    """The elements along axes put together by an op; its neutral number where there are none."""
    neutral, call = OPS[op].neutral, np.frompyfunc(real_function(op), 2, 1)
    start = {} if neutral is None else {"initial": mpmath.mpf(neutral)}
    for axis in axes:
        x = np.asarray(call.reduce(x, axis=axis, keepdims=True, **start), object)
    return x


def over_reals(pattern: Any, point: Point, dtype: str, ndim: int, digits: int, beside: Any = 0.0) -> Array:
    """Value of a side over the reals: NaN where there is none, infinity where twice the digits give another value.

    Values are one where they differ by next to nothing of themselves, or of a number that one is compared with.
    """
    room = abs(mpmath.mpf(beside)) if mpmath.isfinite(beside) else mpmath.mpf(0)
    runs = []
    for precision in (digits, 2 * digits):
        with mpmath.workdps(precision):
            runs.append(np.asarray(Reals(point, dtype, ndim).run(pattern), object))
    with mpmath.workdps(digits):
        return np.asarray(np.frompyfunc(lambda a, b: _agreed(a, b, room), 2, 1)(*runs), object)


def _agreed(a: Any, b: Any, beside: Any) -> Any:
    if isinstance(a, bool) or isinstance(b, bool):
        return mpmath.mpf(int(b)) if a == b else mpmath.nan
    a, b = mpmath.mpf(a), mpmath.mpf(b)
    if not (mpmath.isfinite(a) and mpmath.isfinite(b)):
        return mpmath.nan
    room = max(abs(b), beside) * mpmath.mpf(10) ** -30
    return b if abs(a - b) <= room else mpmath.inf
