"""Laws of functions: odd and even ones, inverse pairs, operations turned into others, monotone ones under what orders elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.ops.elemwise import abs, neg, sign, sub
from eqsat.graph.properties import Monotone, additive, keeps_zeros, monotone, of_parity, turns
from eqsat.rules.condition import Condition
from eqsat.rules.facts import among, apart, differ, finite, invariant, met, not_above, not_below, single
from eqsat.rules.pattern import Meta, alone, numbers, parameters, reals, value
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.operands import (
    applied,
    applied_to,
    declared,
    inside,
    is_inside,
    joined,
    operands,
    sees,
)
from eqsat.rules.schemes.scheme import scheme
from eqsat.rules.spellings import where_defined

x, y, z = reals("x y z")
axes, axis = parameters("axes axis")

# ------------------------------------------------------------------------------------------ odd, even, inverse


def once(d: Declaration, names: Iterator[str] | list[str]) -> list[str]:
    """Operands by name; one of those that commute stands for all."""
    return list(dict.fromkeys(names))[: 1 if d.commutative else None]


def beside(d: Declaration, operand: str) -> str:
    """The part of a rule's name that names the operand it is about, where there are several."""
    return "" if len(d.tensors) == 1 else f"-in-{operand}"


def signed(d: Declaration) -> str:
    """The tier of a rule on signs of operands."""
    return "exact" if keeps_zeros(d) else "extends"


@scheme(
    "odd",
    "f(-x) = -f(x)",
    holds=lambda d: sees(d) and any(of_parity(d, "odd")),
    needs=lambda op: [(op, "neg"), (op, "sub")],
)
def odd(d: Declaration) -> Iterator[Rule]:
    """The sign goes out of each operand in which the op is odd."""
    domain = numbers if set(additive(d)) >= set(d.tensors) else reals  # integers wrap in one way
    for t in once(d, of_parity(d, "odd")):
        given = operands(d, domain)
        left, right = applied_to(d, given, **{t: neg(given[t])}), neg(applied_to(d, given))
        laws = [(f"{d.name}-of-neg{beside(d, t)}", left, right, signed(d))]
        if len(d.tensors) == 1 and not d.poles:  # of equal operands the zero has another sign
            laws += [(f"neg-{d.name}-of-sub", neg(d(sub(x, y))), d(sub(y, x)), "extends")]
        for name, left, right, tier in laws if d.name != "neg" else ():  # which is its own inverse
            yield rule(name, left, right, tier=tier)


def keeps_signs(d: Declaration) -> bool:
    """True for a function of one operand that is odd and increases, so that it has the sign of the operand."""
    one_operand = sees(d) and len(d.tensors) == 1 and any(of_parity(d, "odd"))
    return one_operand and any(m.rises and m.strict and not m.signs for m in monotone(d))


@scheme(
    "signs-kept",
    "abs(f(x)) = f(abs(x)), sign(f(x)) = sign(x) for odd f that increases",
    holds=keeps_signs,
    needs=lambda op: [("abs", op), ("sign", op)],
)
def signs_kept(d: Declaration) -> Iterator[Rule]:
    """The sign of an operand passes to the result."""
    for f, right, tier in ((abs, d(abs(x)), signed(d)), (sign, sign(x), "stabilises")):
        yield rule(f"{f.name}-of-{d.name}", f(d(x)), right, tier=tier)


@scheme(
    "even",
    "f(-x) = f(x) = f(abs(x))",
    holds=lambda d: sees(d) and any(of_parity(d, "even")),
    needs=lambda op: [(op, "neg"), (op, "abs"), (op, "sub")],
)
def even(d: Declaration) -> Iterator[Rule]:
    """The sign of an operand does not matter."""
    for t in once(d, of_parity(d, "even")):
        given, end = operands(d), beside(d, t)
        plain = applied_to(d, given)
        for f in (neg, abs):
            left = applied_to(d, given, **{t: f(given[t])})
            yield rule(f"{d.name}-of-{f.name}{end}", left, plain, tier=signed(d))
        if len(d.tensors) == 1:
            yield rule(f"{d.name}-of-sub", d(sub(x, y)), d(sub(y, x)), tier=signed(d))


@scheme(
    "inverse",
    "f(g(x)) = x where f undoes g",
    holds=lambda d: sees(d) and d.undoes in OPS and sees(OPS[d.undoes]),
    needs=lambda op: [(op, OPS[op].undoes)],
    tags=["through"],
)
def inverse(d: Declaration) -> Iterator[Rule]:
    """The inverse of a function gives back its operand: no number outside the domain of the function.

    A function that is defined everywhere may saturate, so that its inverse cannot find the operand again.
    """
    g = OPS[d.undoes]
    name, left = f"{d.name}-{g.name}", d(g(operands(d)["x"]))
    if g is d:
        v = Meta("x", "any" if d.signature == "i->i" else "float" if d.poles else "number")
        yield rule(name, d(d(v)), v, tier="extends" if d.poles else "exact")
    elif is_inside(g, x) is None:
        through = ["through"] if turns(d) else []  # wanted behind parts and choices too (rules/between.py)
        yield rule(name, left, x, tier="stabilises", tags=through)
    else:
        yield from where_defined(name, left, x, g, x)


def turned_back(d: Declaration) -> bool:
    """True for a function whose inverse finds only some operands again."""
    g = OPS.find(d.undoes) if d.undoes else None
    return sees(d) and g is not None and sees(g) and not g.undoes and d.power is None


@scheme(
    "inverse-at-image",
    "g(f(x)) = x where f undoes g and x is a value of g, g(f(g(x))) = g(x), g(f(x)) = abs(x) for even f",
    holds=turned_back,
    needs=lambda op: [(OPS[op].undoes, op)],
)
def inverse_at_image(d: Declaration) -> Iterator[Rule]:
    """The inverse of a function that is not one to one gives back an operand that lies where the inverse has its values."""
    g = OPS[d.undoes]
    low, high = sorted(float(g.meaning(np.float64(end))) for end in d.image or (-np.inf, np.inf))
    if d.image is None:  # it has a pole at both ends, which floats of any dtype are to stay within
        low, high = (float(np.nextafter(np.float32(end), np.float32(0))) for end in (low, high))
    name, left = f"{g.name}-{d.name}", g(d(x))
    laws: list[Any] = [(name, left, x, "rounds", not_below(x, low) & not_above(x, high))]
    laws += [(f"{name}-{g.name}", g(d(g(x))), g(x), "rounds", None)] if d.image is not None else []
    if (low, high) == (0, np.inf) and any(of_parity(d, "even")):
        laws = [(name, left, abs(x), "stabilises", None)]
    yield from (rule(end, one, other, tier=tier, when=when) for end, one, other, tier, when in laws)


@scheme(
    "inverse-of-turned",
    "f(outer(g(x), y)) = inner(x, f(y)) where f undoes g, which turns inner into outer",
    holds=lambda d: (
        sees(d) and d.undoes in OPS and d.undoes != d.name and bool(OPS[d.undoes].turns) and bool(d.turns)
    ),
    needs=lambda op: [(op, outer) for _, outer, _ in turns(OPS[OPS[op].undoes])],
)
def inverse_of_turned(d: Declaration) -> Iterator[Rule]:
    """A function that is undone as one operand leaves its operand, where it is defined everywhere."""
    g = OPS[d.undoes]
    for inner, outer, _ in turns(g) if is_inside(g, x) is None else ():
        join, op = OPS[outer], OPS[inner]
        sides = (("", join(g(x), y), op(x, d(y))), ("-right", join(y, g(x)), op(d(y), x)))
        for end, left, right in sides[: 1 if join.commutative else 2]:
            name = f"{d.name}-of-{g.name}-{outer}{end}"
            yield rule(name, d(left), right, tier="stabilises", grows=False)


# ----------------------------------------------------------------------------------- operations turned into others


def promise(inner: str, how: str) -> dict[str, Any]:
    """The tier of a rule that moves an operation into a function: a product may leave the range before functions do."""
    if how:
        return {"tier": "exact" if how == "exactly" else "stabilises"}
    loose = {"tier": "loose", "tags": ["fast"]}
    return loose if inner in ("mul", "truediv") else {"tags": ["backward"]}


def folding(fold: str) -> Iterator[tuple[str, Declaration]]:
    """The reduction and the running op that put an operation between elements, with what they are called in common."""
    found = ((field, declared(field, fold)) for field in ("reduces", "accumulates"))
    yield from ((field, d) for field, d in found if d is not None)


def both_folding(inner: str, outer: str) -> Iterator[tuple[Declaration, Declaration]]:
    """The reductions and the running ops of two operations, of which both have one."""
    over, under = dict(folding(outer)), dict(folding(inner))
    yield from ((over[field], under[field]) for field in over if field in under)


def wakes_turned(op: str) -> list[tuple[str, str]]:
    """The ops above or below a function that turns operations into others."""
    found = []
    for inner, outer, _ in turns(OPS[op]):
        found += [(outer, op), *((d.name, op) for _, d in folding(outer))]
        found += [(op, d.name) for _, d in folding(inner)]
    return found


@scheme(
    "turned",
    "outer(f(x), f(y)) = f(inner(x, y)), and so for reductions",
    holds=lambda d: sees(d) and bool(d.turns),
    needs=wakes_turned,
    tags=["fast", "backward"],
)
def turned(d: Declaration) -> Iterator[Rule]:
    """A function that turns one operation into another is applied once, to what the first gives."""
    logical = d.signature == "i->i"
    v, w = (Meta(name, "any" if logical else "float") for name in "xy")
    elements = Meta("x", "bool" if logical else "float")  # reductions of bits are of truth values
    for inner, outer, how in turns(d):
        options = promise(inner, how)
        condition = differ(v, w) if OPS[outer].idempotent else None
        yield rule(
            f"{d.name}-{outer}", OPS[outer](d(v), d(w)), d(OPS[inner](v, w)), when=condition, **options
        )
        for over, under in both_folding(inner, outer):
            yield rule(
                f"{over.name}-of-{d.name}",
                applied(over, d(elements)),
                d(applied(under, elements)),
                **options,
            )
            if inner == "mul" and outer == "add":
                yield logarithm(d, over, under)


def logarithm(d: Declaration, over: Declaration, under: Declaration) -> Rule:
    """A product of many numbers leaves the range that its logarithm does not."""
    product = applied(under, x)
    right = applied(over, d(x))
    return rule(
        f"{d.name}-of-{under.name}-of-nonneg",
        d(product),
        right,
        tier="stabilises",
        when=x >= 0,
        prices=[product],
        cite="higham2002",
    )


# ------------------------------------------------------------------------- monotone functions of what has an order


def ordering(kind: str) -> list[Declaration]:
    """The ops that choose values by their order, or see nothing else, but for elementwise ones."""
    return [d for d in OPS.values() if d.ordered == kind and d.kind != "elemwise"]


def same_along(ordered: Declaration, other: Meta) -> tuple[Condition, Any]:
    """The condition that an operand is the same for all elements that are compared, and what stands for it afterwards."""
    if "axes" in ordered.parameters:
        return invariant(other, axes), other
    if "axis" in ordered.parameters:
        return invariant(other, alone(axis)), other
    return single(other), value(other)


def of_signs(one: Monotone, given: dict[str, Any]) -> Condition | None:
    """The condition that operands have the signs with which an op is monotone."""
    return joined(*(Condition(((sign, (given[t],)),)) for sign, t in one.signs))


def called(d: Declaration, one: Monotone) -> str:
    """An op and how it is monotone, in the name of a rule."""
    signs = "".join(f"-{sign}-{t}" for sign, t in one.signs)
    return f"{d.name}{beside(d, one.operand)}{signs}"


WEAKER = {"positive": "nonneg", "negative": "nonpos"}


def weakened(one: Monotone) -> Monotone:
    """The weak form of a strict monotonicity, which holds where operands may be zero too."""
    return one._replace(strict=False, signs=tuple((WEAKER.get(sign, sign), t) for sign, t in one.signs))


def ways(d: Declaration, strict: bool = False) -> Iterator[tuple[Monotone, dict[str, Any], Condition | None]]:
    """The monotonicities of an op, with its operands; one of those that commute stands for all, with the weakest condition."""
    known = monotone(d)
    for one in (
        [m for m in known if m.strict]
        if strict
        else [m for m in known if not m.strict or weakened(m) not in known]
    ):
        if not (d.commutative and one.operand != d.tensors[0]):
            given = operands(d)
            yield one, given, of_signs(one, given)


def moved_out(
    d: Declaration, ordered: Declaration, inner: Declaration, one: Monotone, given: dict[str, Any]
) -> tuple[Any, Any, Condition | None]:
    """Both sides of an op that orders elements over a monotone one, and what it asks of the other operands."""
    same = {t: same_along(ordered, given[t]) for t in d.tensors if t != one.operand}
    after = {t: held for t, (_, held) in same.items()} | {one.operand: applied(inner, given[one.operand])}
    return applied(ordered, applied_to(d, given)), after, joined(*(c for c, _ in same.values()))


def counterpart(ordered: Declaration, one: Monotone) -> Declaration | None:
    """The op that chooses the same elements before the function is applied."""
    return ordered if one.rises else OPS.find(ordered.opposite)


def has_value(d: Declaration, operand: Any) -> Condition | None:
    """The condition that a function of one operand gives a number: inside its domain, and finite where infinity gives NaN."""
    ends = np.array([end for end in d.domain if np.isinf(end)])
    with np.errstate(all="ignore"):
        alone = len(d.tensors) == 1 and not d.parameters and d.signature[0] not in "i?"
        lost = alone and bool(np.isnan(d.meaning(ends)).any())
    return joined(inside(d, operand), finite(operand) if lost else None)


@scheme(
    "monotone-values",
    "max(f(x)) = f(max(x)) for increasing f, f(min(x)) for decreasing; so for all that chooses by order",
    holds=lambda d: sees(d) and bool(d.monotone),
    needs=lambda op: [(o.name, op) for o in ordering("values")],
)
def monotone_values(d: Declaration) -> Iterator[Rule]:
    """A monotone op is applied to the elements that are chosen; rounding is monotone, so that the same are."""
    for one, given, signs in ways(d):
        for ordered in ordering("values"):
            inner = counterpart(ordered, one)
            if inner is None:
                continue
            left, after, same = moved_out(d, ordered, inner, one, given)
            # NaN outside the domain is chosen by a reduction; sorted, it comes last
            domain = has_value(d, given[d.tensors[0]]) if ordered.permutes else None
            name = f"{ordered.name}-of-{called(d, one)}"
            yield rule(name, left, applied_to(d, after), tier="extends", when=joined(same, signs, domain))


@scheme(
    "monotone-outer",
    "max(f(x, y)) = f(max(x), max(y)) where x and y vary along different axes, min where f falls",
    holds=lambda d: (
        sees(d) and len(d.tensors) == 2 and {m.operand for m in monotone(d) if not m.signs} == set(d.tensors)
    ),
    needs=lambda op: [(o.name, op) for o in ordering("values")],
)
def monotone_outer(d: Declaration) -> Iterator[Rule]:
    """The extremes of what is monotone in both operands are those of extremes."""
    ways_by_operand = {one.operand: one for one in monotone(d) if not one.signs}
    for ordered in [o for o in ordering("values") if "axes" in o.parameters]:
        inner = {t: counterpart(ordered, one) for t, one in ways_by_operand.items()}
        given = operands(d)
        after = {t: applied(o, given[t]) for t, o in inner.items() if o is not None}
        if len(after) == 2:
            when = apart(*given.values(), axes) & met(*given.values(), axes)
            left = applied(ordered, applied_to(d, given))
            yield rule(
                f"{ordered.name}-of-outer-{d.name}",
                left,
                applied_to(d, after),
                tier="extends",
                when=when,
                grows=False,
            )


@scheme(
    "monotone-places",
    "argmax(f(x)) = argmax(x) for strictly increasing f, argmin(x) for decreasing; so for all that sees order alone",
    holds=lambda d: sees(d) and any(one.strict for one in monotone(d)),
    needs=lambda op: [(o.name, op) for o in ordering("places")],
    tags=["backward"],
)
def monotone_places(d: Declaration) -> Iterator[Rule]:
    """The place of an element does not change under a strictly monotone op; after rounding, two may seem equal that are not."""
    for one, given, signs in ways(d, strict=True):
        for ordered in ordering("places"):
            inner = counterpart(ordered, one)
            if inner is None:
                continue
            left, _, same = moved_out(d, ordered, inner, one, given)
            when = joined(same, signs, inside(d, given[d.tensors[0]]))
            right = applied(inner, given[one.operand])
            yield rule(
                f"{ordered.name}-of-{called(d, one)}",
                left,
                right,
                tier="stabilises",
                tags=["backward"],
                when=when,
            )


@scheme(
    "order-kept",
    "argmax(softmax(x)) = argmax(x); so for all that keeps the order of elements along axes",
    holds=lambda d: d.keeps_order,
    needs=lambda op: [(o.name, op) for o in ordering("places")],
    tags=["backward"],
)
def order_kept(d: Declaration) -> Iterator[Rule]:
    """The place of an element along axes stays where an op keeps the order along them."""
    within = parameters("within")
    for ordered in ordering("places"):
        of = axes if "axes" in ordered.parameters else alone(axis)
        left, right = applied(ordered, applied(d, x, axes=within)), applied(ordered, x)
        name = f"{ordered.name}-of-{d.name}"
        yield rule(name, left, right, tier="stabilises", tags=["backward"], when=among(of, within))


def choosing() -> list[Declaration]:
    """The elementwise ops that choose one of two operands by their order."""
    return [d for d in OPS.values() if d.ordered == "values" and sees(d) and len(d.tensors) == 2]


@scheme(
    "monotone-choice",
    "maximum(f(x, z), f(y, z)) = f(maximum(x, y), z) for increasing f, of minimum(x, y) for decreasing",
    holds=lambda d: sees(d) and bool(d.monotone) and len(d.tensors) <= 2,
    needs=lambda op: [(o.name, op) for o in choosing() if o.name != op],
    tags=["optional"],
)
def monotone_choice(d: Declaration) -> Iterator[Rule]:
    """A monotone op that both operands share is applied to the one that is chosen."""
    for one, given, _ in ways(d):
        second = {**given, one.operand: Meta("other", "float")}
        v, w = given[one.operand], second[one.operand]
        when = joined(differ(v, w), of_signs(one, given), of_signs(one, second))
        for op in choosing():
            inner = counterpart(op, one)
            if op.name == d.name or inner is None or inner.name == d.name:
                continue
            left = op(applied_to(d, given), applied_to(d, second))
            right = applied_to(d, given, **{one.operand: inner(v, w)})
            # with sums of extremes it breeds faster than a budget can stop
            tags = ["optional"] if d.associative and not one.signs else []
            yield rule(f"{op.name}-of-{called(d, one)}", left, right, tier="extends", when=when, tags=tags)


RULES = [
    odd,
    signs_kept,
    even,
    inverse,
    inverse_at_image,
    inverse_of_turned,
    turned,
    monotone_values,
    monotone_outer,
    monotone_places,
    order_kept,
    monotone_choice,
]
