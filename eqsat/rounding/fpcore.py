"""Expressions in FPCore, the format of FPBench (https://fpbench.org/spec/fpcore-2.0.html), as graphs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from eqsat import tensor as T
from eqsat.base.brackets import Steps, evaluated, forms_of
from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError, EqsatError
from eqsat.graph.walk import graph_inputs
from eqsat.rounding.measure import floats
from eqsat.rounding.points import Accept, Points, drawn
from eqsat.rounding.points import ranges_of as limits_of
from eqsat.tensor.prefix_notation import applied, function_of, number_of

DTYPES = {"binary64": "float64", "binary32": "float32", "real": "float64"}
NEAREST = "nearestEven"  # how all ops round
FARTHEST = 10_000  # the largest exponent of ``digits``
FLOATS = tuple(dict.fromkeys(DTYPES.values()))


@dataclass(frozen=True)
class FPCore:
    """An expression read from a file: its inputs and its graph, the ranges of those that it reads and the condition under which it is asked for.

    ``refused`` says why there is no graph.

    >>> from eqsat.rounding import read_fpcore
    >>> read_fpcore('(FPCore (x) :name "loop" (while (< x 1) ((x x (+ x 1))) x))')[0].refused
    'while has no form here'
    """

    name: str
    inputs: list[Any]
    output: Any
    ranges: dict[Any, tuple[float, float]]
    accept: Accept | None
    refused: str = ""


def read_fpcore(source: Any) -> list[FPCore]:
    """The expressions of an FPCore file, or of its text. An expression may call those that stand before it in the file by their names.

    Errors   ArgumentError for a file that cannot be read and for brackets that do not match; what one expression uses that has no form here is said in ``refused``

    >>> from eqsat.rounding import read_fpcore
    >>> core, = read_fpcore('(FPCore (x) :name "root" :pre (< 0 x 10) (- (sqrt (+ x 1)) (sqrt x)))')
    >>> core.name, core.ranges[core.inputs[0]]
    ('root', (0.0, 10.0))
    """
    text = str(source)
    if text.strip() and not text.lstrip().startswith(("(", ";", "#")):
        try:
            text = Path(text).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise ArgumentError(f"read_fpcore: {text!r} cannot be read: {error}") from None
    found: list[FPCore] = []
    defined: dict[str, Definition] = {}
    forms = (form for form in forms_of(text, "fpcore") if isinstance(form, list) and form[:1] == ["FPCore"])
    for k, form in enumerate(forms):
        found.append(_core(form, k, defined))
    return found


@dataclass(frozen=True)
class Definition:
    """An FPCore as it is written: its arguments, properties and body."""

    names: list[Any]
    told: dict[str, Any]
    body: list[Any]


def _core(form: list[Any], number: int, defined: dict[str, Definition]) -> FPCore:
    name = f"expression {number}"
    try:
        at = next((k for k, item in enumerate(form) if isinstance(item, list)), None)
        if at is None:
            raise ArgumentError("there are no arguments")
        told, body = _properties(form[at + 1 :])
        name = unquoted(str(told.get("name", form[1] if at == 2 else name)))
        one = Definition(form[at], told, body)
        core = _read(name, one, defined)
        if at == 2:
            defined[form[1]] = one
        return core
    except (EqsatError, ValueError, TypeError, IndexError, OverflowError) as error:
        return FPCore(name, [], None, {}, None, str(error).splitlines()[0])


def unquoted(word: str) -> str:
    """A string of FPCore as text; other words as they are."""
    return re.sub(r"\\(.)", r"\1", word[1:-1], flags=re.DOTALL) if word.startswith('"') else word


def _properties(rest: list[Any]) -> tuple[dict[str, Any], list[Any]]:
    """The properties that stand first, by name, and what follows."""
    told: dict[str, Any] = {}
    while len(rest) >= 2 and isinstance(rest[0], str) and rest[0].startswith(":"):
        told[rest[0][1:]], rest = rest[1], rest[2:]
    return told, rest


def dtype_of(told: Mapping[str, Any], usual: str) -> str:
    """The dtype in which properties ask for rounding.

    Errors   ArgumentError for a precision of which there are no tensors, and for another way to round
    """
    if told.get("round", NEAREST) != NEAREST:
        raise ArgumentError(f"results are rounded to {NEAREST}, not {told['round']}")
    precision = told.get("precision")
    if precision is not None and str(precision) not in DTYPES:
        shown = precision if isinstance(precision, str) else "(" + " ".join(map(str, precision)) + ")"
        raise ArgumentError(f"the precision {shown} is none of {', '.join(DTYPES)}")
    return usual if precision is None else DTYPES[precision]


def _argument(written: Any, usual: str) -> tuple[str, str]:
    """The name of an argument and its dtype: of ``x``, or of ``(! :precision binary32 x)``."""
    if isinstance(written, str):
        return written, usual
    if not written or written[0] != "!":
        raise ArgumentError("an argument is a tensor")
    told, rest = _properties(written[1:])
    if len(rest) != 1 or not isinstance(rest[0], str):
        raise ArgumentError("an argument is a tensor")
    return rest[0], dtype_of(told, usual)


def _read(name: str, one: Definition, defined: Mapping[str, Definition]) -> FPCore:
    if len(one.body) != 1:
        raise ArgumentError(f"there are {len(one.body)} bodies, not one")
    reader = Reader(dtype_of(one.told, "float64"), defined)
    arguments = [_argument(n, reader.dtype) for n in one.names]
    check_distinct([n for n, _ in arguments], "arguments")
    known = {n: T.scalar(n, dtype=dtype) for n, dtype in arguments}
    inputs = list(known.values())
    output = T.as_tensor_variable(reader.value(one.body[0], known))
    condition, read = one.told.get("pre"), set(graph_inputs([output]))
    limits = ranges_of(condition, list(known), reader) if condition else {}
    ranges = {known[n]: r for n, r in limits.items()}
    return FPCore(
        name,
        inputs,
        output,
        {v: r for v, r in ranges.items() if v in read},
        reader.acceptance(condition, known, ranges) if condition else None,
    )


def check_distinct(names: list[str], what: str) -> None:
    """Refuse a name that stands twice.

    Errors   ArgumentError
    """
    if twice := [n for k, n in enumerate(names) if n in names[:k]]:
        raise ArgumentError(f"two {what} are named {twice[0]}")


def single(head: str, parts: list[Any]) -> Any:
    """The one expression that a form holds.

    Errors   ArgumentError for a form with another number of them
    """
    if len(parts) != 1:
        raise ArgumentError(f"{head} has {len(parts)} bodies, not one")
    return parts[0]


def bindings_of(head: str, rest: list[Any]) -> list[list[Any]]:
    """The pairs of a name and an expression of ``let`` or ``let*``.

    Errors   ArgumentError for what is no such list, and for a name that ``let`` has twice
    """
    pairs = rest[0] if rest else None
    if not isinstance(pairs, list) or not all(
        isinstance(p, list) and len(p) == 2 and isinstance(p[0], str) for p in pairs
    ):
        raise ArgumentError(f"{head} does not begin with pairs of a name and an expression")
    if head == "let":
        check_distinct([p[0] for p in pairs], "values of let")
    return pairs


def digits_of(rest: list[Any]) -> float:
    """The float nearest to mantissa * base ** exponent.

    Errors   ArgumentError for other operands than three whole numbers, a base below 2, and a large exponent
    """
    try:
        mantissa, exponent, base = (int(v) for v in rest)
    except (TypeError, ValueError):
        raise ArgumentError("digits has other operands than a mantissa, an exponent and a base") from None
    if base < 2 or abs(exponent) > FARTHEST:
        raise ArgumentError(f"digits has no form here for the base {base} and the exponent {exponent}")
    try:
        return float(mantissa * Fraction(base) ** exponent)
    except OverflowError:
        return math.copysign(math.inf, mantissa)


@dataclass(frozen=True)
class Scope:
    """The values of names, and the dtype in which results are rounded."""

    values: Mapping[str, Any]
    dtype: str


class Reader:
    """Expressions as graphs of one dtype, or of those that their parts ask for."""

    def __init__(self, dtype: str, defined: Mapping[str, Definition] | None = None) -> None:
        self.dtype, self.defined = dtype, defined or {}

    def value(self, form: Any, known: Mapping[str, Any]) -> Any:
        """The graph of an expression.

        Errors   ArgumentError for what has no form here
        """
        return evaluated(self._value, form, Scope(known, self.dtype))

    def _value(self, form: Any, scope: Scope) -> Steps:
        """The value of one form; it asks for those of its parts."""
        if isinstance(form, str):
            return self.leaf(form, scope)
        if not form or not isinstance(form[0], str):
            raise ArgumentError("there is no function at the head of a bracket")
        head, *rest = form
        if head in ("let", "let*"):
            inner, body = scope, single(head, rest[1:])
            for name, expression in bindings_of(head, rest):
                made = yield expression, inner if head == "let*" else scope
                inner = replace(inner, values={**inner.values, name: made})
            return (yield body, inner)
        if head == "!":
            told, body = _properties(rest)
            return (yield single(head, body), replace(scope, dtype=dtype_of(told, scope.dtype)))
        if head == "digits":
            return self.constant(digits_of(rest), scope)
        if not rest and head not in self.defined:
            return self.leaf(head, scope)
        if head not in self.defined and head != "cast" and function_of(head) is None:
            raise ArgumentError(f"{head} has no form here")
        operands = []
        for part in rest:
            operands.append((yield part, scope))
        if head in self.defined:
            return (yield self.called(head, operands, scope))
        return (
            single(head, operands).astype(scope.dtype)
            if head == "cast"
            else rounded(head, operands, scope.dtype)
        )

    def leaf(self, word: str, scope: Scope) -> Any:
        """The value of a name, a number or a named constant."""
        return scope.values[word] if word in scope.values else self.constant(number_of(word), scope)

    def constant(self, value: Any, scope: Scope) -> Any:
        """A constant of the dtype of a scope; of bool where it is true or false."""
        with np.errstate(over="ignore"):  # what is beyond the floats of a dtype is infinite
            return T.constant(np.asarray(value, bool if isinstance(value, bool) else scope.dtype))

    def called(self, head: str, operands: list[Any], scope: Scope) -> tuple[Any, Scope]:
        """The body of a function that was defined before, over some operands."""
        one = self.defined[head]
        if len(one.names) != len(operands):
            raise ArgumentError(f"{head} takes {len(one.names)} arguments, not {len(operands)}")
        dtype = dtype_of(one.told, scope.dtype)
        names = [_argument(n, dtype)[0] for n in one.names]
        values = dict(zip(names, operands, strict=True))
        return one.body[0], Scope(values, dtype)

    def acceptance(self, condition: Any, known: dict[str, Any], ranges: Mapping[Any, Any]) -> Accept:
        """The condition as a function of the values of the inputs of the graph, in the order of the expression's arguments.

        Of arguments that the graph does not read values are drawn.
        """
        test = T.as_tensor_variable(self.value(condition, known))
        inputs = list(known.values())

        def accept(given: dict[Any, Any]) -> Any:
            count = len(next(iter(given.values())))
            rng, limits = np.random.default_rng(0), limits_of(inputs, ranges)
            values = [given[v] if v in given else drawn(v, *limits[v], count, True, rng) for v in inputs]
            found = floats([test], Points(inputs, values, [], whole=True))[test]
            return np.broadcast_to(np.asarray(found, bool), (count,))

        return accept


def rounded(head: str, operands: list[Any], dtype: str) -> Any:
    """A function of operands that is computed in the widest of their dtypes and the one in which its result is rounded."""
    floats = {v.type.dtype for v in operands if v.type.dtype in FLOATS}
    wide = "float64" if "float64" in floats | {dtype} else dtype
    if floats - {wide}:
        operands = [v.astype(wide) if v.type.dtype in floats else v for v in operands]
    made = T.as_tensor_variable(applied(head, operands))
    return made.astype(dtype) if made.type.dtype in FLOATS and made.type.dtype != dtype else made


Ranges: TypeAlias = dict[str, tuple[float, float]]


def ranges_of(condition: Any, names: list[str], reader: Reader) -> Ranges:
    """The ranges that a condition gives to single arguments: parts such as (< 0 x 10), joined by and; or by or, from the least to the greatest."""
    found: Ranges = evaluated(_ranges, condition, names, reader.dtype)
    return found


def _ranges(form: Any, names: list[str], dtype: str) -> Steps:
    if not isinstance(form, list) or not form:
        return {}
    head, *rest = form
    if head in ("and", "or"):
        parts = []
        for part in rest:
            parts.append((yield part, names, dtype))
        return narrowed(parts) if head == "and" else widened(parts)
    chain = rest if head in ("<", "<=") else rest[::-1] if head in (">", ">=") else []
    return narrowed(_side(a, b, names, dtype) for a, b in pairwise(chain))


def _side(a: Any, b: Any, names: list[str], dtype: str) -> Ranges:
    """The range that a < b gives to an argument that is compared with a number."""
    most = float(np.finfo(dtype).max)
    for name, other in ((a, b), (b, a)):
        if isinstance(name, str) and name in names and isinstance(other, str) and other not in names:
            with np.errstate(over="ignore"):
                limit = float(np.asarray(number_of(other), dtype))
            return {name: (-most, limit) if name == a else (limit, most)}
    return {}


def narrowed(parts: Iterable[Ranges]) -> Ranges:
    """Ranges of which all hold."""
    found: Ranges = {}
    for part in parts:
        for name, (low, high) in part.items():
            least, most = found.get(name, (low, high))
            found[name] = max(low, least), min(high, most)
    return found


def widened(parts: list[Ranges]) -> Ranges:
    """Ranges of which one holds, for the arguments of which each part says something."""
    said = set.intersection(*(set(p) for p in parts)) if parts else set()
    return {n: (min(p[n][0] for p in parts), max(p[n][1] for p in parts)) for n in sorted(said)}
