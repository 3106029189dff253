"""Laws of groups: an operation, the one that takes it back, and the inverse of an element, as ``+``, ``-`` and the sign."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Any

from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.ops.elemwise import fill
from eqsat.graph.ops.index import part_op
from eqsat.rules.condition import Condition
from eqsat.rules.facts import above, differ, short, single, tame, varies, wider
from eqsat.rules.facts import whole as is_whole
from eqsat.rules.pattern import Meta, ParameterCall, Value, call, parameters, reals, value
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.operands import applied, sees
from eqsat.rules.schemes.operands import joined as both
from eqsat.rules.schemes.operations import WORDS
from eqsat.rules.schemes.reductions import reduces
from eqsat.rules.schemes.scheme import family, scheme

DOMAINS = {"f": "float", "i": "any"}  # of elements by the letter of a signature; others are numbers


def is_group(d: Declaration) -> bool:
    """True for an operation on two operands with a neutral number that another operation takes back."""
    return sees(d) and len(d.tensors) == 2 and d.neutral is not None and d.inverse in OPS


def elements(d: Declaration) -> tuple[Meta, Meta]:
    """Metavariables for two elements that both operations of a group take."""
    letter = next((k for o in (OPS[d.inverse], d) for k in o.signature[0] if k in DOMAINS), "")
    domain = DOMAINS.get(letter, "number")
    first, second = "xy" if domain == "float" else "ab"
    return Meta(first, domain), Meta(second, domain)


def brief(d: Declaration) -> str:
    """The op in names of rules."""
    return d.name.removeprefix("true")


def inverse_of(d: Declaration) -> tuple[Declaration | None, bool]:
    """The op that gives the inverse of an element, and True where it rounds nothing."""
    name, _, exactly = d.inverse_element.partition(" ")
    return OPS.get(name), exactly == "exactly"


def unless_pole(d: Declaration, a: Meta) -> Condition | None:
    """The condition that numbers do not match where the operation that takes back has poles: zeros are cancelled nowhere."""
    return varies(a) if OPS[d.inverse].poles else None


def groups() -> Iterator[Declaration]:
    """The operations of all groups that are declared."""
    yield from [d for d in OPS.values() if d.inverse and is_group(d)]


def cancelled(d: Declaration) -> Iterator[tuple[str, Any, Any, Any, Any, Condition | None]]:
    """A name, both sides, what is kept, what is gone, and the condition of each way in which an operand cancels."""
    z, (a, b) = OPS[d.inverse], elements(d)
    yield f"{brief(d)}-{brief(z)}", z(d(a, b), b), a, a, b, None
    if z is not d:
        yield f"{brief(z)}-{brief(d)}", d(z(a, b), b), a, a, b, None
        yield f"{brief(z)}-{brief(z)}", z(a, z(a, b)), b, b, a, unless_pole(d, a)
    i, _ = inverse_of(d)
    if i is not None:
        name = f"{brief(z)}-by-{brief(d)}"
        yield name, z(a, d(a, b)), i(b), b, a, unless_pole(d, a)


@family(
    "cancellation",
    "z(op(x, y), y) = x, op(z(x, y), y) = x, z(x, z(x, y)) = y, z(x, x) = e, op(z(x, y), z(y, x)) = e",
)
def cancellation() -> Iterator[Rule]:
    """An op and its inverse with one operand change nothing, but where that operand has more axes than what is left."""
    for d in groups():
        z, (a, b) = OPS[d.inverse], elements(d)
        rounds = z is not d
        tier = "extends" if rounds else "exact"
        for name, left, right, kept, gone, when in cancelled(d):
            yield rule(f"{name}-cancel", left, right, tier=tier, when=when)
            if rounds:
                wide = both(wider(gone, kept), when)
                yield rule(f"{name}-repeated", left, fill(gone, right), tier=tier, when=wide, grows=False)
        alone = [(f"{brief(z)}-self", z(a, a), a, varies(a) if rounds else None)]
        if rounds:
            name, turns = f"{brief(d)}-of-{brief(z)}-both-ways", d(z(a, b), z(b, a))
            alone += [(name, turns, z(a, b), varies(a) & varies(b) & differ(a, b))]
        for name, left, model, when in alone:
            yield rule(name, left, fill(model, d.neutral), tier=tier, when=when, grows=False)


@family("common-operand", "z(op(x, y), op(w, y)) = z(x, w)")
def common_operand() -> Iterator[Rule]:
    """Both sides of a difference may lose an operand that they have in common, which had only taken digits of them."""
    for d in groups():
        z, (a, b) = OPS[d.inverse], elements(d)
        c = Meta("c", a.domain)
        for op in () if z is d or z.poles else (d, z):
            name = f"{brief(z)}-of-common-{brief(op)}"
            yield rule(name, z(op(a, b), op(c, b)), z(a, c), when=differ(a, c), grows=False)


@family(
    "inverse-element", "z(e, x) = i(x), op(x, i(y)) = z(x, y), z(x, i(y)) = op(x, y), i(z(x, y)) = z(y, x)"
)
def inverse_element() -> Iterator[Rule]:
    """The inverse of an element is taken back instead."""
    for d in groups():
        z, (i, exact), (a, b) = OPS[d.inverse], inverse_of(d), elements(d)
        if i is None:
            continue
        tier, turned = ("exact", "extends") if exact else ("rounds", "rounds")
        start = "extends" if d.neutral == 0 else "exact"  # the sign of a zero
        plus, minus, word = brief(d), brief(z), WORDS.get(int(d.neutral or 0), "neutral")
        laws = [
            (f"{word}-{minus}", z(d.neutral, a), i(a), start),
            (f"{minus}-{i.name}", z(a, i(b)), d(a, b), tier),
            (f"{plus}-{i.name}", d(a, i(b)), z(a, b), tier),
            (f"{i.name}-{minus}", i(z(a, b)), z(b, a), turned),
            (f"{i.name}-{minus}-{i.name}", z(i(a), b), i(d(a, b)), turned),
        ]
        for name, left, right, promise in laws if exact else laws[:-1]:
            yield rule(name, left, right, tier=promise)


# ---------------------------------------------------------------------------------------------- numbers


def symbol(d: Declaration) -> str:
    """The operation in arithmetic on known numbers, as its meaning over the reals has it; empty where there is none."""
    found = re.fullmatch(r"x ([-+*/]) y", d.real or "")
    return found[1] if found else ""


@family(
    "numbers-joined",
    "op(c, op(k, x)) = op(op(c, k), x), z(c, op(k, x)) = z(z(c, k), x), and so for other pairs",
)
def numbers_joined() -> Iterator[Rule]:
    """Two numbers become one: exact sums of short ones, products of tame ones that stay so."""
    x, c, k = reals("x c d")
    for d in groups():
        z = OPS[d.inverse]
        for outer, inner in product((d, z), repeat=2) if d.numbers and symbol(d) and symbol(z) else ():
            number = Value(symbol(outer), (value(c), value(k)))
            joins: Any = number
            if d.numbers == "short":
                when = varies(x) & short(value(c)) & short(value(k))
            else:
                when = varies(x) & single(c) & single(k) & tame(number) & tame(value(c)) & tame(value(k))
                joins = outer(c, k)
            right = d(x, joins) if inner is outer else z(joins, x)
            name = f"constant-{brief(outer)}-constant-{brief(inner)}"
            name = f"{brief(d)}-constants" if inner is outer is d else name
            yield rule(name, outer(c, inner(k, x)), right, when=when, cite="higham2002")


def of_whole_numbers(d: Declaration) -> bool:
    """True for an operation that takes integers as they are."""
    return sees(d) and len(d.tensors) == 2 and d.signature[0] != "f"


def whole(d: Declaration, names: str) -> list[Meta]:
    """Metavariables for integers, and for truth values where an operation is one on bits."""
    return [Meta(name, "whole" if d.signature[0] == "i" else "int") for name in names.split()]


@family(
    "known-operands-joined",
    "op(c, op(k, x)) = op(op(c, k), x) for numbers c and k that an associative op takes without rounding",
)
def known_operands_joined() -> Iterator[Rule]:
    """Two known operands of an associative operation become one: of integers, which wrap, and of what one of them is chosen."""
    for d in [d for d in OPS.values() if d.associative and d.commutative and of_whole_numbers(d)]:
        v, c, k = given = whole(d, "i j k")
        laws: list[Any] = [(f"{d.name}-whole-operands", d(c, d(k, v)), d(v, d(c, k)), given, "exact")]
        if d.idempotent and d.signature[0] != "i":  # the sign of a zero is another one
            x, y, z = reals("x y z")
            laws += [(f"{d.name}-known-operands", d(y, d(z, x)), d(x, d(y, z)), (x, y, z), "extends")]
        if is_group(d) and symbol(d) and of_whole_numbers(OPS[d.inverse]):
            laws += [(*law, given, "exact") for law in with_differences(d, v, c, k)]
        for name, left, right, (v, c, k), tier in laws:
            yield rule(name, left, right, tier=tier, when=varies(v) & single(c) & single(k))


def with_differences(d: Declaration, v: Meta, c: Meta, k: Meta) -> Iterator[tuple[str, Any, Any]]:
    """The ways in which two numbers meet where one of them, or the operand between them, is taken back."""
    z, plus, minus = OPS[d.inverse], brief(d), brief(OPS[d.inverse])
    yield f"{plus}-whole-{minus}", d(c, z(k, v)), z(d(c, k), v)
    yield f"{minus}-whole-{plus}", z(c, d(k, v)), z(z(c, k), v)
    yield f"{minus}-whole-{minus}", z(c, z(k, v)), d(v, z(c, k))
    yield f"{plus}-{minus}-whole", d(c, z(v, k)), d(v, z(c, k))
    yield f"{minus}-{minus}-whole", z(c, z(v, k)), z(d(c, k), v)
    yield f"{plus}-less-whole", z(d(c, v), k), d(v, z(c, k))
    yield f"{minus}-less-whole", z(z(v, c), k), z(v, d(c, k))
    yield f"whole-{minus}-less-whole", z(z(c, v), k), z(z(c, k), v)


@scheme(
    "iterated",
    "op(op(x, c), d) = op(x, z(c, d)) for whole numbers above 0",
    holds=lambda d: sees(d) and len(d.tensors) == 2 and d.iterated in OPS and bool(symbol(OPS[d.iterated])),
    needs=lambda op: [(op, op)],
)
def iterated(d: Declaration) -> Iterator[Rule]:
    """Two small numbers, by which an op is done in turn, become one."""
    v, c, k = whole(d, "i c k")
    number = Value(symbol(OPS[d.iterated]), (value(c), value(k)))
    when = both(single(c), single(k), is_whole(number), above(value(c), 0), above(value(k), 0), varies(v))
    yield rule(f"{d.name}-twice", d(d(v, c), k), d(v, number), tier="exact", when=when, grows=False)


@family("repeated", "op(x, x) = r(x, 2), r(x, 1) = x, r(x, 0) = e, r(x, -1) = i(x)")
def repeated() -> Iterator[Rule]:
    """An operation that is done several times to one element; not at all gives its neutral number."""
    for d in groups():
        r, (a, _) = OPS.get(d.repeats), elements(d)
        if r is None:
            continue
        i, exact = inverse_of(d)
        yield rule(f"{d.name}-self", d(a, a), times(d, a, 2), tier="exact", when=varies(a))
        if r.neutral is None:
            given = Meta("a", "number")
            for n, result in ((1, given), (0, fill(given, d.neutral))):
                yield rule(f"{r.name}-{WORDS[n]}", r(given, n), result, tier="exact")
        if i is not None:
            for o in [r, *([OPS[r.inverse]] if r.inverse in OPS else [])]:
                v = Meta("a", "float" if o.signature[0] == "f" else a.domain)
                yield rule(f"{brief(o)}-minus-one", o(v, -1), i(v), tier="exact" if exact else "rounds")


def times(d: Declaration, v: Any, n: float) -> Any:
    """An element with itself n times: a function where there is one."""
    repeats = OPS[d.repeats]
    f = next((f for f in OPS.values() if f.power == n and d.repeats == "pow"), None)
    return f(v) if f is not None else repeats(n, v) if repeats.commutative else repeats(v, n)


# ---------------------------------------------------------------------------------------------- neighbours


@scheme(
    "fold-of-neighbours",
    "sum(x[1:] - x[:-1]) = sum(x[-1:]) - sum(x[:1])",
    holds=lambda d: reduces(d) and is_group(OPS[d.reduces]) and not OPS[OPS[d.reduces].inverse].poles,
    needs=lambda op: [(op, OPS[OPS[op].reduces].inverse)],
    tags=["backward"],
)
def of_neighbours(d: Declaration) -> Iterator[Rule]:
    """An element that is put in once and taken back once is left out: those at the ends remain, where nothing has poles.

    The ends are those of what is taken: of a single element, which may be infinite, nothing is put in or taken back.
    """
    x, z = reals("x"), OPS[OPS[d.reduces].inverse]
    p, q = parameters("p q")
    behind, ahead = (part_op(x, pattern=part) for part in (p, q))
    axis = ParameterCall("only", (parameters("axes"),))
    last, first = (
        applied(d, part_op(part, pattern=call(name, p, q, axis)))
        for part, name in ((behind, "last_of_behind"), (ahead, "first_of_ahead"))
    )
    for end, left, right in (
        ("", z(behind, ahead), z(last, first)),
        ("-turned", z(ahead, behind), z(first, last)),
    ):
        yield rule(
            f"{d.name}-of-neighbours{end}",
            applied(d, left),
            right,
            tier="extends",
            grows=False,
            tags=["backward"],
        )


RULES = [
    cancellation,
    common_operand,
    inverse_element,
    numbers_joined,
    known_operands_joined,
    iterated,
    repeated,
    of_neighbours,
]
