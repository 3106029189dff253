"""Laws of operations on two operands: neutral and absorbing numbers, what is idempotent, and pairs that make a lattice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.ops.elemwise import fill
from eqsat.graph.properties import turns
from eqsat.rules.facts import at_least, differ, highest, lowest
from eqsat.rules.pattern import Meta, anything, reals
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.operands import sees
from eqsat.rules.schemes.scheme import family, scheme

a, b, c = anything("a b c")
WORDS = {0: "zero", 1: "one"}
DOMAINS = {"f": "float", "i": "bool"}  # of the operands beside a number; other ops take numbers


def operand(d: Declaration) -> Meta:
    """A metavariable for what an operation with a neutral number takes."""
    return Meta("a", DOMAINS.get(d.signature[0], "number"))


def promise(d: Declaration, inexact: bool) -> str:
    """The tier of a law of an operation; of floats it may change the sign of a zero, or what is no number."""
    return "extends" if inexact and operand(d).domain != "bool" else "exact"


def neutral_to(d: Declaration) -> tuple[float, ...]:
    """The number that an operation does not notice, on the right of what takes it back too."""
    given = [o.neutral for o in OPS.values() if d.name in (o.name, o.inverse)]
    return tuple(v for v in given if v is not None)


def has_number(d: Declaration) -> bool:
    """True for an operation with a neutral or an absorbing number."""
    return sees(d) and len(d.tensors) == 2 and (bool(neutral_to(d)) or d.absorbing is not None)


@scheme("neutral", "op(x, e) = x, op(x, z) = z", holds=has_number, needs=lambda op: [op])
def neutral(d: Declaration) -> Iterator[Rule]:
    """A neutral number changes nothing, an absorbing one everything."""
    v = operand(d)
    ways = [(e, True, promise(d, e == 0)) for e in neutral_to(d)]
    ways += [(d.absorbing, False, promise(d, True))] if d.absorbing is not None else []
    for number, keeps, tier in ways:
        name = f"{d.name}-{WORDS.get(int(number), number)}"
        yield beside(name, d, v, number, keeps, tier)
        if v.domain == "bool":  # true has all bits, as has the whole number -1
            yield beside(f"{name}-of-whole", d, Meta("a", "int"), -number, keeps, "exact")


def beside(name: str, d: Declaration, v: Meta, number: float, keeps: bool, tier: str) -> Rule:
    """The law of an operand beside a number that keeps it, or that fills the result."""
    return rule(name, d(v, number), v if keeps else fill(v, number), tier=tier)


def folds_itself(d: Declaration) -> bool:
    """True for an idempotent operation on two operands."""
    return sees(d) and d.idempotent and len(d.tensors) == 2


@scheme("idempotent", "op(x, x) = x, op(op(x, y), y) = op(x, y)", holds=folds_itself, needs=lambda op: [op])
def idempotent(d: Declaration) -> Iterator[Rule]:
    """A choice that repeats an earlier one changes nothing."""
    again = d(d(a, b), b), d(a, b), "extends" if d.ordered else "exact"
    for word, (left, right, tier) in (("self", (d(a, a), a, "exact")), ("again", again)):
        yield rule(f"{d.name}-{word}", left, right, tier=tier)


@scheme(
    "lattice",
    "op(x, other(x, y)) = x, op(other(x, y), other(x, z)) = other(x, op(y, z))",
    holds=lambda d: folds_itself(d) and d.opposite in OPS,
    needs=lambda op: [(op, OPS[op].opposite)],
)
def lattice(d: Declaration) -> Iterator[Rule]:
    """One operation absorbs the opposite one, and goes into it."""
    other, tier = OPS[d.opposite], "extends" if d.ordered else "exact"
    yield rule(f"{d.name}-absorbs", d(a, other(a, b)), a, tier=tier)
    left: Any = d(other(a, b), other(a, c))
    yield rule(f"{d.name}-of-{other.name}s", left, other(a, d(b, c)), when=differ(b, c), tier=tier)


@family("complement", "op(x, not x) = z, op(x, other(not x, y)) = op(x, y)")
def complement() -> Iterator[Rule]:
    """An element and its complement are nothing or everything: the complement turns each operation into the opposite one."""
    for f in [f for f in OPS.values() if f.undoes == f.name and sees(f)]:
        for inner, outer, how in turns(f):
            d, other = OPS[inner], OPS[outer]
            if d.opposite == outer and d.absorbing is not None and how == "exactly":
                # of whole numbers, everything is all bits: rules/bits.py
                v = Meta("a", "bool" if d.absorbing else "any")
                nothing = d(v, f(v)), fill(v, d.absorbing)
                for name, (left, right) in (
                    (f"{inner}-not-self", nothing),
                    (f"{inner}-{outer}-not", (d(a, other(f(a), b)), d(a, b))),
                ):
                    yield rule(name, left, right, tier="exact")


def extremes() -> Iterator[tuple[Declaration, Declaration]]:
    """The operations that give the larger and the smaller of two operands."""
    for d in OPS.values():
        if folds_itself(d) and d.ordered == "values" and d.opposite in OPS and bool(d.meaning(0, 1)):
            yield d, OPS[d.opposite]


@family(
    "known-extreme", "max(x, y) = x, min(x, y) = y where no element of x is below any of y, max(x, -inf) = x"
)
def known_extreme() -> Iterator[Rule]:
    """The larger and the smaller of operands whose intervals do not overlap."""
    for larger, smaller in extremes():
        for d, known, neutral, absorbing in (
            (larger, a, lowest, highest),
            (smaller, b, highest, lowest),
        ):
            for end, right, when in (
                ("known", known, at_least(a, b)),
                ("known-number", fill(b if known is a else a, known), at_least(a, b)),
                ("unlimited", fill(b, a), neutral(b)),
                ("at-the-end", fill(a, b), absorbing(b)),
            ):
                yield rule(f"{d.name}-{end}", d(a, b), right, tier="extends", when=when)


@family("both-extremes", "f(max(x, y), min(x, y)) = f(x, y) where the order of operands does not matter")
def both_extremes() -> Iterator[Rule]:
    """The larger and the smaller of two operands are both, in one order or the other."""
    x, y = reals("x y")
    for larger, smaller in extremes():
        for f in [f for f in OPS.values() if f.commutative and sees(f) and len(f.tensors) == 2]:
            if not f.idempotent and f.signature[0] != "i":
                left = f(larger(x, y), smaller(x, y))
                yield rule(f"{f.name}-of-extremes", left, f(x, y), tier="extends")


RULES = [known_extreme, both_extremes, complement, neutral, idempotent, lattice]
