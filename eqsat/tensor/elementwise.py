"""Elementwise functions made of others: rounding by mode, angles in degrees, tests of infinity, masks."""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.errors import ArgumentError
from eqsat.graph.constant import as_tensor, beside, cast_to, refuse_complex
from eqsat.graph.dtypes import COMPLEX, FLOATS, to_float
from eqsat.graph.ops import complex as c
from eqsat.graph.ops import elemwise as e
from eqsat.graph.ops import rounding as r
from eqsat.graph.ops import special as s

ROUNDING = {
    "half_away_from_zero": r.round_half_away_from_zero,
    "half_to_even": r.round_half_to_even,
}


def _floating(x: Any) -> Any:
    x = as_tensor(x)
    return cast_to(x, to_float(x.dtype))


def _real(name: str, x: Any) -> Any:
    x = as_tensor(x)
    refuse_complex(name, x)
    return x


def _number(value: float, x: Any) -> Any:
    return np.asarray(value, x.dtype)


def clip(x: Any, low: Any = None, high: Any = None) -> Any:
    """x limited to the range from low to high; high where low is above it. None is no limit.

    Shapes   x, low, high: [...] -> [...], elementwise
    Errors   DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.clip([1, 5, 9], 2, 6).eval(), T.clip([1, 5, 9], high=6).eval()
    (array([2, 5, 6]), array([1, 5, 6]))
    """
    if low is not None and high is not None:
        return e.clip(x, low, high)
    x = _real("clip", x)
    return e.maximum(x, low) if low is not None else e.minimum(x, high) if high is not None else x


def round(a: Any, mode: str = "half_away_from_zero") -> Any:
    """Nearest integers in a's dtype; ``mode`` says where halves go: away from zero or to the even neighbour.

    ``T.around`` and Python's ``round`` follow NumPy, where halves go to the even neighbour.

    Shapes   a: [...] -> [...], elementwise
    Errors   ArgumentError for another mode

    >>> import eqsat.tensor as T
    >>> T.round([0.5, 1.5, -2.5]).eval(), T.round([0.5, 1.5, -2.5], "half_to_even").eval()
    (array([ 1.,  2., -3.]), array([ 0.,  2., -2.]))
    """
    op = ROUNDING.get(mode) if isinstance(mode, str) else None
    if op is None:
        a = as_tensor(a)
        raise ArgumentError(
            f"round: there is no mode {mode!r}",
            operands=[(str(a), a)],
            among=(mode, ROUNDING),
            hint="T.around(a, decimals) to round to decimals",
        )
    return op(a)


def iround(a: Any, mode: str = "half_away_from_zero") -> Any:
    """``round`` as int64.

    Shapes   a: [...] -> i64[...], elementwise

    >>> import eqsat.tensor as T
    >>> T.iround([0.5, -1.2]).eval()
    array([ 1, -1])
    """
    return cast_to(round(a, mode), "int64")


def around(a: Any, decimals: int = 0) -> Any:
    """a rounded to decimals as in NumPy: halves go to the even neighbour, and the dtype stays.

    Shapes   a: [...] -> [...], elementwise
    Errors   ArgumentError where ``decimals`` is not a Python integer

    >>> import eqsat.tensor as T
    >>> T.around([2.675, 12.5], 1).eval(), T.around([1250.0, 1350.0], -2).eval()
    (array([ 2.7, 12.5]), array([1200., 1400.]))
    """
    a = as_tensor(a)
    if isinstance(decimals, bool) or not isinstance(decimals, (int, np.integer)):
        raise ArgumentError(
            f"around: decimals is not {decimals!r}", operands=[(str(a), a)], needs="a Python integer"
        )
    if decimals == 0 or (a.dtype not in FLOATS and decimals > 0):
        return r.round_half_to_even(a)
    exact = a if a.dtype in FLOATS else cast_to(a, "float64")
    unit = _number(10.0 ** int(np.abs(decimals)), exact)
    if decimals > 0:
        return r.round_to_parts(exact, unit)
    return cast_to(r.round_to_multiples(exact, unit), a.dtype)


def divmod(x: Any, y: Any) -> tuple[Any, Any]:
    """The pair of ``x // y`` and ``x % y``.

    Shapes   x, y: [...] -> [...] and [...], elementwise
    Errors   DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> quotient, rest = T.divmod([7, -7], 3)
    >>> quotient.eval(), rest.eval()
    (array([ 2, -3]), array([1, 2]))
    """
    return e.floordiv(x, y), e.mod(x, y)


def isposinf(x: Any) -> Any:
    """True where x is plus infinity.

    Shapes   x: [...] -> bool[...], elementwise
    Errors   DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.isposinf([float("inf"), -float("inf"), 1.0]).eval()
    array([ True, False, False])
    """
    return e.eq(_real("isposinf", x), float("inf"))


def isneginf(x: Any) -> Any:
    """True where x is minus infinity.

    Shapes   x: [...] -> bool[...], elementwise
    Errors   DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.isneginf([float("inf"), -float("inf"), 1.0]).eval()
    array([False,  True, False])
    """
    return e.eq(_real("isneginf", x), -float("inf"))


def _truth(x: Any) -> Any:
    x = as_tensor(x)
    return x if x.dtype == "bool" else e.neq(x, 0)


def logical_and(x: Any, y: Any) -> Any:
    """True where both differ from 0; NaN does.

    Shapes   x, y: [...] -> bool[...], elementwise

    >>> import eqsat.tensor as T
    >>> T.logical_and([0, 2, 3], [1, 1, 0]).eval()
    array([False,  True, False])
    """
    return e.and_(_truth(x), _truth(y))


def logical_or(x: Any, y: Any) -> Any:
    """True where one or both differ from 0.

    Shapes   x, y: [...] -> bool[...], elementwise

    >>> import eqsat.tensor as T
    >>> T.logical_or([0, 2, 0], [1, 1, 0]).eval()
    array([ True,  True, False])
    """
    return e.or_(_truth(x), _truth(y))


def logical_xor(x: Any, y: Any) -> Any:
    """True where exactly one differs from 0.

    Shapes   x, y: [...] -> bool[...], elementwise

    >>> import eqsat.tensor as T
    >>> T.logical_xor([0, 2, 0], [1, 1, 0]).eval()
    array([ True, False, False])
    """
    return e.xor(_truth(x), _truth(y))


def logical_not(x: Any) -> Any:
    """True where x is 0.

    Shapes   x: [...] -> bool[...], elementwise

    >>> import eqsat.tensor as T
    >>> T.logical_not([2, 0]).eval()
    array([False,  True])
    """
    return e.invert(_truth(x))


def deg2rad(x: Any) -> Any:
    """Degrees to radians.

    Shapes   x: f[...] -> f[...], elementwise; integers and bool are converted to floating
    Units    x in degrees, the result in radians
    Errors   DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.deg2rad([0.0, 180.0]).eval().round(4)
    array([0.    , 3.1416])
    """
    x = _floating(_real("deg2rad", x))
    return x * _number(np.pi / 180, x)


def rad2deg(x: Any) -> Any:
    """Radians to degrees.

    Shapes   x: f[...] -> f[...], elementwise; integers and bool are converted to floating
    Units    x in radians, the result in degrees
    Errors   DTypeError for complex numbers

    >>> import numpy as np, eqsat.tensor as T
    >>> T.rad2deg([0.0, np.pi]).eval()
    array([  0., 180.])
    """
    x = _floating(_real("rad2deg", x))
    return x * _number(180 / np.pi, x)


def heaviside(x: Any, h: Any) -> Any:
    """0 below zero, 1 above, ``h`` at zero, NaN at NaN.

    Shapes   x, h: f[...] -> f[...], elementwise

    >>> import eqsat.tensor as T
    >>> T.heaviside([-2.0, 0.0, 3.0], 0.5).eval()
    array([0. , 0.5, 1. ])
    """
    x = _floating(x)
    h = _floating(beside(h, x))
    flat = e.switch(e.gt(x, 0), _number(1, x), e.switch(e.lt(x, 0), _number(0, x), x))
    return e.switch(e.eq(x, 0), h, flat)


def _bits(x: Any, y: Any) -> list[Any]:
    """Operands of a shift; a bool has the dtype of the other, and of two the first is int8."""
    x, y = as_tensor(x), as_tensor(y)
    return [cast_to(x, "int8") if x.dtype == y.dtype == "bool" else x, y]


def left_shift(x: Any, y: Any) -> Any:
    """x * 2**y by moving bits; bits that leave are lost.

    Shapes   x, y: integer[...] -> integer[...], elementwise
    Errors   DTypeError where an operand is floating

    >>> import eqsat.tensor as T
    >>> T.left_shift([1, 3], [4, 1]).eval()
    array([16,  6])
    """
    return r.left_shift(*_bits(x, y))


def right_shift(x: Any, y: Any) -> Any:
    """x // 2**y by moving bits; the sign stays.

    Shapes   x, y: integer[...] -> integer[...], elementwise
    Errors   DTypeError where an operand is floating

    >>> import eqsat.tensor as T
    >>> T.right_shift([16, -3], [4, 1]).eval()
    array([ 1, -2])
    """
    return r.right_shift(*_bits(x, y))


def trigamma(x: Any) -> Any:
    """Derivative of digamma: ``polygamma(1, x)``.

    Shapes   x: f[...] -> f[...], elementwise; integers and bool are converted to floating
    Errors   DTypeError for complex numbers

    >>> import eqsat.tensor as T
    >>> T.trigamma([1.0, 2.0]).eval().round(6)
    array([1.644934, 0.644934])
    """
    x = _floating(x)
    return s.polygamma(_number(1, x), x)


def nan_to_num(x: Any, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """x with NaN and infinities replaced; infinities give the ends of the dtype's range unless told otherwise.

    Complex numbers are replaced part by part.

    Shapes   x: [...] -> [...], elementwise

    >>> import eqsat.tensor as T
    >>> T.nan_to_num([float("nan"), 2.0, float("inf")], posinf=9.0).eval()
    array([0., 2., 9.])
    """
    x = as_tensor(x)
    if x.dtype in COMPLEX:
        return c.complex(*(nan_to_num(part, nan, posinf, neginf) for part in (c.real(x), c.imag(x))))
    if x.dtype not in FLOATS:
        return x
    high = np.finfo(x.dtype).max if posinf is None else posinf
    low = np.finfo(x.dtype).min if neginf is None else neginf
    finite = e.switch(isposinf(x), cast_to(as_tensor(high), x.dtype), x)
    finite = e.switch(isneginf(x), cast_to(as_tensor(low), x.dtype), finite)
    return e.switch(e.isnan(x), cast_to(as_tensor(nan), x.dtype), finite)


def _close(a: Any, b: Any, rtol: float, atol: float, equal_nan: bool) -> Any:
    a, b = as_tensor(a), as_tensor(b)
    gap = e.abs(_floating(a) - _floating(b))
    near = e.and_(e.le(gap, atol + rtol * e.abs(_floating(b))), r.isfinite(b))
    same = e.or_(near, e.eq(a, b))
    return e.or_(same, e.and_(e.isnan(a), e.isnan(b))) if equal_nan else same


def isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """True where ``abs(a - b) <= atol + rtol * abs(b)``, and for equal infinities; NaN on request.

    Shapes   a, b: [...] -> bool[...], elementwise

    >>> import eqsat.tensor as T
    >>> T.isclose([1.0, 2.0], [1.0 + 1e-9, 2.1]).eval()
    array([ True, False])
    """
    return _close(a, b, rtol, atol, equal_nan)


def allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """True where all elements are close by ``isclose``.

    Shapes   a, b: [...] -> bool[]

    >>> import eqsat.tensor as T
    >>> T.allclose([1.0, 2.0], [1.0 + 1e-9, 2.0]).eval()
    array(True)
    """
    from eqsat.tensor.reduction import all

    return all(_close(a, b, rtol, atol, equal_nan))
