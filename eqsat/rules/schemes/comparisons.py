"""Laws of comparisons, each of which is known by the orders of two numbers in which it holds: below, equal, above, or none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from eqsat.base.values import dataclass
from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.ops.cast import cast_op
from eqsat.graph.ops.elemwise import abs, and_, fill, invert, neg, or_, switch
from eqsat.rules.condition import Condition
from eqsat.rules.facts import (
    above,
    above_all,
    at_least,
    below,
    differ,
    finite,
    one_dtype,
    short,
    single,
    tame,
    varies,
    widens,
)
from eqsat.rules.pattern import Meta, Value, anything, bools, numbers, parameters, reals, value
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.groups import brief, groups, inverse_of, symbol
from eqsat.rules.schemes.operands import joined, sees
from eqsat.rules.schemes.scheme import family

a, b, c = anything("a b c")
p, dtype = bools("p"), parameters("d")
x, y, number = reals("x y c")
v, w = numbers("x y")

Orders = tuple[bool, ...]  # whether it holds where x < y, x = y, x > y, and where one of them is NaN
Made = Callable[[Any, Any], Any]


def compares(d: Declaration) -> bool:
    """True for an op that compares two operands."""
    return d.compares and sees(d) and len(d.tensors) == 2


def comparisons() -> list[Declaration]:
    """The ops that compare two operands."""
    return [d for d in OPS.values() if compares(d)]


def orders(d: Declaration) -> Orders:
    """The orders in which a comparison holds."""
    return orders_of(d.meaning)


@cache
def orders_of(meaning: Callable[..., Any]) -> Orders:
    """The orders in which a function of two arrays is true."""
    left, right = np.array([0.0, 0.0, 1.0, np.nan]), np.array([1.0, 0.0, 0.0, np.nan])
    return tuple(map(bool, meaning(left, right)))


def turned(held: Orders) -> Orders:
    """The orders of the operands in the opposite order."""
    below, equal, above, none = held
    return above, equal, below, none


def mirror(d: Declaration) -> Declaration | None:
    """The comparison of the operands in the opposite order, where that is another."""
    return next((o for o in comparisons() if o is not d and orders(o) == turned(orders(d))), None)


def first() -> list[Declaration]:
    """One comparison of each two that are mirrors; the other one is turned into it."""
    found: list[Declaration] = []
    for d in comparisons():
        if mirror(d) not in found:
            found.append(d)
    return found


def ordered() -> list[tuple[str, Made, Orders]]:
    """Comparisons of x and y and of y and x, each once: its name, how it is made, and its orders."""
    plain = [(d.name, _of(d), orders(d)) for d in first()]
    flipped = [(f"{d.name}-turned", _of(d, True), turned(orders(d))) for d in first() if not d.commutative]
    return plain + flipped


def _of(d: Declaration, flip: bool = False) -> Made:
    return lambda v, w: d(w, v) if flip else d(v, w)


def holding(
    held: Orders, known: list[tuple[str, Made, Orders]], a: Any = a, b: Any = b
) -> tuple[Any, Condition | None] | None:
    """The comparison or truth value that holds of a and b in some orders, and its condition: no NaN where that makes a difference."""
    constant = [(bool(k), (bool(k),) * 4) for k in (0, 1)]
    able = [
        found for found in [*constant, *((make(a, b), o) for _, make, o in known)] if found[1][:3] == held[:3]
    ]
    if not able:
        return None
    made, other = min(able, key=lambda found: found[1] != held)
    operands = [v for v in (a, b) if isinstance(v, Meta)]
    return made, None if other == held else joined(*map(finite, operands))


@dataclass(frozen=True)
class OfTwo:
    """A function of two operands: how it is written, and its meaning on arrays."""

    of: Made
    meaning: Made


def compared(word: str, d: Declaration, f: OfTwo, g: OfTwo, a: Any, b: Any) -> Iterator[Rule]:
    """The rules on a comparison of functions of a and b, or the other way round, by the orders of a and b in which it holds."""
    for end, one, two in (("", f, g), ("-turned", g, f))[: 1 if d.commutative else 2]:
        found = holding(orders_of(both(d, one, two)), ordered(), a, b)
        if found is not None:
            left = d(one.of(a, b), two.of(a, b))
            right = fill(left, int(found[0])) if isinstance(found[0], bool) else found[0]
            yield rule(f"{d.name}{end}-{word}", left, right, tier="exact", when=found[1])


def both(d: Declaration, f: OfTwo, g: OfTwo) -> Made:
    """The meaning of a comparison of two functions."""
    return lambda v, w: d.meaning(f.meaning(v, w), g.meaning(v, w))


FIRST = OfTwo(lambda a, b: a, lambda a, b: a)


@family("turned-comparison", "x < y = y > x", among=compares)
def turned_comparison() -> Iterator[Rule]:
    """A comparison is its mirror with the operands in the opposite order."""
    for d in comparisons():
        other = mirror(d)
        if other is not None:
            yield rule(f"{d.name}-{other.name}", d(a, b), other(b, a), tier="exact")


@family("comparison-with-itself", "x <= x = true, x < x = false", among=compares)
def comparison_with_itself() -> Iterator[Rule]:
    """A comparison of equal operands is known; of NaN it may be another."""
    for d in first():
        _, equal, _, none = orders(d)
        when = None if equal == none else finite(a)
        yield rule(f"{d.name}-self", d(a, a), fill(a, int(equal)), tier="exact", when=when)


@family("known-comparison", "x < y = false, x > y = true where x and y lie apart", among=compares)
def known_comparison() -> Iterator[Rule]:
    """A comparison of what lies apart is known; true it is only of numbers, where NaN makes a difference."""
    for name, make, (_, equal, over, none) in ordered():
        when = at_least(a, b) if equal == over else above_all(a, b)
        when = when if over == none else when & finite(a) & finite(b)
        left = make(a, b)
        yield rule(f"{name}-known", left, fill(left, int(over)), tier="exact", when=when, grows=False)


@family("negated-comparison", "not x < y = y <= x", among=lambda d: d.name == invert.name)
def negated_comparison() -> Iterator[Rule]:
    """A comparison that does not hold is another one that does."""
    known = ordered()
    for d in first():
        found = holding(tuple(not held for held in orders(d)), known)
        if found is not None:
            yield rule(f"not-{d.name}", invert(d(a, b)), found[0], tier="exact", when=found[1])


def pairs(known: list[tuple[str, Made, Orders]]) -> Iterator[tuple[str, Any, Any, Orders, Orders]]:
    """Two comparisons of a and b: their names and orders; each pair once, whichever operand comes first."""
    turnable = {name: turned(held) != held for name, _, held in known}
    for k, (name, one, held) in enumerate(known):
        for other, two, also in known[k + 1 :]:
            if not name.endswith("-turned") and (turnable[name] or not other.endswith("-turned")):
                yield f"{name} {other}", one(a, b), two(a, b), held, also


@family(
    "joined-comparisons",
    "x < y or x = y = x <= y, x <= y and y <= x = x = y, and so for other pairs",
    among=lambda d: d.name in (and_.name, or_.name),
)
def joined_comparisons() -> Iterator[Rule]:
    """Two comparisons of the same operands hold in the orders in which both do, or either."""
    known = ordered()
    for op, join in ((and_, np.logical_and), (or_, np.logical_or)):
        for names, one, two, held, also in pairs(known):
            found = holding(tuple(map(bool, join(held, also))), known)
            if found is not None:
                right = fill(one, int(found[0])) if isinstance(found[0], bool) else found[0]
                name = names.replace(" ", f"-{op.name}-")
                yield rule(name, op(one, two), right, tier="exact", when=found[1])


@family(
    "comparisons-of-extremes",
    "x < z and y < z = max(x, y) < z, z < x and z < y = z < min(x, y)",
    among=lambda d: d.name in (and_.name, or_.name),
)
def comparisons_of_extremes() -> Iterator[Rule]:
    """The larger or the smaller of two operands compares with a third as both of them do, or either, but where one is NaN."""
    for d in first():
        if d.chooses in OPS:
            one = OPS[d.chooses]
            other = OPS[one.opposite]
            for end, two, extreme, opposite in (
                ("", (d(a, c), d(b, c)), d(other(a, b), c), d(one(a, b), c)),
                ("-turned", (d(c, a), d(c, b)), d(c, one(a, b)), d(c, other(a, b))),
            ):
                known = differ(a, b)
                for word, left, right, when in (
                    ("both", and_(*two), extreme, known),
                    ("either", or_(*two), opposite, known & finite(a) & finite(b)),
                ):
                    yield rule(f"{word}-{d.name}{end}", left, right, tier="exact", when=when)


@family(
    "comparison-beside-extreme",
    "max(x, y) < x = false, x < max(x, y) = x < y, x = max(x, y) = y <= x, and so for other comparisons",
    among=compares,
)
def comparison_beside_extreme() -> Iterator[Rule]:
    """The larger or the smaller of two operands compares with one of them as the other one does."""
    for d in first():
        for e in [e for e in OPS.values() if e.ordered == "values" and e.idempotent and sees(e)]:
            yield from compared(f"of-{e.name}-beside", d, OfTwo(e, e.meaning), FIRST, a, b)


def own_of(f: Declaration) -> OfTwo:
    """A function of the first operand, beside the second one, which is 0."""
    return OfTwo(lambda v, w: f(v), lambda v, w: f.meaning(v - w))


@family(
    "comparison-with-own-size",
    "x < abs(x) = x < 0, x < -x = x < 0, and so for other comparisons",
    among=compares,
)
def comparison_with_own_size() -> Iterator[Rule]:
    """An operand compares with its size or its negative as it does with 0."""
    for d in first():
        for f in (OPS[abs.name], OPS[neg.name]):
            yield from compared(f"of-own-{f.name}", d, own_of(f), OfTwo(FIRST.of, np.subtract), x, 0)


@family(
    "comparisons-with-two",
    "x < y or x < z = x < z, x < y and z < x = false, and so for other pairs, where y < z",
    among=lambda d: d.name in (and_.name, or_.name),
)
def comparisons_with_two() -> Iterator[Rule]:
    """Two comparisons of one operand, of which one implies or excludes the other, by the intervals of what it is compared with."""
    known = ordered()
    for op, join in ((and_, np.logical_and), (or_, np.logical_or)):
        for (name, one, held), (other, two, also) in product(known, repeat=2):
            first_of, second_of = places(held, (0, 1, 2, 2, 2)), places(also, (0, 0, 0, 1, 2))
            both = tuple(map(bool, join(first_of, second_of)))
            left = op(one(c, a), two(c, b))
            right = next(
                (
                    right
                    for right, truth in (
                        (one(c, a), first_of),
                        (two(c, b), second_of),
                        (fill(left, 0), (False,) * 6),
                        (fill(left, 1), (True,) * 6),
                    )
                    if truth == both
                ),
                None,
            )
            if right is not None:
                ends = finite(a) & finite(b) & above_all(b, a)
                yield rule(f"{name}-{op.name}-{other}-above", left, right, tier="exact", when=ends)


def places(held: Orders, where: Sequence[int]) -> tuple[bool, ...]:
    """The truth of a comparison with one of two numbers below, at, between, at and above them, and of NaN."""
    return (*(held[k] for k in where), held[3])


@family(
    "comparison-of-mask",
    "mask = 1, 0 < mask and the like are the truth value or its negation",
    among=compares,
)
def comparison_of_mask() -> Iterator[Rule]:
    """A comparison of a truth value, perhaps converted to a number, with 0 or 1."""
    for name, make, held in ordered():
        for number in (0, 1):
            no, yes = held[1:3] if number == 0 else held[:2]
            if no != yes:
                right = p if yes else invert(p)
                end = f"and-{('zero', 'one')[number]}"
                for word, mask in (("mask", cast_op(p, dtype=dtype)), ("truth", p)):
                    yield rule(f"{name}-of-{word}-{end}", make(mask, number), right, tier="exact")


@family(
    "comparison-of-casts",
    "cast(x) < cast(y) = x < y where the dtype holds all values of x and y",
    among=compares,
)
def comparison_of_casts() -> Iterator[Rule]:
    """Operands converted to a dtype that holds all their values compare as before."""
    for d in comparisons():
        left = d(cast_op(a, dtype=dtype), cast_op(b, dtype=dtype))
        when = one_dtype(a, b) & widens(a, dtype)
        yield rule(f"{d.name}-of-casts", left, d(a, b), tier="exact", when=when)


@family(
    "choice-by-comparison",
    "switch(x > 0, x, -x) = abs(x), switch(x = y, x, y) = y",
    among=lambda d: d.name == switch.name,
)
def choice_by_comparison() -> Iterator[Rule]:
    """A choice between a number and its negative by its sign is its size, one between equal numbers is either."""
    for d in comparisons():
        below, equal, above, _ = orders(d)
        if d.chooses in OPS:
            sides = (v, neg(v)) if above else (neg(v), v)
            name, left, right = f"abs-from-{d.name}", switch(d(v, 0), *sides), abs(v)
        elif below == above != equal:
            name, left, right = f"same-from-{d.name}", switch(d(v, w), v, w), w if equal else v
        else:
            continue
        yield rule(name, left, right, tier="extends")


@family("comparison-of-difference", "x - y < 0 = x < y, x + c < 0 = x < -c", among=compares)
def comparison_of_difference() -> Iterator[Rule]:
    """A difference compares with the neutral number as its operands do: it is that number only where they are equal.

    Of equal infinities the difference is no number.
    """
    for g in [g for g in groups() if not OPS[g.inverse].poles and symbol(OPS[g.inverse])]:
        z, e = OPS[g.inverse], g.neutral
        for d in comparisons():
            _, equal, _, none = orders(d)
            when = None if equal == none else finite(x)
            less, known = Value(symbol(z), (e, value(number))), varies(x) & single(number)
            for end, left, right, condition in (
                (brief(z), z(x, y), d(x, y), when),
                (f"{brief(g)}-number", g(x, number), d(x, less), joined(known, when)),
            ):
                yield rule(f"{d.name}-of-{end}", d(left, e), right, tier="exact", when=condition)


@family(
    "comparison-with-number",
    "x + c < k = x < k - c, c - x < k = c - k < x, -x < k = -k < x, x * c < k = x < k / c, and so for other comparisons",
    among=compares,
)
def comparison_with_number() -> Iterator[Rule]:
    """A number joined to an operand is taken from the other side, where that is short: rounding may have lost the order of long ones."""
    n, k = value(number), Meta("k", "float")
    for g in [g for g in groups() if g.numbers and symbol(g) and symbol(OPS[g.inverse])]:
        z, (i, exact) = OPS[g.inverse], inverse_of(g)
        taken, rested = Value(symbol(z), (value(k), n)), Value(symbol(z), (n, value(k)))
        ways: list[tuple[str, Any, Any, bool, Condition | None]] = []  # and whether the order stays
        if z.poles:
            ways += [
                (f"{g.name}-positive", g(x, number), taken, True, tame(n) & above(n, 0)),
                (f"{g.name}-negative", g(x, number), taken, False, tame(n) & below(n, 0)),
            ]
        else:
            ways += [(g.name, g(x, number), taken, True, None), (z.name, z(number, x), rested, False, None)]
        if i is not None and exact:
            ways += [(i.name, i(x), Value(symbol(z), (g.neutral, value(k))), False, None)]
        for (name, make, held), (end, of, rest, stays, known) in product(ordered(), ways):
            if turned(held) != held:
                right = make(x, rest) if stays else make(rest, x)
                numbers_known = single(k) if of.op == getattr(i, "name", "") else single(k) & single(number)
                when = joined(varies(x), numbers_known, short(rest), known)
                # within limits: a comparison goes on through all levels of a deep graph
                left = make(of, k)
                yield rule(
                    f"{name}-of-{end}-and-number", left, right, tier="stabilises", when=when, grows=True
                )


RULES = [
    turned_comparison,
    comparison_with_itself,
    known_comparison,
    negated_comparison,
    joined_comparisons,
    comparisons_of_extremes,
    comparison_beside_extreme,
    comparison_with_own_size,
    comparisons_with_two,
    comparison_of_mask,
    comparison_of_casts,
    choice_by_comparison,
    comparison_of_difference,
    comparison_with_number,
]
