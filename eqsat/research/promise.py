"""The tier of a candidate: what both sides have in common at special points says what a rule can promise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mpmath
import numpy as np

from eqsat.base.values import dataclass
from eqsat.research.fingerprints import dtypes_tried, special_points
from eqsat.research.said import ABOUT_VARIABLES, Said, inside
from eqsat.rules.fact import FACTS
from eqsat.rules.pattern import metas_of
from eqsat.rules.rule import Rule
from eqsat.verify.points import facts_of
from eqsat.verify.promises import same_bits
from eqsat.verify.sides import Floats, Point, Undefined, over_reals

REAL_DIGITS = 1000  # of which something is left of 1e308 + 1e-308, and of 1 + exp(-1000)
MODERATE = 1000.0
NEAR = {"float64": 1e-9, "float32": 1e-3}  # what is no nearer is looked at over the reals
LOOKED_AT = 6  # points at which the left side overflows that are looked at over the reals


@dataclass(frozen=True)
class Gains:
    """The differences of two sides at some points: in their bits, by a value that only one of them has, that it has where the other has none
    over the reals either, and by two values that are not one number over the reals."""

    exact: bool
    left: bool
    right: bool
    beyond: bool
    wrong: bool = False

    @property
    def tiers(self) -> tuple[str, ...]:
        """The tiers that a rule from left to right may have, the one that promises most first."""
        if self.left or self.wrong:
            return ()
        if self.exact:
            return ("exact",)
        return ("extends",) if self.beyond else ("stabilises",) if self.right else ("rounds", "stabilises")


def gains(rule: Rule, dtype: str, seed: int) -> Gains:
    """Compare both sides of a rule at special points, in both sizes of floats."""
    exact, left_gains, right_gains, beyond, wrong = True, False, False, False, False
    for kind in dtypes_tried(dtype):
        point, left, right = sides(rule, kind, seed)
        exact &= same_bits(left, right)
        if left.dtype.kind != "f":
            wrong |= not np.array_equal(left, right)
            continue
        number = ~np.any([np.isnan(v) for v in point.values.values()], axis=0)
        finite = np.all([np.isfinite(v) for v in point.values.values()], axis=0)
        has, had = np.isfinite(right), np.isfinite(left)
        left_gains |= bool(np.any(had & ~has & number))
        gained = has & ~had & number
        right_gains |= bool(np.any(gained))
        beyond |= bool(np.any(gained & ~finite)) or bool(np.any(finite & ~had & ~has & ~same(left, right)))
        beyond |= not all(overflows(rule, point, k, kind) for k in some(gained & moderate(point)))
        with np.errstate(all="ignore"):
            apart = has & had & finite & ~np.isclose(left, right, rtol=NEAR[kind], atol=0)
        wrong |= not all(really_equal(rule, point, k, kind) for k in some(apart))
    return Gains(exact, left_gains, right_gains, beyond, wrong)


def sides(rule: Rule, dtype: str, seed: int) -> tuple[Point, Any, Any]:
    """Special points for the variables of a rule, inside its condition, and the values of its sides there."""
    names = sorted(m.name for m in metas_of(rule.left))
    values = dict(zip(names, special_points(dtype, len(names), seed), strict=True))
    told = [(f, given) for f, given in facts_of(rule) if FACTS[f].operands in ABOUT_VARIABLES]
    mask = inside(tuple((meta.name, Said(f, tuple(numbers))) for f, (meta, *numbers) in told), values)
    point = Point({name: row[mask] for name, row in values.items()})
    with np.errstate(all="ignore"):
        both = [np.asarray(Floats(point, dtype, 1).run(side)) for side in (rule.left, rule.right)]
    left, right = np.broadcast_arrays(*both)
    return point, left, right


def moderate(point: Point) -> Any:
    """The elements of which no operand is so large that digits are too few to tell whether there is a real value."""
    return np.all([np.abs(v) <= MODERATE for v in point.values.values()], axis=0)


def same(left: Any, right: Any) -> Any:
    """The elements in which two sides are the same infinity, or neither is a number."""
    return (left == right) | (np.isnan(left) & np.isnan(right))


def some(mask: Any) -> Iterator[int]:
    """A few places of a mask, spread over it."""
    places = np.flatnonzero(mask)
    step = max(1, len(places) // LOOKED_AT)
    yield from places[::step].tolist()


def really_equal(rule: Rule, point: Point, k: int, dtype: str) -> bool:
    """True where both sides are one number over the reals, so that floats alone lose it; false where an op has no formula."""
    one = Point({name: v[k : k + 1] for name, v in point.values.items()})
    try:
        left, right = (value_over_reals(side, one, dtype) for side in (rule.left, rule.right))
    except (Undefined, OverflowError, MemoryError):
        return False
    if not (mpmath.isfinite(left) and mpmath.isfinite(right)):
        return True  # too large, or cancels in all digits: nothing is known
    return bool(abs(left - right) <= max(abs(left), abs(right)) * mpmath.mpf(10) ** -12)


def overflows(rule: Rule, point: Point, k: int, dtype: str) -> bool:
    """True where the left side has a value over the reals at a point, so that floats alone lose it."""
    one = Point({name: v[k : k + 1] for name, v in point.values.items()})
    try:
        return not mpmath.isnan(value_over_reals(rule.left, one, dtype))  # inf where digits are too few
    except (Undefined, OverflowError, MemoryError):
        return False


def value_over_reals(side: Any, one: Point, dtype: str) -> Any:
    """The real number that a side is at one point; a number of a rule between tensors has their axes, of length 1."""
    return np.ravel(over_reals(side, one, dtype, 1, REAL_DIGITS))[0]
