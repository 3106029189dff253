"""The functions that formulas over the reals name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath

LARGEST = 1 << 13  # bits before the point of an operand


def sized(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of mpmath, but for operands of so many digits before the point that it would need as many digits of pi or e."""

    def call(*args: Any, **options: Any) -> Any:
        if any(
            isinstance(a, mpmath.mpf) and mpmath.isfinite(a) and a and mpmath.mag(a) > LARGEST for a in args
        ):
            raise OverflowError
        return function(*args, **options)

    return call


def functions() -> dict[str, Any]:
    """What formulas over the reals name of mpmath; logarithms and roots take numbers of any size."""
    return {
        name: sized(f)
        if callable(f) and not isinstance(f, type) and not name.startswith(("log", "sqrt"))
        else f
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
