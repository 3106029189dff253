"""Does a rule keep its promise? Both sides are compared as its tier says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import mpmath
import numpy as np

from eqsat.base.values import dataclass
from eqsat.rules.pattern import Meta, metas_of, subterms
from eqsat.rules.pattern_parts import term_size
from eqsat.rules.rule import PARTIAL, Rule
from eqsat.verify.instances import is_loop_rule
from eqsat.verify.loop_promises import loop_failures, loop_failures_outside
from eqsat.verify.points import Failure, is_elementwise, points, uniform_metas
from eqsat.verify.ranges import leaves_range
from eqsat.verify.sides import (
    DIGITS,
    ROOM,
    Array,
    Floats,
    Graph,
    NoSuchCall,
    Point,
    Reals,
    Undefined,
    lift,
    over_reals,
    sized_at_run_time,
)

SPARE = 6  # points are drawn for each at which both sides have a type


@dataclass
class Tally:
    """Counts over the points of one rule.

    Units    ``worst`` in units of the last place: the largest error of a right side, against real arithmetic where the
             sides are apart and against the left side elsewhere
    """

    points: int = 0
    worst: float | None = None
    proved: int = 0  # elements of a loose rule at which both sides are one real number

    def see(self, ulps: float) -> None:
        """Count the error of a right side."""
        self.worst = max(self.worst or 0.0, float(ulps))


def check_types(rule: Rule, point: Point, guarded: bool) -> tuple[Any, str | None]:
    """The left side's variable, or None where the rule does not apply; and what is wrong with the right side."""
    graph = Graph(point)
    try:
        left = graph.run(rule.left)
        for other, _ in rule.others:
            graph.run(other)
    except (Undefined, AssertionError):
        return None, None
    graph.root_dtype, graph.root_ndim = left.type.dtype, left.type.ndim
    try:
        right = graph.run(rule.right)
    except NoSuchCall:
        return None, None
    except Undefined as error:
        return (
            (left, f"the right side cannot be built: {error}")
            if has_value(rule.left, point)
            else (None, None)
        )
    masks = [tuple(n == 1 for n in v.type.shape) for v in (left, right)]
    if guarded and masks[0] != masks[1]:
        return None, None
    known = knows_as_much(right.type.shape, left.type.shape) or sized_at_run_time(rule.right)
    if left.type.dtype != right.type.dtype or left.type.ndim != right.type.ndim or not known:
        hint = f"; try fill({model}, {rule.right})" if (model := filling_of(rule)) else ""
        return left, f"the types differ: left {left.type}, right {right.type}{hint}"
    return left, None


def has_value(side: Any, point: Point) -> bool:
    """True where a call of a side returns, and does not refuse what it is given."""
    try:
        Floats(point).run(side)
    except Undefined:
        return False
    return True


def filling_of(rule: Rule) -> str:
    """A metavariable of the left side whose shape a right side of numbers alone could have; no text for any other rule."""
    if metas_of(rule.right) or not is_elementwise(rule):
        return ""
    return next((str(m) for m in subterms(rule.left) if isinstance(m, Meta)), "")


def knows_as_much(right: Any, left: Any) -> bool:
    """True for the shape of a right side that has every length known on the left; it may know more."""
    return len(left) == len(right) and all(n is None or n == m for n, m in zip(left, right))


def find_failures(
    rule: Rule,
    guarded: bool,
    count: int = 26,
    seed: int = 0,
    tally: Tally | None = None,
    all_outputs: bool = True,
) -> list[Failure]:
    """Points inside the condition at which the rule breaks its promise; at most three. Empty for a good rule.

    A rule on loops is tried on drawn loops, see ``eqsat/verify/instances.py``.

    >>> from eqsat.rules.rule import all_rules
    >>> from eqsat.verify import find_failures
    >>> find_failures(all_rules()["log-exp"], guarded=True, count=4)
    []
    """
    tally = Tally() if tally is None else tally
    if is_loop_rule(rule):
        return loop_failures(rule, guarded, count, seed, tally)
    if rule.others and all_outputs:
        turned = [rule.turned(k) for k in range(len(rule.pairs))]
        return [
            replace(f, why=f"output {k}: {f.why}")
            for k, one in enumerate(turned)
            for f in find_failures(one, guarded, count, seed, tally, all_outputs=False)
        ][:3]
    found: list[Failure] = []
    before, numbers = tally.points, dict[str, bool]()
    for point in points(rule, SPARE * count, seed):
        left, wrong = check_types(rule, point, guarded)
        if left is None:
            continue
        tally.points += 1
        for name, v in point.values.items():
            numbers[name] = numbers.get(name, False) or bool(np.any(v == v))
        wrong = wrong or compare(rule, point, left.type.dtype, left.type.ndim, tally)
        if wrong:
            found.append(narrowed(Failure(rule, point, wrong), left.type))
        if len(found) == 3 or tally.points - before == count:
            break
    if PARTIAL in rule.tags and not found and not tally.proved:
        found.append(Failure(rule, Point({}), "the right side has a value at no point", True))
    if tally.points == before:
        found.append(Failure(rule, Point({}), "no point was found at which the rule applies", True))
    elif not all(numbers.values()):
        empty = ", ".join(name for name, some in numbers.items() if not some)
        found.append(Failure(rule, Point({}), f"no point fits the condition: no number {empty} does", True))
    return found


def breaks_outside(rule: Rule, count: int = 400, seed: int = 1) -> bool:
    """True where a point outside the condition is found at which the promise does not hold.

    Another type counts, and so does a number on the right where there is none on the left.

    >>> from eqsat.rules.rule import all_rules
    >>> from eqsat.verify import breaks_outside
    >>> breaks_outside(all_rules()["exp-log"])
    True
    """
    return any(failure is not None for failure in failures_outside(rule, count, seed))


def failures_outside(rule: Rule, count: int = 400, seed: int = 1) -> Iterator[Failure | None]:
    """For each point outside the condition: how the promise is broken there, or None."""
    if is_loop_rule(rule):
        yield from loop_failures_outside(rule, count, seed)
        return
    for point in points(rule, count, seed, inside=False):
        left, wrong = check_types(rule, point, guarded=False)
        if left is None:
            continue
        dtype, ndim = left.type.dtype, left.type.ndim
        if not wrong and gives_numbers(rule, point, dtype, ndim):
            wrong = "the left side is no number, the right side is one"
        wrong = wrong or compare(rule, point, dtype, ndim, Tally())
        yield narrowed(Failure(rule, point, wrong), left.type) if wrong else None


def narrowed(failure: Failure, kind: Any) -> Failure:
    """The failure at one element alone, where one element alone shows it."""
    rule, point = failure.rule, failure.point
    if not is_elementwise(rule) or None in kind.shape:
        return failure
    for index in np.ndindex(kind.shape):
        small, _ = restricted(rule, point, index, kind.shape)
        wrong = compare(rule, small, kind.dtype, kind.ndim, Tally())
        if wrong:
            return Failure(rule, small, wrong.removesuffix(f" [{small}]"))
    return failure


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


def compare(rule: Rule, point: Point, dtype: str, ndim: int, tally: Tally) -> str | None:
    """The fault of the values of the right side at a point; None if there is none."""
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
    if wrong := leaves_range(rule, left, right):
        return wrong
    if rule.tier == "exact":
        return None if same_bits(left, right) else f"left {left.tolist()}, right {right.tolist()}"
    return compare_rounded(rule, point, left, right, tally)


def same_bits(a: Array, b: Array) -> bool:
    """Equal but for the payload of NaN."""
    if a.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    nan = np.isnan(a) & np.isnan(b)
    return bool(np.all(nan | ((a == b) & (np.signbit(a) == np.signbit(b)))))


def tolerance(rule: Rule) -> float:
    """Units in the last place that a right side may be off by itself."""
    return 4.0 + 2.0 * (term_size(rule.left) + term_size(rule.right))


def compare_rounded(rule: Rule, point: Point, left: Array, right: Array, tally: Tally) -> str | None:
    """Compare float results by the tier's promise, over the reals where they are not close."""
    allowed = tolerance(rule)
    if left.dtype.kind != "f":
        suspects = list(np.argwhere(left != right))
    else:
        with np.errstate(all="ignore"):
            apart = np.abs(left - right) / np.spacing(np.maximum(np.abs(left), np.abs(right)))
            near = apart <= allowed
            tally.see(np.max(apart, where=near & np.isfinite(left), initial=0.0))
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
            wrong = judge(rule, small, at, left[index], right[index], digits, tally)
            if not wrong:
                break
        if wrong:
            return f"{wrong} [{small}]" if small is not point else wrong
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
    return replace(point, values=values), (0,) * len(index)


def judge(
    rule: Rule, point: Point, at: tuple[int, ...], left: Any, right: Any, digits: int, tally: Tally
) -> str | None:
    """The fault of one element of the right side, measured against real arithmetic."""
    dtype, ndim, allowed = left.dtype.name, len(at), tolerance(rule)
    values = [v for v in point.values.values() if v.dtype.kind == "f"]
    if not all(np.isfinite(v).all() for v in values):
        lost = loses_infinity(rule, left, right)
        return f"an infinite operand gives {left!r} on the left, {right!r} on the right" if lost else None
    if "backward" in rule.tags or rule.tier == "loose":
        low, high = ROOM.get(dtype, ROOM["float64"])
        with np.errstate(over="ignore"):  # float16 does not hold these
            if any(np.any((v != 0) & ((np.abs(v) < low) | (np.abs(v) > high))) for v in values):
                return None
    try:
        real = over_reals(rule.left, point, dtype, ndim, digits, float(right))[at]
    except Undefined:
        return f"left {left!r}, right {right!r}, and no formula over the reals"
    if mpmath.isinf(real) and digits < DIGITS[-1]:  # the left side cancels: more digits may tell
        return judge(rule, point, at, left, right, DIGITS[-1], tally)
    if not mpmath.isfinite(real):
        return None
    if rule.tier == "loose":
        other = over_reals(rule.right, point, dtype, ndim, digits, real)[at]
        if mpmath.isinf(other):  # the right side cancels: more digits may tell
            more = DIGITS[-1]
            return judge(rule, point, at, left, right, more, tally) if digits < more else None
        if mpmath.isfinite(other) and abs(other - real) <= abs(real) * mpmath.mpf(10) ** -12:
            tally.proved += 1
            return None
        if PARTIAL in rule.tags and mpmath.isnan(other):
            return None
        found = mpmath.nstr(other, 17) if mpmath.isfinite(other) else "nothing"
        return f"over the reals {mpmath.nstr(real, 17)} on the left, {found} on the right"
    if left.dtype.kind != "f":
        return None if right == real else f"left {left}, right {right}, really {real}"
    if abs(real) > float(np.finfo(dtype).max):
        return None
    mine, theirs = error(right, real), error(left, real)
    if mine <= max(theirs, allowed) or (rule.tier == "stabilises" and mine <= 2 * theirs + allowed):
        tally.see(mine)
        return None
    if "backward" in rule.tags or rule.tier == "stabilises":
        mine -= slack(rule, point, at, dtype, real, digits)
        if mine <= max(theirs, allowed):
            tally.see(max(mine, 0.0))
            return None
    return f"left {left!r} is off by {theirs:.3g} ulp, right {right!r} by {mine:.3g}; really {mpmath.nstr(real, 20)}"


def loses_infinity(rule: Rule, left: Any, right: Any) -> bool:
    """True where an infinite operand gives a number on the left that the right side should have too, and has not.

    Of the NaN that it has instead, rules that extend or cancel would make another number. Where a side rounds, as
    ``exp(1e-17) ** inf``, the right side may be what is right.
    """
    if rule.tier == "loose" or not np.isfinite(left):
        return False
    if "backward" in rule.tags or rule.tier == "stabilises":
        return bool(np.isnan(right)) and is_elementwise(rule)
    left, right = float(left), float(right)
    return not (np.isfinite(right) and abs(left - right) <= 1e-3 * abs(left) + 1e-6)


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
