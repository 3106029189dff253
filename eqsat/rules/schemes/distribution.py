"""Laws of sums under operations that are additive in an operand, and of operands in any order and bracketing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.ops.elemwise import add
from eqsat.graph.properties import additive
from eqsat.rules.facts import above, single, tame, varies
from eqsat.rules.pattern import integers, reals, value
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.functions import beside, once
from eqsat.rules.schemes.groups import brief, groups, of_whole_numbers
from eqsat.rules.schemes.operands import applied_to, operands, sees
from eqsat.rules.schemes.scheme import family

x, y, z, c = reals("x y z c")
SUM = OPS[add.name]
# the end of a name, metavariables, and what is promised of them: integers wrap, and round nothing
PROMISED: list[tuple[str, Any, dict[str, Any]]] = [
    ("", reals, {"tags": ["backward"], "cite": "higham2002"}),
    ("-whole", integers, {"tier": "exact"}),
]
# a constant below 1 would breed: w / 2 + w / 2 = (w + w) / 2 = ...
AT_LEAST_ONE = varies(x) & varies(y) & above(value(c) * value(c), 0.99) & tame(value(c))


def scales(d: Declaration) -> bool:
    """True for an operation of two numbers that is additive in one of them."""
    return sees(d) and len(d.tensors) == 2 and bool(additive(d)) and "a" not in d.signature


def signs() -> Iterator[tuple[str, Any]]:
    """Sums and differences, with what they are called in names of rules."""
    yield from (("", SUM), (f"-{SUM.inverse}", OPS[SUM.inverse]))


def additives() -> Iterator[tuple[str, Declaration, str]]:
    """Operations that are additive in an operand: a name for rules, the op and that operand."""
    for d in [d for d in OPS.values() if scales(d)]:
        for t in once(d, additive(d)):
            short = len(additive(d)) == 1 or d.commutative
            called = "" if d.name == SUM.repeats else f"-{brief(d)}{'' if short else beside(d, t)}"
            yield called, d, t


def sides(d: Declaration, s: Any, t: str, domain: Any = reals) -> tuple[Any, Any, Any]:
    """A sum of what an op makes of two operands, the op of their sum, and what they share."""
    given = operands(d, domain)
    v, w = domain(f"{t} {t}2")
    apart = s(applied_to(d, given, **{t: v}), applied_to(d, given, **{t: w}))
    other = next(u for u in d.tensors if u != t)
    return apart, applied_to(d, given, **{t: s(v, w)}), given[other]


@family("factored", "f(x, z) + f(y, z) = f(x + y, z) for f that is additive in x, and so for differences")
def factored() -> Iterator[Rule]:
    """A factor that the terms of a sum share is applied once, to the sum: exact for operands a rounding error away, as products of matrices are."""
    for called, d, t in additives():
        for end, s in signs():
            for word, domain, promise in PROMISED if of_whole_numbers(d) else PROMISED[:1]:
                apart, once_done, shared = sides(d, s, t, domain)
                yield rule(f"factor{called}{end}{word}", apart, once_done, when=varies(shared), **promise)


@family("distributed", "f(x + y, z) = f(x, z) + f(y, z) for f that is additive in x", tags=["expand"])
def distributed() -> Iterator[Rule]:
    """An additive operation goes into the terms of a sum, which may cancel where the sum did not."""
    for called, d, t in additives():
        for end, s in signs():
            apart, once_done, _ = sides(d, s, t)
            name = f"distribute{called}{end}"
            yield rule(name, once_done, apart, tier="loose", grows=True, tags=["expand"])


@family("multiples", "r(x, c) + r(y, c) = r(x + y, c), r(x, c) + x = r(x, c + 1) for a number c")
def multiples() -> Iterator[Rule]:
    """Multiples by known numbers in sums and differences."""
    for d in [d for d in groups() if d.numbers and d.repeats in OPS and OPS[d.repeats].numbers]:
        r = OPS[d.repeats]
        for end, s in (("", d), (f"-{d.inverse}", OPS[d.inverse])):
            left, right = s(r(x, c), r(y, c)), r(s(x, y), c)
            yield rule(f"factor-constant{end}", left, right, when=AT_LEAST_ONE, cite="higham2002")
            integral = of_whole_numbers(r) and of_whole_numbers(OPS[d.inverse])
            for word, domain, promise in PROMISED if integral else PROMISED[:1]:
                v, k = domain("x c")
                left, right, when = s(r(v, k), v), r(v, s(k, 1)), varies(v) & single(k)
                yield rule(f"multiple{end}-self{word}", left, right, when=when, **(promise | {"tags": []}))


@family("reassociated", "op(op(x, y), z) = op(x, op(y, z)), compared as multisets", tags=["fast"])
def reassociated() -> Iterator[Rule]:
    """Operands of an associative operation on numbers in any order and bracketing: rounding sees it, but where one of them is chosen."""
    for d in OPS.values():
        if d.associative and d.commutative and sees(d) and d.signature[0] != "i":
            left, right = d(d(x, y), z), d(x, d(y, z))
            name = "reassociate" if d is SUM else f"reassociate-{d.name}"
            if d.idempotent:
                yield rule(name, left, right, tier="extends", multiset=True)
            else:
                yield rule(name, left, right, tier="loose", tags=["fast"], multiset=True)


RULES = [factored, distributed, multiples, reassociated]
