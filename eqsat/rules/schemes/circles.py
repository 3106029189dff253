"""Laws of an even function c and an odd one s on a circle or a hyperbola, and of their quotient t: cos, sin, tan, and cosh, sinh, tanh.

The op t declares the quotient. On which curve the points (c, s) lie is taken from the meanings: ``c**2 + s**2 = 1`` or
``c**2 - s**2 = 1``. The angle is doubled exactly, and halved so but for the least numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from eqsat.base.values import dataclass
from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.ops.elemwise import fill, neg, reciprocal, sqr, sqrt
from eqsat.graph.ops.trigonometry import hypot
from eqsat.graph.properties import ratio
from eqsat.rules.pattern import reals
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.operands import sees
from eqsat.rules.schemes.scheme import family
from eqsat.rules.spellings import differences, lessened, quotients

x = reals("x")
STABLE: dict[str, Any] = {"tier": "stabilises"}
OPEN: dict[str, Any] = {"tier": "extends"}
Law = tuple[str, Any, Any, dict[str, Any]]  # a name, both sides, and the promise


@dataclass(frozen=True)
class Curve:
    """The odd function s and the even function c, with their quotient t; it is a circle or a hyperbola."""

    s: Declaration
    c: Declaration
    t: Declaration
    is_circle: bool

    @property
    def squares(self) -> tuple[Any, Any]:
        """The squares of both functions, that of the even one first."""
        return sqr(self.c(x)), sqr(self.s(x))

    @property
    def near(self) -> dict[str, Any]:
        """The promise of a law whose left side cancels on a circle."""
        return STABLE if self.is_circle else {}


@cache
def side_of(s: Any, c: Any) -> int:
    """The sign k in c(x)**2 + k s(x)**2 = 1; 0 where no such law holds of two functions of arrays."""
    at = np.array([-1.5, 0.25, 1.0])
    return next((k for k in (1, -1) if np.allclose(c(at) ** 2 + k * s(at) ** 2, 1)), 0)


def quotient_ops() -> Iterator[tuple[Declaration, Declaration, Declaration]]:
    """The ops t that are quotients of two others, with these: s, c, t."""
    for t in OPS.values():
        names = ratio(t)
        if names is not None and sees(t) and all(name in OPS and sees(OPS[name]) for name in names):
            yield OPS[names[0]], OPS[names[1]], t


def curves() -> Iterator[Curve]:
    """All triples of functions that are declared so."""
    for s, c, t in quotient_ops():
        side = side_of(s.meaning, c.meaning)
        if side:
            yield Curve(s, c, t, side > 0)


def of_quotient(s: Declaration, c: Declaration, t: Declaration) -> Iterator[Law]:
    """The laws that take a quotient back."""
    yield f"{t.name}-times-{c.name}", t(x) * c(x), s(x), {}
    yield f"{s.name}-over-{t.name}", s(x) / t(x), c(x), {"tier": "extends"}


def added_squares(k: Curve) -> Iterator[Law]:
    """Sums of squares, of which none cancels."""
    even, odd = k.squares
    if k.is_circle:
        yield f"{k.c.name}-squared-plus-{k.s.name}-squared", even + odd, fill(x, 1), {}
    else:
        yield f"{k.s.name}-squared-plus-one", odd + 1, even, {}


def doubled(k: Curve) -> Iterator[Law]:
    """Products of both functions, and squares with a number, as functions of twice the operand."""
    (even, odd), s, c = k.squares, k.s(x), k.c(x)
    name, twice, double = f"{k.s.name}-times-{k.c.name}", k.s(x * 2), k.c(x * 2)
    if k.is_circle:  # on a hyperbola twice it may be infinite where its half is a number
        yield name, s * c, twice * 0.5, {}
    for word, left in (("twice", (s * c) * 2), ("twice-first", (s * 2) * c), ("twice-last", s * (c * 2))):
        yield f"{name}-{word}", left, twice, {}
    name = f"{k.c.name}-of-double-from"
    yield f"{name}-{k.c.name}", even * 2 + -1, double, k.near
    yield f"{name}-{k.s.name}", 1 - odd * 2 if k.is_circle else odd * 2 + 1, double, k.near
    if not k.is_circle:
        yield f"{name}-both", even + odd, double, {}


@family("ratio", "s(x) / c(x) = t(x), c(x) / s(x) = 1 / t(x), t(x) c(x) = s(x), s(x) / t(x) = c(x)")
def ratios() -> Iterator[Rule]:
    """A quotient of two functions that is a function; where the divisor has no bound, both may be infinite."""
    for s, c, t in quotient_ops():
        bounded = c.image is not None and bool(np.isfinite(c.image).all())
        options = {} if bounded else STABLE
        yield from quotients(f"{s.name}-over-{c.name}", s(x), c(x), t(x), **options)
        yield from quotients(f"{c.name}-over-{s.name}", c(x), s(x), reciprocal(t(x)), **options)
        yield from made(of_quotient(s, c, t))


@family("sum-of-squares", "c(x)**2 + s(x)**2 = 1 on a circle, c(x)**2 - s(x)**2 = 1 on a hyperbola")
def sum_of_squares() -> Iterator[Rule]:
    """The squares of both functions are 1 together, and one of them is 1 less the other, whose difference would cancel."""
    for k in curves():
        even, odd = k.squares
        name, other = f"{k.c.name}-squared", f"{k.s.name}-squared"
        yield from made(added_squares(k))
        yield from lessened(name, "one", 1, even, odd if k.is_circle else neg(odd), **STABLE)
        if k.is_circle:
            yield from lessened(other, "one", 1, odd, even, **STABLE)
        else:
            yield from differences(f"{name}-{other}", even, odd, fill(x, 1), **STABLE)


@family("double-angle", "2 s(x) c(x) = s(2 x), 2 c(x)**2 - 1 = c(2 x)", tags=["backward"])
def double_angle() -> Iterator[Rule]:
    """Twice the operand, which is exact but for the largest numbers."""
    for k in curves():
        yield from made(doubled(k), tags=["backward"])
        if k.is_circle:
            name, double = f"{k.c.name}-of-double-from-both", k.c(x * 2)
            yield from differences(name, *k.squares, double, tags=["backward"], **STABLE)


@family("half-angle", "s(x) / (1 + c(x)) = t(x / 2)", tags=["backward"])
def half_angle() -> Iterator[Rule]:
    """Quotients that cancel or overflow are the quotient at half the operand."""
    for k in curves():
        half = k.t(x * 0.5)
        yield from quotients(f"half-{k.t.name}", k.s(x), k.c(x) + 1, half, tags=["backward"], **STABLE)


@family(
    "on-curve",
    "c(arcs(x)) = sqrt((1 - x) (1 + x)) on a circle, hypot(1, x) on a hyperbola, and so for the others",
)
def on_curve() -> Iterator[Rule]:
    """One function of the inverse of another is a root: one coordinate of a point on the curve from the other, or from their quotient."""
    for k in curves():
        inverses = [OPS.find(d.undoes) for d in (k.s, k.c, k.t)]
        if None not in inverses:
            yield from made(from_inverses(k, *inverses))


def from_inverses(k: Curve, s: Any, c: Any, t: Any) -> Iterator[Law]:
    """The laws of the functions of a curve, of their inverses."""
    inside, beyond = sqrt((1 - x) * (1 + x)), sqrt(x - 1) * sqrt(x + 1)
    if k.is_circle:
        of_s, of_c, over = inside, inside, hypot(1, x)
        yield f"{k.t.name}-{s.name}", k.t(s(x)), x / of_s, OPEN
        yield f"{k.t.name}-{c.name}", k.t(c(x)), of_c / x, OPEN
    else:
        of_s, of_c, over = hypot(1, x), beyond, inside
        yield f"{k.s.name}-{t.name}", k.s(t(x)), x / over, OPEN
    yield f"{k.c.name}-{s.name}", k.c(s(x)), of_s, OPEN
    yield f"{k.s.name}-{c.name}", k.s(c(x)), of_c, {**OPEN, "tags": ["backward"]}
    yield f"{k.c.name}-{t.name}", k.c(t(x)), reciprocal(over), OPEN


def made(laws: Iterator[Law], **options: Any) -> Iterator[Rule]:
    """The rules of some laws."""
    yield from (rule(name, left, right, **promise, **options) for name, left, right, promise in laws)


RULES = [ratios, sum_of_squares, double_angle, half_angle, on_curve]
