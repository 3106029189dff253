"""Expressions in FPCore, the format of FPBench (https://fpbench.org/spec/fpcore-2.0.html), as graphs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from eqsat import tensor as T
from eqsat.base.values import dataclass
from eqsat.errors import ArgumentError, EqsatError
from eqsat.functions.function import function
from eqsat.graph.declare import OPS
from eqsat.rounding.points import Accept

DTYPES = {"binary64": "float64", "binary32": "float32", "real": "float64"}
CONSTANTS: dict[str, Any] = {
    "PI": math.pi,
    "E": math.e,
    "LN2": math.log(2),
    "LN10": math.log(10),
    "LOG2E": 1 / math.log(2),
    "LOG10E": 1 / math.log(10),
    "PI_2": math.pi / 2,
    "PI_4": math.pi / 4,
    "M_1_PI": 1 / math.pi,
    "M_2_PI": 2 / math.pi,
    "M_2_SQRTPI": 2 / math.sqrt(math.pi),
    "SQRT2": math.sqrt(2),
    "SQRT1_2": math.sqrt(0.5),
    "INFINITY": math.inf,
    "NAN": math.nan,
    "TRUE": True,
    "FALSE": False,
}
NAMED = {  # functions of FPCore that have another name here
    "*": "mul",
    "/": "truediv",
    "fabs": "abs",
    "fmax": "maximum",
    "fmin": "minimum",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "atan2": "arctan2",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
    "tgamma": "gamma",
    "lgamma": "gammaln",
    "not": "logical_not",
    "if": "switch",
}
KNOWN = {"+", "-", "and", "or", "fma"}
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": T.lt,
    ">": T.gt,
    "<=": T.le,
    ">=": T.ge,
    "==": T.eq,
    "!=": T.neq,
}
TOKEN = re.compile(r";[^\n]*|\"[^\"]*\"|[()\[\]]|[^\s()\[\]\";]+")


@dataclass(frozen=True)
class FPCore:
    """An expression read from a file: its inputs and its graph, the ranges and the condition under which it is asked for.

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
    """The expressions of an FPCore file, or of its text.

    Errors   ArgumentError for text with brackets that do not match; what one expression uses that has no form here is said in ``refused``

    >>> from eqsat.rounding import read_fpcore
    >>> core, = read_fpcore('(FPCore (x) :name "root" :pre (< 0 x 10) (- (sqrt (+ x 1)) (sqrt x)))')
    >>> core.name, core.ranges[core.inputs[0]]
    ('root', (0.0, 10.0))
    """
    text = str(source)
    if not text.lstrip().startswith(("(", ";")):
        text = Path(text).read_text(encoding="utf-8")
    return [_core(form, k) for k, form in enumerate(forms_of(text)) if form and form[0] == "FPCore"]


def forms_of(text: str) -> list[Any]:
    """The brackets of a text as lists."""
    stack: list[list[Any]] = [[]]
    for token in TOKEN.findall(text):
        if token[0] == ";":
            continue
        if token in "([":
            stack.append([])
        elif token in ")]":
            if len(stack) == 1:
                raise ArgumentError("fpcore: a bracket is closed that was not opened")
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    if len(stack) > 1:
        raise ArgumentError(f"fpcore: {len(stack) - 1} brackets are not closed")
    return stack[0]


def _core(form: list[Any], number: int) -> FPCore:
    at = next(k for k, item in enumerate(form) if isinstance(item, list))
    names, rest = form[at], form[at + 1 :]
    told: dict[str, Any] = {}
    while len(rest) >= 2 and isinstance(rest[0], str) and rest[0].startswith(":"):
        told[rest[0][1:]], rest = rest[1], rest[2:]
    name = str(told.get("name", form[1] if at == 2 else f"expression {number}")).strip('"')
    try:
        return _read(name, names, told, rest)
    except (EqsatError, ValueError, TypeError, IndexError, RecursionError) as error:
        return FPCore(name, [], None, {}, None, str(error).splitlines()[0])


def _read(name: str, names: list[Any], told: dict[str, Any], body: list[Any]) -> FPCore:
    precision = told.get("precision", "binary64")
    if precision not in DTYPES:
        raise ArgumentError(f"the precision {precision} is none of {', '.join(DTYPES)}")
    if any(isinstance(n, list) and n[0] != "!" for n in names) or len(body) != 1:
        raise ArgumentError("an argument is a tensor")
    reader = Reader(DTYPES[precision])
    names = [n[-1] if isinstance(n, list) else n for n in names]
    inputs = [T.scalar(n, dtype=reader.dtype) for n in names]
    known = dict(zip(names, inputs, strict=True))
    output = reader.value(body[0], known)
    condition = told.get("pre")
    return FPCore(
        name,
        inputs,
        T.as_tensor_variable(output),
        {known[n]: r for n, r in ranges_of(condition, names, reader).items()} if condition else {},
        reader.acceptance(condition, known) if condition else None,
    )


class Reader:
    """Expressions as graphs of one dtype."""

    def __init__(self, dtype: str) -> None:
        self.dtype = dtype

    def number(self, token: str) -> Any:
        """A number or a named constant; a fraction is rounded once."""
        if token in CONSTANTS:
            value = CONSTANTS[token]
            return np.asarray(value) if isinstance(value, bool) else np.asarray(value, self.dtype)
        value = float.fromhex(token) if "0x" in token.lower() else float(Fraction(token))
        return np.asarray(value, self.dtype)

    def value(self, form: Any, known: dict[str, Any]) -> Any:
        """The graph of an expression.

        Errors   ArgumentError for what has no form here
        """
        if isinstance(form, str):
            return known[form] if form in known else T.constant(self.number(form))
        head, *rest = form
        if head in ("let", "let*"):
            inner = dict(known)
            for n, expression in rest[0]:
                inner[n] = self.value(expression, inner if head == "let*" else known)
            return self.value(rest[1], inner)
        if head == "!":
            return self.value(rest[-1], known)
        if head == "digits":
            mantissa, exponent, base = (int(v) for v in rest)
            return T.constant(np.asarray(float(Fraction(mantissa) * Fraction(base) ** exponent), self.dtype))
        if not (
            isinstance(head, str) and (head in KNOWN or head in NAMED or head in COMPARISONS or head in OPS)
        ):
            raise ArgumentError(f"{head} has no form here")
        operands = [self.value(r, known) for r in rest]
        if head in COMPARISONS:
            return _all([COMPARISONS[head](a, b) for a, b in pairwise(operands)])
        if head in ("and", "or"):
            joined = operands[0]
            for other in operands[1:]:
                joined = joined & other if head == "and" else joined | other
            return joined
        if head in ("+", "-"):
            return sum(operands[1:], operands[0]) if head == "+" else _less(operands)
        if head == "fma":
            return operands[0] * operands[1] + operands[2]
        return getattr(T, NAMED.get(head, head))(*operands)

    def acceptance(self, condition: Any, known: dict[str, Any]) -> Accept:
        """The condition as a function of the values of the inputs of the graph, in the order of the expression's arguments."""
        test = T.as_tensor_variable(self.value(condition, known))
        inputs = list(known.values())

        def accept(given: dict[Any, Any]) -> Any:
            check = function(inputs, test, mode="reference", on_unused_input="ignore")
            count = len(next(iter(given.values())))
            zero = np.zeros((), self.dtype)
            return np.array(
                [bool(check(*(given[v][k] if v in given else zero for v in inputs))) for k in range(count)]
            )

        return accept


def _less(operands: list[Any]) -> Any:
    return -operands[0] if len(operands) == 1 else operands[0] - operands[1]


def _all(tests: list[Any]) -> Any:
    joined = tests[0]
    for test in tests[1:]:
        joined = joined & test
    return joined


def ranges_of(condition: Any, names: list[str], reader: Reader) -> dict[str, tuple[float, float]]:
    """The ranges that a condition gives to single arguments: parts such as (< 0 x 10), joined by and."""
    most = float(np.finfo(reader.dtype).max)
    found: dict[str, tuple[float, float]] = {}
    for part in _parts(condition):
        chain = part[1:] if part[0] in ("<", "<=") else part[:0:-1] if part[0] in (">", ">=") else []
        for a, b in pairwise(chain):
            for name, other, side in ((a, b, 1), (b, a, 0)):
                if isinstance(name, str) and name in names and isinstance(other, str) and other not in names:
                    low, high = found.get(name, (-most, most))
                    limit = float(reader.number(other))
                    found[name] = (low, min(high, limit)) if side else (max(low, limit), high)
    return found


def _parts(condition: Any) -> Iterator[list[Any]]:
    stack = [condition]
    while stack:
        form = stack.pop()
        if not isinstance(form, list) or not form:
            continue
        if form[0] == "and":
            stack.extend(form[1:])
        else:
            yield form
