"""Functions of elements by the names that C, FPCore and files of rules give them, and numbers as they are written there."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial, reduce
from itertools import combinations, pairwise
from keyword import iskeyword
from typing import Any

import numpy as np

from eqsat import tensor as T
from eqsat.errors import ArgumentError
from eqsat.graph.core import Constant
from eqsat.graph.declare import OPS
from eqsat.graph.declared_op import DeclaredOp

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
NAMED = {  # functions that have another name here; others are found among the declared ops and the names of eqsat.tensor
    "fmax": "maximum",
    "fmin": "minimum",
    "max": "maximum",
    "min": "minimum",
    "tgamma": "gamma",
    "ln": "log",
    "round": "round_half_away_from_zero",
    "nearbyint": "round_half_to_even",
    "%": "mod",
    "&": "and",
    "|": "or",
    "^": "xor",
    "<<": "left_shift",
    ">>": "right_shift",
    "if": "switch",
    "select": "switch",
}
OTHERS = {"remainder"}  # functions of C that are not what NumPy's of the same name are, and have no form here
TWICE = {"and": 2 * "&", "or": 2 * "|"}  # of truth values; of bits the sign stands once
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": T.lt,
    ">": T.gt,
    "<=": T.le,
    ">=": T.ge,
    "==": T.eq,
    "!=": T.neq,
}


class NoTruth(ArgumentError):
    """Raised for a value of another dtype than bool where true or false is asked for."""

    def __init__(self, value: Any) -> None:
        super().__init__(f"a value of {value.type.dtype} stands where true or false is asked for")
        self.value = value


def number_of(token: str) -> Any:
    """The value of a number or a named constant; a fraction is rounded once, and what is beyond all floats is infinite.

    Errors   ArgumentError for a word that is none

    >>> number_of("1/4"), number_of("0x1p-1"), number_of("TRUE")
    (0.25, 0.5, True)
    """
    if token.upper() in CONSTANTS and (token.isupper() or token in ("true", "false")):
        return CONSTANTS[token.upper()]
    try:
        if "0x" in token.lower():
            return float.fromhex(token)
        if "/" in token or not any(map(str.isdigit, token)):  # float takes words such as inf
            return float(Fraction(token))
        return float(token)
    except OverflowError:
        return -math.inf if token.startswith("-") else math.inf
    except (ValueError, ZeroDivisionError):
        raise ArgumentError(f"{token} is neither a number nor the name of a value") from None


def truth(value: Any) -> Any:
    """An operand that is true or false; the numbers 0 and 1 are.

    Errors   NoTruth for a value of another dtype than bool
    """
    found: Any = T.as_tensor_variable(value)
    if found.type.dtype == "bool":
        return found
    if isinstance(found, Constant) and np.all(np.isin(found.data, (0, 1))):
        return T.constant(np.asarray(found.data, bool))
    raise NoTruth(found)


def folded(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """A function of two operands as one of any number but none, from left to right."""
    return lambda first, *more: reduce(function, more, first)


def compared(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """A comparison of two as one of several in a row: each with the next, and by ``!=`` with all others."""
    pairs: Callable[[Any], Any] = partial(combinations, r=2) if function is T.neq else pairwise
    return lambda first, second, *more: reduce(
        T.and_, [function(a, b) for a, b in pairs((first, second, *more))]
    )


def switched(condition: Any, then: Any, other: Any) -> Any:
    """One of two values."""
    return T.switch(truth(condition), then, other)


def inverted(x: Any) -> Any:
    """-x of real numbers, the bits of others inverted."""
    operand: Any = T.as_tensor_variable(x)
    return -operand if operand.type.dtype.startswith("float") else T.invert(operand)


def divided(x: Any, *more: Any) -> Any:
    """The quotient of real numbers, rounded down of integers; 1 / x of one operand."""
    operands: list[Any] = [T.as_tensor_variable(v) for v in ((x, *more) if more else (1.0, x))]
    whole = not any(v.type.dtype.startswith("float") for v in operands)
    return reduce(T.floordiv if whole else T.truediv, operands)


def or_else(value: Any, wrong: Any, other: Any) -> Any:
    """A value, or another one where a condition makes it wrong."""
    return T.switch(wrong, other, value)


OWN: dict[str, Callable[..., Any]] = {  # what no op does alone
    **{name: compared(function) for name, function in COMPARISONS.items()},
    "+": folded(T.add),
    "*": folded(T.mul),
    "-": lambda x, *more: reduce(T.sub, more, x) if more else -x,
    "--": T.sub,
    "/": divided,
    "~": inverted,
    "fma": lambda x, y, z: x * y + z,
    "fdim": lambda x, y: T.switch(T.le(x, y), 0.0, x - y),
    "isnormal": lambda x: T.isfinite(x) & T.ge(T.abs(x), float(np.finfo(x.type.dtype).tiny)),
    "sound-/": lambda x, y, other: or_else(x / y, T.eq(y, 0), other),
    "sound-pow": lambda x, y, other: or_else(x**y, T.eq(x, 0) & T.lt(y, 0), other),
    "sound-log": lambda x, other: or_else(T.log(x), T.le(x, 0), other),
    "if": switched,
    "select": switched,
    **dict.fromkeys(("and", TWICE["and"]), lambda *tests: reduce(T.and_, map(truth, tests))),
    **dict.fromkeys(("or", TWICE["or"]), lambda *tests: reduce(T.or_, map(truth, tests))),
    **dict.fromkeys(("not", "!"), lambda test: T.invert(truth(test))),
}


def function_of(head: str) -> Callable[..., Any] | None:
    """The function of a name; None where there is none.

    >>> function_of("fabs") is T.abs, function_of("convolve")
    (True, None)
    """
    if head in OWN:
        return OWN[head]
    name = NAMED.get(head, head)
    if name in OTHERS:
        return None
    public = getattr(T, f"{name}_" if iskeyword(name) else name, None)
    op = public.declaration if isinstance(public, DeclaredOp) else OPS.find(name)
    if op is None or op.kind != "elemwise" or op.parameters:
        return None
    return public if callable(public) else op.bind()


def applied(head: str, operands: Sequence[Any]) -> Any:
    """A function of some operands.

    Errors   ArgumentError for a name that has no form here, or another number of operands

    >>> import eqsat
    >>> str(eqsat.pp(applied("hypot", [T.dscalar("x"), T.dscalar("y")])))
    'hypot(x, y)'
    """
    function = function_of(head)
    if function is None:
        raise ArgumentError(f"{head} has no form here")
    try:
        return function(*operands)
    except TypeError as error:
        if isinstance(error, ArgumentError) or "argument" not in str(error):
            raise
        raise ArgumentError(f"{head} of {len(operands)} operands has no form here") from None
