"""Names and numbers of formulas over the reals: the functions that they call, and the numbers that floats stand for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import mpmath

from eqsat.rules.rule import held_by_float32

WIDEST = 1 << 12  # the most bits before the point of an operand of a function
EXPONENT = 64  # the most of an exponent: beyond it a power is 0, 1 or infinite for every float
OF_ANY_SIZE = ("log", "sqrt")  # functions of operands of any size, and those whose names begin so


def is_too_large(value: Any, widest: int = WIDEST) -> bool:
    """True for a number beyond 2**4096, of which a function would need as many digits of e or pi, and a power would take long.

    >>> is_too_large(mpmath.mpf(10) ** 2000), is_too_large(mpmath.mpf(1e300)), is_too_large(True)
    (True, False, False)
    """
    if not isinstance(value, mpmath.mpf):
        return False
    _, mantissa, exponent, bits = value._mpf_
    return bool(mantissa) and exponent + bits > widest


def sized(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function without a value for operands that are too large."""

    def call(*args: Any, **options: Any) -> Any:
        return mpmath.nan if any(map(is_too_large, args)) else function(*args, **options)

    return call


def functions() -> dict[str, Any]:
    """The names of mpmath, for formulas over the reals."""
    return {
        name: f if not callable(f) or isinstance(f, type) or name.startswith(OF_ANY_SIZE) else sized(f)
        for name, f in vars(mpmath).items()
    }


NAMES: dict[str, Any] = {
    **functions(),
    "Max": max,
    "Min": min,
    "Eq": lambda a, b: a == b,
    "Ne": lambda a, b: a != b,
    "abs": abs,
    "number": lambda x: mpmath.mpf(int(x)) if isinstance(x, bool) else x,
}


@cache
def closed_form(value: float) -> Any:
    """A fraction, or a multiple of pi or of a logarithm, that rounds to a float.

    >>> closed_form(0.3), closed_form(6.283185307179586)
    (3/10, 2*pi)
    """
    import sympy

    known = [] if held_by_float32(value) else [sympy.pi, sympy.log(2), sympy.log(10)]
    return sympy.nsimplify(value, known)
