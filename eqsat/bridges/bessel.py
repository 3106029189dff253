"""Scaled Bessel functions of order 0 and 1, which other libraries have besides that of any order.

SciPy's ``ive`` is NaN beyond 2**30, where ``i0e`` and ``i1e`` go on.
"""

from __future__ import annotations

from math import pi
from typing import Any

import eqsat.tensor as T

FAR = 1e8  # beyond it the second term of the series in 1 / x is the last that counts


def i0e(x: Any) -> Any:
    """exp(-|x|) times the modified Bessel function of the first kind of order 0; near 0 at large x, as 1 / sqrt(2 pi x)."""
    return _scaled(0.0, x)


def i1e(x: Any) -> Any:
    """exp(-|x|) times the modified Bessel function of the first kind of order 1."""
    return _scaled(1.0, x)


def _scaled(order: float, x: Any) -> Any:
    is_far = abs(x) > FAR
    near = T.ive(order, T.switch(is_far, T.ones_like(x), x))
    a = T.cast(abs(x), near.type.dtype)
    far = (1 - (4 * order * order - 1) / (8 * a)) / T.sqrt(2 * pi * a)
    return T.switch(is_far, T.cast(far * T.sign(x) if order else far, near.type.dtype), near)
