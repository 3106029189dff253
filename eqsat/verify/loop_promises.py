"""Does a rule on loops keep its promise? Instances of both sides are closed to scans, run, and compared.

A rule that is not ``exact`` is tried on whole numbers, of which sums have no error, and on numbers of ordinary size.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from eqsat.errors import EqsatError
from eqsat.graph.core import Constant, Variable
from eqsat.graph.loops import collect_op, depends, loop_op
from eqsat.graph.run import perform
from eqsat.graph.walk import toposort
from eqsat.rules.facts import FACTS
from eqsat.rules.pattern import Meta
from eqsat.rules.pattern_parts import term_size
from eqsat.rules.rule import Rule
from eqsat.scan.from_equations import close_scans
from eqsat.verify.instances import INNER, OUTER, Drawing
from eqsat.verify.points import Failure, facts_of
from eqsat.verify.sides import Array, NoSuchCall, Point, Undefined, sized_at_run_time

TRIES = 60  # for each instance
ROOM = 500.0  # units in the last place of the largest number, for results that are sums of several products


def loop_failures(rule: Rule, guarded: bool, count: int, seed: int, tally: Any) -> list[Failure]:
    """Instances inside the condition at which a rule on loops breaks its promise; at most three."""
    found: list[Failure] = []
    for drawn in instances(rule, TRIES * count, seed):
        wrong = complaint(drawn, guarded, tally)
        tally.points += wrong != UNUSABLE
        if wrong and wrong != UNUSABLE:
            found.append(Failure(rule, told(drawn), wrong))
        if len(found) == 3 or tally.points == count:
            break
    if not tally.points:
        found.append(Failure(rule, Point({}), "no instance was found at which the rule applies", True))
    return found


def loop_failures_outside(rule: Rule, count: int, seed: int) -> Iterator[Failure | None]:
    """For each instance outside the condition of a rule on loops: how its promise is broken, or None."""
    for drawn in instances(rule, TRIES * count, seed, inside=False):
        wrong = complaint(drawn, guarded=False)
        if wrong != UNUSABLE:
            yield Failure(rule, told(drawn), wrong) if wrong else None


def instances(rule: Rule, tries: int, seed: int = 0, inside: bool = True) -> Iterator[Drawing]:
    """Instances of a rule inside or outside of its condition, among so many that are drawn."""
    rng = np.random.default_rng([seed, *rule.name.encode()])
    for _ in range(tries):
        try:
            drawn = Drawing(rule, rng, inside)
        except (Undefined, EqsatError):
            continue
        if holds(drawn) == inside:
            yield drawn


class Seen(NamedTuple):
    """An operand of a condition in a drawn loop, with its facts."""

    shape: tuple[int | None, ...]  # as far as its type knows
    moves: bool
    steady: bool

    @property
    def ndim(self) -> int:
        """The number of its axes."""
        return len(self.shape)


def holds(drawn: Drawing) -> bool:
    """True for an instance inside the condition."""
    known = depends([drawn.left, *drawn.variables.values()], drawn.table)
    return all(_holds(drawn, known, fact, *args) for fact, args in facts_of(drawn.rule))


def _holds(drawn: Drawing, known: Any, fact: str, first: Any, *rest: Any) -> bool:
    operand: Any = drawn
    if isinstance(first, Meta):
        v: Any = drawn.variables[first.name]
        operand = Seen(v.type.shape, bool(known[v] >> INNER & 1), first.name not in drawn.uneven)
        if fact in ("filled_with_one", "zero"):
            if not isinstance(v, Constant):
                return False
            operand = v.data
    return bool(FACTS[fact].holds(operand, *rest))


# ---------------------------------------------------------------------------------------------------- judgement

UNUSABLE = "the rule does not apply"


def complaint(drawn: Drawing, guarded: bool, tally: Any = None) -> str | None:
    """The fault of the right side of an instance; None if there is none."""
    try:
        right = drawn.run(drawn.rule.right)
    except NoSuchCall:
        return UNUSABLE
    except Undefined as error:
        return f"the right side cannot be built: {error}"
    left, masks = drawn.left, [v.type.broadcastable for v in (drawn.left, right)]
    if guarded and masks[0] != masks[1]:
        return UNUSABLE
    less = sized_at_run_time(drawn.rule.right) and all(a or not b for a, b in zip(*masks, strict=False))
    if left.type.dtype != right.type.dtype or (masks[0] != masks[1] and not less):
        return f"the types differ: left {left.type}, right {right.type}"
    return ill_formed(drawn, left, right) or different(drawn, left, right, tally)


def ill_formed(drawn: Drawing, left: Any, right: Any) -> str | None:
    """The reason why the right side is no value of the place of the left side."""
    known = depends([left, right], drawn.table)
    if known[right] & ~known[left]:
        return "the right side depends on the time of a loop, the left side does not"
    for node in toposort([right]):
        if loop_op(node.outputs[0]) == "elem" and known[node.inputs[0]] >> node.op.params["loop"] & 1:  # type: ignore[attr-defined]
            return "rows are taken of what depends on the time of the same loop"
    return None


def different(drawn: Drawing, left: Any, right: Any, tally: Any = None) -> str | None:
    """The difference between the values of two sides, in words."""
    values = []
    for side in (left, right):
        try:
            values.append(computed(drawn, side, known_bits=depends([left], drawn.table)[left]))
        except (EqsatError, ArithmeticError, IndexError, MemoryError, TypeError, ValueError) as error:
            if not values or not drawn.steps:  # what no step computes is not looked at on the left
                return UNUSABLE
            return f"only the left side can be computed: {error}"
    a, b = values
    if a.shape != b.shape or a.dtype != b.dtype:
        return f"left is {a.dtype}{a.shape}, right is {b.dtype}{b.shape}"
    if not close(drawn, a, b):
        return f"left {a.tolist()}, right {b.tolist()}"
    if tally is not None and drawn.rule.tier != "exact" and a.dtype.kind == "f":
        tally.see(distance(a, b))
    return None


def distance(a: Array, b: Array) -> float:
    """The largest difference of two values, in units of the last place of the largest number in them."""
    good = np.isfinite(a) & np.isfinite(b)
    with np.errstate(all="ignore"):
        size = np.max(np.maximum(np.abs(a), np.abs(b)), where=good, initial=0.0)
        return float(np.max(np.abs(a - b), where=good, initial=0.0) / np.spacing(size))


def close(drawn: Drawing, a: Array, b: Array) -> bool:
    """True for values that differ by no more than the tier of the rule allows."""
    same = (a == b) | (np.isnan(a) & np.isnan(b)) if a.dtype.kind == "f" else a == b
    if drawn.rule.tier == "exact" or a.dtype.kind != "f":
        signs = np.signbit(a) == np.signbit(b) if a.dtype.kind == "f" else True
        return bool(np.all(same & (signs | (a != 0))))
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(a), np.abs(b))
        if drawn.whole:
            allowed = (4.0 + 2.0 * (term_size(drawn.rule.left) + term_size(drawn.rule.right))) * np.spacing(
                size
            )
        else:
            largest = np.nanmax(np.where(np.isfinite(size), size, 0), initial=1)
            allowed = ROOM * np.finfo(a.dtype).eps * largest
        return bool(np.all(same | (np.abs(a - b) <= allowed)))


def computed(drawn: Drawing, side: Any, known_bits: int) -> Array:
    """The value of a side: at all steps where it depends on time."""
    if known_bits >> INNER & 1:
        side = collect_op(side, drawn.n, loop=INNER, open=drawn.open)
    if known_bits >> OUTER & 1:
        side = collect_op(side, drawn.table.loops[OUTER].n_steps, loop=OUTER, open=0)
    (closed,) = close_scans([side], drawn.table)
    values: dict[Variable, Array] = dict(drawn.given)
    for node in toposort([closed]):
        inputs = [v.data if isinstance(v, Constant) else values[v] for v in node.inputs]
        store: list[list[Any]] = [[None] for _ in node.outputs]
        with np.errstate(all="ignore"):
            perform(node, inputs, store)
        values.update({out: cell[0] for out, cell in zip(node.outputs, store, strict=True)})
    return np.asarray(closed.data if isinstance(closed, Constant) else values[closed])


def told(drawn: Drawing) -> Point:
    """The values and parameters of an instance, for the text of a failure."""
    return Point({str(v.name): value for v, value in drawn.given.items()}, drawn.point.params)
