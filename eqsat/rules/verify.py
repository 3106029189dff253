"""Does a rule keep its promise? Both sides are computed on drawn points, by NumPy and over the real numbers.

A point inside the condition of a rule must show what the tier of the rule promises (see ``TIERS`` in rule.py).
NaN operands count for ``exact`` only. Rules tagged ``backward`` are those whose right side is exact for slightly
changed operands: their points avoid the ends of the exponent, and the change that a few units in the last place
of the operands make to the result is allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Any

import mpmath
import numpy as np

from eqsat.errors import EqsatError
from eqsat.graph.constant import constant
from eqsat.graph.declare import OPS, find_op
from eqsat.graph.dtypes import BOOL, FLOATS
from eqsat.graph.tensor_type import TensorType
from eqsat.rules.pattern import (
    Meta,
    Number,
    Parameter,
    ParameterCall,
    Term,
    Value,
    metas_of,
    subterms,
    term_size,
)
from eqsat.rules.rule import Rule

Array = Any
ROOM = {"float64": (1e-60, 1e60), "float32": (1e-8, 1e8)}  # for backward rules
DIGITS = (60, 360)  # a complaint found with the first number of digits is looked at again with the second
POINTS = 48


class Undefined(Exception):
    """A side of a rule cannot be built for these types or parameters."""


@dataclass
class Point:
    """Values of the metavariables, and of the parameters, of one rule."""

    values: dict[str, Array]
    params: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = [f"{k}={v.tolist()} ({v.dtype.name})" for k, v in self.values.items()]
        return ", ".join([*parts, *(f"{k}={v}" for k, v in self.params.items())])


# ----------------------------------------------------------------------------------------------- both sides


class Side:
    """Computes a pattern; ``leaf`` gives metavariables, ``apply`` ops, ``number`` constants."""

    def __init__(self, point: Point, dtype: str | None = None, ndim: int | None = None) -> None:
        self.point, self.root_dtype, self.root_ndim = point, dtype, ndim

    def run(self, pattern: Any) -> Any:
        """Value of a pattern."""
        if isinstance(pattern, Meta):
            return self.leaf(pattern)
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

    def beside(self, pattern: Term, index: int, number: Any, args: list[Any]) -> Any:
        """A constant with the dtype of the operand that shares its letter, and the rank of any operand."""
        letters = OPS[pattern.op].signature.partition("->")[0].split(",")
        ready = [a for a in args if a is not None]
        same = [a for i, a in enumerate(args) if a is not None and letters[i] == letters[index]]
        dtype = dtype_of(same[0]) if same else BOOL if letters[index] == "?" else self.root_dtype
        ndim = ready[0].ndim if ready else self.root_ndim
        assert dtype is not None and ndim is not None, pattern
        return self.number(self.value(number), dtype, ndim)

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
        if isinstance(value, Parameter):
            return self.point.params[value.name]
        if not isinstance(value, ParameterCall):
            return value
        args = [self.parameter(a) for a in value.args]
        found = CALLS[value.function](*args)
        if found is None:
            raise Undefined(str(value))
        return found

    def leaf(self, meta: Meta) -> Any:
        raise NotImplementedError

    def number(self, value: float, dtype: str, ndim: int) -> Any:
        raise NotImplementedError

    def apply(self, op: str, args: list[Any], params: dict[str, Any]) -> Any:
        raise NotImplementedError


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
}


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
            self.variables[meta.name] = TensorType(v.dtype.name, shape=v.shape)()
        return self.variables[meta.name]

    def number(self, value: float, dtype: str, ndim: int) -> Any:
        return constant(filled(value, dtype, ndim))

    def apply(self, op: str, args: list[Any], params: dict[str, Any]) -> Any:
        node = find_op(op, tuple(params.values())).make_node(*args)
        if not all(a is b for a, b in zip(node.inputs, args)):
            raise Undefined(f"{op} converts its operands")
        return node.outputs[0]


class Floats(Side):
    """Computes with NumPy, as the ops mean it."""

    def leaf(self, meta: Meta) -> Array:
        return self.point.values[meta.name]

    def number(self, value: float, dtype: str, ndim: int) -> Array:
        return filled(value, dtype, ndim)

    def apply(self, op: str, args: list[Any], params: dict[str, Any]) -> Array:
        result = np.asarray(find_op(op, tuple(params.values())).compute(*args))
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
        with np.errstate(all="ignore"):
            rounded = np.dtype(dtype).type(value) if dtype in FLOATS else value
        return np.full((1,) * ndim, mpmath.mpf(float(rounded)), object)

    def beside(self, pattern: Term, index: int, number: Any, args: list[Any]) -> Any:
        ready = [a for a in args if a is not None]
        ndim = ready[0].ndim if ready else self.root_ndim
        assert ndim is not None
        return self.number(self.value(number), self.root_dtype or "float64", ndim)

    def value(self, pattern: Any) -> float:
        return float(super().value(pattern))

    def apply(self, op: str, args: list[Any], params: dict[str, Any]) -> Array:
        if OPS[op].kind == "elemwise":
            return np.asarray(np.frompyfunc(real_function(op), len(args), 1)(*args), object)
        if op in REAL_BLOCKS:
            return REAL_BLOCKS[op](*args, **params)
        return np.asarray(OPS[op].meaning(*args, **params), object)


def lift(v: Array) -> Array:
    """Array of mpmath numbers, or of Python bools."""
    made = np.empty(v.shape, object)
    for i in np.ndindex(v.shape):
        made[i] = bool(v[i]) if v.dtype == bool else mpmath.mpf(float(v[i]))
    return made


NAMES: dict[str, Any] = {
    "Max": max,
    "Min": min,
    "Eq": lambda a, b: a == b,
    "Ne": lambda a, b: a != b,
    "abs": abs,
    **{
        name: getattr(mpmath, name)
        for name in ("exp", "log", "sqrt", "sin", "cos", "tanh", "erf", "floor", "ceil", "sign", "pi")
    },
}
SPECIAL: dict[str, Callable[..., Any]] = {
    "switch": lambda condition, x, y: x if condition else y,
    "fill": lambda x, y: y,
    "cast": lambda x: mpmath.mpf(int(x)) if isinstance(x, bool) else x,
    "invert": lambda x: not x,
    "and_": lambda x, y: bool(x and y),
    "or_": lambda x, y: bool(x or y),
    "sqr": lambda x: x * x,
}


@cache
def real_function(op: str) -> Callable[..., Any]:
    """The meaning of an elementwise op on real numbers, from the formula in its declaration."""
    d = OPS[op]
    if op in SPECIAL:
        call = SPECIAL[op]
    elif d.real is None:
        raise Undefined(f"{op} has no formula over the reals")
    else:
        call = eval(f"lambda {', '.join(d.tensors)}: {d.real}", dict(NAMES))

    def run(*args: Any) -> Any:
        if any(isinstance(a, mpmath.mpf) and not mpmath.isfinite(a) for a in args):
            return mpmath.nan
        try:
            result = call(*args)
        except (ZeroDivisionError, ValueError, OverflowError):
            return mpmath.nan
        return mpmath.nan if isinstance(result, mpmath.mpc) else result

    return run


def _real_total(x: Array, axes: tuple[int, ...]) -> Array:
    return np.asarray(np.sum(np.frompyfunc(real_function("exp"), 1, 1)(x), axis=axes, keepdims=True), object)


def _real_log(x: Array) -> Array:
    return np.asarray(np.frompyfunc(real_function("log"), 1, 1)(x), object)


REAL_BLOCKS: dict[str, Callable[..., Array]] = {
    "softmax": lambda x, axes: np.frompyfunc(mpmath.exp, 1, 1)(x) / _real_total(x, axes),
    "log_softmax": lambda x, axes: x - _real_log(_real_total(x, axes)),
    "logsumexp": lambda x, axes: _real_log(_real_total(x, axes)),
    "sum": lambda x, axes: np.sum(x, axis=axes, keepdims=True),
    "prod": lambda x, axes: np.prod(x, axis=axes, keepdims=True),
    "max": lambda x, axes: np.max(x, axis=axes, keepdims=True),
    "min": lambda x, axes: np.min(x, axis=axes, keepdims=True),
}


def over_reals(pattern: Any, point: Point, dtype: str, ndim: int, digits: int) -> Array:
    """Value of a side over the reals: NaN where twice the digits give another value."""
    runs = []
    for precision in (digits, 2 * digits):
        with mpmath.workdps(precision):
            runs.append(np.asarray(Reals(point, dtype, ndim).run(pattern), object))
    with mpmath.workdps(digits):
        return np.asarray(np.frompyfunc(_agreed, 2, 1)(*runs), object)


def _agreed(a: Any, b: Any) -> Any:
    if isinstance(a, bool) or isinstance(b, bool):
        return mpmath.mpf(int(b)) if a == b else mpmath.nan
    a, b = mpmath.mpf(a), mpmath.mpf(b)
    if not (mpmath.isfinite(a) and mpmath.isfinite(b)):
        return mpmath.nan
    return b if abs(a - b) <= abs(b) * mpmath.mpf(10) ** -30 + mpmath.mpf(10) ** -330 else mpmath.nan


# --------------------------------------------------------------------------------------------------- points

POOL = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -7.0, 1e-8, -1e-8, 1e-17, -1e-17, 40.0, -40.0]
ENDS = [800.0, -800.0, 720.0, -720.0, 1e5, 1e300, -1e300, 1e-300, -1e-300, 5e-324, 1.7e308, 1e155, 1e-155]
NOT_NUMBERS = [np.inf, -np.inf, np.nan]
CONSTANTS = [2.0, 0.5, -1.0, 3.0, 4.0, 8.0, 0.1, -0.25, 1e-5, 1e20, 1.0, 0.0, 6.0, 1e35, 5.0]
OUTSIDE = [2.5, 1e200, 1e-200, -3.0, 1e16, 0.3, 100.0, 1e-320]


def float_pool(dtype: str, backward: bool) -> Array:
    """Values worth trying: ordinary ones, the ends of the exponent, what is no number."""
    pool = POOL if backward else POOL + ENDS + NOT_NUMBERS + [88.7, -88.7, 1e38, 1e-38, 1e-45, 16777217.0]
    with np.errstate(all="ignore"):
        return np.array(pool, dtype)


def draw_floats(rng: Any, dtype: str, shape: tuple[int, ...], backward: bool) -> Array:
    """Half from the pool, half random over some decades."""
    count = int(np.prod(shape))
    chosen = rng.choice(float_pool(dtype, backward), count)
    spread = rng.choice([0.3, 3.0, 30.0] if backward else [0.3, 3.0, 300.0], count)
    with np.errstate(all="ignore"):
        fresh = (rng.normal(size=count) * spread).astype(dtype)
    return np.where(rng.random(count) < 0.5, chosen, fresh).astype(dtype).reshape(shape)


def draw(rng: Any, dtype: str, shape: tuple[int, ...], backward: bool) -> Array:
    """Values of any dtype."""
    if dtype in FLOATS:
        return draw_floats(rng, dtype, shape, backward)
    if dtype == BOOL:
        return rng.random(shape) < 0.5
    info = np.iinfo(dtype)
    wide = rng.integers(info.min, info.max, size=shape, endpoint=True, dtype=dtype)
    return np.where(rng.random(shape) < 0.6, rng.integers(0, 4, size=shape).astype(dtype), wide).astype(dtype)


def facts_of(rule: Rule) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """The facts of a rule's condition."""
    return rule.when.facts if rule.when else ()


def uniform_metas(rule: Rule) -> set[str]:
    """Metavariables that must be a known number."""
    found = {args[0].name for name, args in facts_of(rule) if name in ("uniform", "single")}
    for _, args in facts_of(rule):
        found |= value_metas(args[0]) if isinstance(args[0], Value) else set()
    for p in subterms(rule.right):
        found |= value_metas(p) if isinstance(p, Value) else set()
    return found


def value_metas(v: Value) -> set[str]:
    """Metavariables in a Value."""
    return {a.name for a in v.args if isinstance(a, Meta)}.union(
        *(value_metas(a) for a in v.args if isinstance(a, Value))
    )


def steer(rule: Rule, values: dict[str, Array], rng: Any) -> None:
    """Move drawn values into the condition of a rule."""
    with np.errstate(all="ignore"):
        for fact, args in facts_of(rule):
            if not isinstance(args[0], Meta) or args[0].name not in values:
                continue
            v = values[args[0].name]
            if v.dtype.kind != "f":
                continue
            if fact == "positive":
                v = np.where(v == 0, v.dtype.type(1), np.abs(v))
            elif fact == "nonneg":
                v = np.abs(v)
            elif fact == "nonpos":
                v = -np.abs(v)
            elif fact == "negative":
                v = np.where(v == 0, v.dtype.type(-1), -np.abs(v))
            elif fact == "nonzero":
                v = np.where(v == 0, v.dtype.type(1), v)
            elif fact == "finite":
                v = np.where(np.isfinite(v), v, v.dtype.type(1.5))
            elif fact == "bounded":
                v = np.clip(v, v.dtype.type(-1e30), v.dtype.type(1e30))
            elif fact == "at_least":
                other = values[args[1].name]
                v, values[args[1].name] = np.abs(v), -np.abs(other) if other.dtype.kind == "f" else other
            values[args[0].name] = v


def holds(rule: Rule, point: Point) -> bool:
    """True for a point inside the condition of a rule."""
    return all(_holds(fact, args, point) for fact, args in facts_of(rule))


def _holds(fact: str, args: tuple[Any, ...], point: Point) -> bool:
    if isinstance(args[0], Value):
        return _number_holds(fact, Side(point).value(args[0]), args[1:])
    first = point.values[args[0].name] if isinstance(args[0], Meta) else point.params[args[0].name]
    rest = [point.values[a.name] if isinstance(a, Meta) else Side(point).parameter(a) for a in args[1:]]
    return bool(FACTS[fact](first, *rest))


def _number_holds(fact: str, v: float, rest: tuple[Any, ...]) -> bool:
    tests = {
        "whole": abs(v) <= 64 and v == np.floor(v),
        "even": np.isfinite(v) and np.fmod(v, 2) == 0,
        "short": abs(v) <= 4096 and v * 1024 == np.floor(v * 1024),
        "tame": 1e-30 <= abs(v) <= 1e30,
        "above": bool(rest) and v > rest[0],
        "below": bool(rest) and v < rest[0],
    }
    return bool(tests[fact])


def _lengths(x: Array, axes: tuple[int, ...]) -> list[int]:
    return [x.shape[a] for a in axes if a < x.ndim]


FACTS: dict[str, Callable[..., Any]] = {
    "positive": lambda x: not np.any(x <= 0),
    "nonneg": lambda x: not np.any(x < 0),
    "negative": lambda x: not np.any(x >= 0),
    "nonpos": lambda x: not np.any(x > 0),
    "nonzero": lambda x: not np.any(x == 0),
    "finite": lambda x: np.all(np.isfinite(x)),
    "bounded": lambda x: not np.any(np.abs(x) > 1e30),
    "at_least": lambda x, y: x.size == 0 or y.size == 0 or not np.nanmin(x) < np.nanmax(y),
    "uniform": lambda x: x.size > 0 and np.all(x == x.reshape(-1)[0]),
    "single": lambda x: x.size == 1 and bool(np.all(x == x)),
    "one_element": lambda x: x.size == 1,
    "varies": lambda x: True,
    "invariant": lambda x, axes: (
        all(n == 1 for n in _lengths(x, axes)) and len(_lengths(x, axes)) == len(axes)
    ),
    "covers": lambda x, axes: all(n != 1 for n in _lengths(x, axes)),
    "rank": lambda x, n: x.ndim == n,
    "same_dtype": lambda x, dtype: x.dtype.name == dtype,
    "widens": lambda x, dtype: np.can_cast(x.dtype, dtype, "safe"),
    "swaps": lambda pattern: pattern == (1, 0),
    "disjoint": lambda a, b: not set(a) & set(b),
    "integral": lambda dtype: dtype not in FLOATS,
}


def parameter_kinds(rule: Rule) -> dict[str, str]:
    """Kind of each parameter metavariable of the left side."""
    found: dict[str, str] = {}
    for p in subterms(rule.left):
        if isinstance(p, Term):
            for value, kind in zip(p.params, OPS[p.op].parameters.values(), strict=True):
                if isinstance(value, Parameter):
                    found[value.name] = kind.name
    return found


PATTERNS: list[tuple[Any, ...]] = [
    (1, 0),
    (0, 1),
    ("x", 0),
    (0, "x"),
    (0,),
    (1,),
    ("x", 1, 0),
    (2, 0, 1),
    (1, "x"),
    (),
]
DTYPES = ["float64", "float32", "int32", "int8", "bool"]


def is_elementwise(rule: Rule) -> bool:
    """True for a rule in which every op works element by element."""
    return all(
        OPS[p.op].kind == "elemwise"
        for side in (rule.left, rule.right)
        for p in subterms(side)
        if isinstance(p, Term)
    )


def draw_shapes(rule: Rule, rng: Any) -> dict[str, tuple[int, ...]]:
    """Random shapes: ranks 0 to 3, lengths 0 to 3, a third of them broadcasting."""
    ops = {p.op for side in (rule.left, rule.right) for p in subterms(side) if isinstance(p, Term)}
    ndim = 2 if "dot" in ops or rng.random() < 0.4 else int(rng.integers(0 if is_elementwise(rule) else 1, 4))
    free = rng.random() < 0.9
    common = [int(rng.choice([2, 3, 1] if free else [0, 1, 2])) for _ in range(ndim)]
    names = sorted(m.name for m in metas_of(rule.left))
    return {n: tuple(1 if rng.random() < 0.3 else k for k in common) for n in names}


def domains(rule: Rule) -> list[dict[str, str]]:
    """Dtypes for the metavariables: floats, and integers where the rule speaks of them."""
    metas = sorted(metas_of(rule.left), key=lambda m: m.name)
    kinds = {m.name: m.domain for m in metas}
    groups: list[dict[str, str]] = []
    for main in ("float64", "float32", "int8", "int64", "uint8", "bool"):
        allowed = {
            "float": main in FLOATS,
            "int": main not in FLOATS and main != BOOL,
            "number": main != BOOL,
            "any": True,
            "bool": True,
        }
        if all(allowed[k] for k in kinds.values()):
            groups.append({n: BOOL if k == "bool" else main for n, k in kinds.items()})
    return groups


# --------------------------------------------------------------------------------------------------- sweep


@dataclass
class Failure:
    """A point at which a rule does not do what it promises."""

    rule: Rule
    point: Point
    why: str

    def __str__(self) -> str:
        return f"{self.rule}\n  at    {self.point}\n  {self.why}"


def points(rule: Rule, count: int, seed: int = 0, inside: bool | None = True) -> Iterator[Point]:
    """Points of a rule: inside its condition, outside (``inside=False``), or wherever they fall (None)."""
    rng = np.random.default_rng([seed, *rule.name.encode()])
    groups, kinds, fixed = domains(rule), parameter_kinds(rule), uniform_metas(rule)
    backward = "backward" in rule.tags
    flat = is_elementwise(rule)
    made = tries = 0
    while made < count and tries < 60 * count:
        tries += 1
        dtypes = groups[
            min(int(rng.integers(0, len(groups) + 2)), len(groups) - 1)
            if len(groups) < 3
            else tries % len(groups)
        ]
        shapes = draw_shapes(rule, rng)
        if flat and tries % 3:
            shapes = dict.fromkeys(shapes, (POINTS,))
        values = {n: draw(rng, dtypes[n], shapes[n], backward) for n in shapes}
        for name in fixed & set(values):
            pool = CONSTANTS + (OUTSIDE if inside is not True else [])
            if values[name].dtype.kind == "f":
                with np.errstate(all="ignore"):
                    shape = (1,) * len(shapes[name]) if tries % 2 else shapes[name]
                    values[name] = np.full(shape, rng.choice(pool), values[name].dtype)
        if any(values[n].size == 0 for n in fixed & set(values)):
            continue
        echo(values, fixed, rng)
        if inside:
            steer(rule, values, rng)
        elif tries % 4 == 0:
            huge(values, rng)
        params = {n: draw_parameter(rng, k, shapes) for n, k in kinds.items()}
        point = Point(values, params)
        try:
            fits = inside is None or holds(rule, point) == inside
        except (Undefined, OverflowError):
            fits = False
        if fits:
            made += 1
            yield point


def echo(values: dict[str, Array], fixed: set[str], rng: Any) -> None:
    """Let some elements repeat those of another metavariable, with either sign, so that differences cancel."""
    names = sorted(n for n in values if n not in fixed and values[n].dtype.kind == "f")
    for one, other in zip(names[1:], names):
        if values[one].shape == values[other].shape:
            sign = rng.choice([1.0, -1.0], values[one].shape).astype(values[one].dtype)
            values[one] = np.where(rng.random(values[one].shape) < 0.25, values[other] * sign, values[one])


def huge(values: dict[str, Array], rng: Any) -> None:
    """Replace floats by ones near the end of the exponent, and by small factors."""
    for name, v in values.items():
        if v.dtype.kind == "f":
            top = np.finfo(v.dtype).max
            values[name] = np.array(rng.choice([0.9, -0.9, 0.6, -0.7, 0.0], v.shape) * top, v.dtype)
            if rng.random() < 0.4:
                values[name] = np.array(rng.choice([0.25, 0.5, -0.125], v.shape[:0] + (1,) * v.ndim), v.dtype)


def draw_parameter(rng: Any, kind: str, shapes: dict[str, tuple[int, ...]]) -> Any:
    """A value for a parameter metavariable."""
    if kind == "axes":
        ndim = max((len(s) for s in shapes.values()), default=0)
        chosen = [a for a in range(ndim) if rng.random() < 0.6]
        return tuple(chosen or ([int(rng.integers(0, ndim))] if ndim else []))
    if kind == "pattern":
        return PATTERNS[int(rng.integers(0, len(PATTERNS)))]
    if kind == "dtype":
        return DTYPES[int(rng.integers(0, len(DTYPES)))]
    return int(rng.integers(0, 3))


def check_types(rule: Rule, point: Point, guarded: bool) -> tuple[Any, str | None]:
    """The left side's variable, or None where the rule does not apply; and what is wrong with the right side."""
    graph = Graph(point)
    try:
        left = graph.run(rule.left)
    except (Undefined, AssertionError):
        return None, None
    graph.root_dtype, graph.root_ndim = left.type.dtype, left.type.ndim
    try:
        right = graph.run(rule.right)
    except Undefined as error:
        if "axes_before" in str(error) or "axes_after" in str(error):
            return None, None  # no row in the table of such calls, so the rule does not match
        return left, f"the right side cannot be built: {error}"
    masks = [tuple(n == 1 for n in v.type.shape) for v in (left, right)]
    if guarded and masks[0] != masks[1]:
        return None, None
    if left.type.dtype != right.type.dtype or left.type.shape != right.type.shape:
        return left, f"the types differ: left {left.type}, right {right.type}"
    return left, None


def find_failures(rule: Rule, guarded: bool, count: int = 26, seed: int = 0) -> list[Failure]:
    """Points inside the condition at which the rule breaks its promise; at most three. Empty for a good rule."""
    found: list[Failure] = []
    used = 0
    for point in points(rule, count, seed):
        left, wrong = check_types(rule, point, guarded)
        if left is None:
            continue
        used += 1
        wrong = wrong or compare(rule, point, left.type.dtype, left.type.ndim)
        if wrong:
            found.append(Failure(rule, point, wrong))
        if len(found) == 3:
            break
    if not used and not found:
        found.append(Failure(rule, Point({}), "no point was found at which the rule applies"))
    return found


def breaks_outside(rule: Rule, count: int = 400, seed: int = 1) -> bool:
    """True where a point outside the condition is found at which the promise does not hold.

    Another type counts, and so does a number on the right where there is none on the left.
    """
    for point in points(rule, count, seed, inside=False):
        left, wrong = check_types(rule, point, guarded=False)
        if left is None:
            continue
        dtype, ndim = left.type.dtype, left.type.ndim
        if wrong or gives_numbers(rule, point, dtype, ndim) or compare(rule, point, dtype, ndim):
            return True
    return False


def gives_numbers(rule: Rule, point: Point, dtype: str, ndim: int) -> bool:
    """True where the left side is NaN for finite operands and the right side is not."""
    if any(
        v.dtype.kind == "f" and not np.isfinite(v).all() for v in point.values.values()
    ) and not is_elementwise(rule):
        return False
    with np.errstate(all="ignore"):
        try:
            left, right = (np.asarray(Floats(point, dtype, ndim).run(s)) for s in (rule.left, rule.right))
        except Undefined:
            return True
    if left.dtype.kind != "f" or left.shape != right.shape:
        return False
    usable = np.ones(left.shape, bool)
    for v in point.values.values():
        if v.dtype.kind == "f":
            usable &= np.isfinite(v) if is_elementwise(rule) else np.isfinite(v).all()
    return bool(np.any(np.isnan(left) & ~np.isnan(right) & usable))


def compare(rule: Rule, point: Point, dtype: str, ndim: int) -> str | None:
    """What is wrong with the values of the right side at a point; None if nothing is."""
    with np.errstate(all="ignore"):
        try:
            left = np.asarray(Floats(point, dtype, ndim).run(rule.left))
        except Undefined:
            return None
        try:
            right = np.asarray(Floats(point, dtype, ndim).run(rule.right))
        except Undefined as error:
            return f"only the left side can be computed: {error}"
    if left.shape != right.shape or left.dtype != right.dtype:
        return f"left is {left.dtype}{left.shape}, right is {right.dtype}{right.shape}"
    if left.dtype.kind != "f" and all(v.dtype.kind != "f" for v in point.values.values()):
        return None if np.array_equal(left, right) else f"left {left.tolist()}, right {right.tolist()}"
    if rule.tier == "exact":
        return None if same_bits(left, right) else f"left {left.tolist()}, right {right.tolist()}"
    return compare_rounded(rule, point, left, right)


def same_bits(a: Array, b: Array) -> bool:
    """Equal but for the payload of NaN."""
    if a.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    nan = np.isnan(a) & np.isnan(b)
    return bool(np.all(nan | ((a == b) & (np.signbit(a) == np.signbit(b)))))


def tolerance(rule: Rule) -> float:
    """Units in the last place that a right side may be off by itself."""
    return 4.0 + 2.0 * (term_size(rule.left) + term_size(rule.right))


def compare_rounded(rule: Rule, point: Point, left: Array, right: Array) -> str | None:
    """Compare float results by the tier's promise, over the reals where they are not close."""
    allowed = tolerance(rule)
    if left.dtype.kind != "f":
        suspects = list(np.argwhere(left != right))
    else:
        with np.errstate(all="ignore"):
            near = np.abs(left - right) <= allowed * np.spacing(np.maximum(np.abs(left), np.abs(right)))
        near |= (left == right) | (np.isnan(left) & np.isnan(right))
        if rule.tier == "extends":
            near |= ~np.isfinite(left)
        if rule.tier == "loose":
            near = np.zeros_like(near)
        suspects = list(np.argwhere(~near))
    for where in suspects[: 10 if rule.tier == "loose" else 16]:
        index = tuple(int(i) for i in where)
        small, at = restricted(rule, point, index, left.shape)
        if any(np.isnan(v).any() for v in small.values.values() if v.dtype.kind == "f"):
            continue
        wrong = None
        for digits in DIGITS:
            wrong = judge(rule, small, at, left[index], right[index], digits)
            if not wrong:
                break
        if wrong:
            return f"{wrong} [{small}]"
    return None


def restricted(
    rule: Rule, point: Point, index: tuple[int, ...], shape: tuple[int, ...]
) -> tuple[Point, tuple[int, ...]]:
    """For an elementwise rule, the point of one element alone."""
    if not is_elementwise(rule):
        return point, index
    values = {
        n: v[tuple(slice(i, i + 1) if k != 1 else slice(0, 1) for i, k in zip(index, v.shape))]
        for n, v in point.values.items()
    }
    return Point(values, point.params), (0,) * len(index)


def judge(rule: Rule, point: Point, at: tuple[int, ...], left: Any, right: Any, digits: int) -> str | None:
    """What is wrong with one element of the right side, measured against real arithmetic."""
    dtype, ndim, allowed = left.dtype.name, len(at), tolerance(rule)
    values = [v for v in point.values.values() if v.dtype.kind == "f"]
    if not all(np.isfinite(v).all() for v in values):
        near = np.isfinite(right) and abs(left - right) <= 1e-3 * abs(left) + 1e-6
        if (
            rule.tier in ("rounds", "extends")
            and np.isfinite(left)
            and not near
            and "backward" not in rule.tags
        ):
            return f"an infinite operand gives {left!r} on the left, {right!r} on the right"
        return None
    if "backward" in rule.tags or rule.tier == "loose":
        low, high = ROOM.get(dtype, ROOM["float64"])
        if any(np.any((v != 0) & ((np.abs(v) < low) | (np.abs(v) > high))) for v in values):
            return None
    try:
        real = over_reals(rule.left, point, dtype, ndim, digits)[at]
    except Undefined:
        return f"left {left!r}, right {right!r}, and no formula over the reals"
    if not mpmath.isfinite(real):
        return None
    if rule.tier == "loose":
        other = over_reals(rule.right, point, dtype, ndim, digits)[at]
        fits = abs(other - real) <= abs(real) * mpmath.mpf(10) ** -12
        return (
            None
            if fits or not mpmath.isfinite(other)
            else f"over the reals {real} on the left, {other} on the right"
        )
    if left.dtype.kind != "f":
        return None if right == real else f"left {left}, right {right}, really {real}"
    if abs(real) > float(np.finfo(dtype).max):
        return None
    mine, theirs = error(right, real), error(left, real)
    if mine <= max(theirs, allowed) or (rule.tier == "stabilises" and mine <= 2 * theirs + allowed):
        return None
    if "backward" in rule.tags or rule.tier == "stabilises":
        mine -= slack(rule, point, at, dtype, real, digits)
        if mine <= max(theirs, allowed):
            return None
    return f"left {left!r} is off by {theirs:.3g} ulp, right {right!r} by {mine:.3g}; really {mpmath.nstr(real, 20)}"


def error(value: Any, real: Any) -> float:
    """Distance of a float from a real number in units of the last place of that number; inf for inf and NaN.

    Below the normal numbers any result that is as small will do, since kernels may flush them to zero.
    """
    if not np.isfinite(value):
        return float("inf")
    tiny = float(np.finfo(value.dtype).tiny)
    if abs(real) < tiny and abs(float(value)) < tiny:
        return 0.0
    nearest = value.dtype.type(float(real)) if abs(real) < 1e308 else value
    with mpmath.workdps(60), np.errstate(all="ignore"):
        return float(abs(mpmath.mpf(float(value)) - real) / mpmath.mpf(float(np.spacing(np.abs(nearest)))))


def slack(rule: Rule, point: Point, at: tuple[int, ...], dtype: str, real: Any, digits: int) -> float:
    """Units in the last place by which the real result moves when the operands move by a few of theirs."""
    rng = np.random.default_rng(5)
    eps, worst = float(np.finfo(dtype).eps), 0.0
    unit = float(np.spacing(np.dtype(dtype).type(abs(float(real)))))
    fixed = uniform_metas(rule)
    for _ in range(4):
        moved = {}
        for name, v in point.values.items():
            kick = rng.choice([-1.0, 1.0], v.shape) * tolerance(rule) * eps
            moves = v.dtype.kind == "f" and name not in fixed
            moved[name] = np.asarray(lift(v) * (1 + np.asarray(kick, object)), object) if moves else v
        with mpmath.workdps(digits):
            other = Reals(Point(moved, point.params), dtype, len(at)).run(rule.left)[at]
        if mpmath.isfinite(other):
            worst = max(worst, float(abs(other - real)) / unit)
    return worst * 4


# --------------------------------------------------------------------------------------------------- proofs


def proved(rule: Rule) -> bool | None:
    """True where sympy shows both sides of an elementwise rule on floats equal; None where it cannot say."""
    if not is_elementwise(rule) or any(p.op in SPECIAL and p.op != "sqr" for p in both(rule)):
        return None
    import sympy

    names = {
        m.name: sympy.Symbol(m.name, **assumptions(rule, m))
        for m in metas_of(rule.left) | metas_of(rule.right)
    }

    def text(pattern: Any) -> Any:
        if isinstance(pattern, Meta):
            return names[pattern.name]
        if isinstance(pattern, Number):
            return sympy.nsimplify(pattern.value)
        if isinstance(pattern, Value):
            if pattern.function == "value":
                return names[pattern.args[0].name]
            a, b = (text(v) if isinstance(v, Value) else sympy.nsimplify(v) for v in pattern.args)
            return {"+": a + b, "-": a - b, "*": a * b, "/": a / b}[pattern.function]
        d = OPS[pattern.op]
        if d.real is None or not pattern.args:
            raise Undefined(pattern.op)
        inner = dict(zip(d.tensors, map(text, pattern.args), strict=True))
        return sympy.sympify(d.real, locals={**{k: sympy.Symbol(k) for k in d.tensors}}).subs(
            inner, simultaneous=True
        )

    try:
        difference = text(rule.left) - text(rule.right)
        return True if sympy.simplify(difference) == 0 else None
    except (Undefined, TypeError, ValueError, AttributeError, NotImplementedError):
        return None


def both(rule: Rule) -> Iterator[Term]:
    """Terms of both sides."""
    for side, _ in product((rule.left, rule.right), (0,)):
        yield from (p for p in subterms(side) if isinstance(p, Term))


def assumptions(rule: Rule, meta: Meta) -> dict[str, bool]:
    """What sympy may assume of a metavariable."""
    names = {"positive": "positive", "nonneg": "nonnegative", "negative": "negative", "nonpos": "nonpositive"}
    known = {"real": True, "nonzero": True}
    for fact, args in facts_of(rule):
        if fact in names and args[0] == meta:
            known[names[fact]] = True
            if fact in ("nonneg", "nonpos"):
                known.pop("nonzero", None)
    return known
