"""Laws of functions that keep the digits or the range that the functions they are made of lose: 1 less, 1 more, the logarithm."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.ops.elemwise import exp, log, log1p, neg
from eqsat.graph.properties import Complement, complements, of_parity, shifted
from eqsat.rules.facts import invariant
from eqsat.rules.pattern import Term, parameters, reals, subterms
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.operands import applied, applied_to, inside, operands, sees
from eqsat.rules.schemes.scheme import family, scheme
from eqsat.rules.spellings import lessened

x, m, u, w = reals("x m u w")
axes = parameters("axes")
WORDS = {1: "one", 2: "two"}


@family("spelled", "another way to write f(x) = f(x), as log1p(exp(x)) = softplus(x)")
def spelled() -> Iterator[Rule]:
    """The forms of an op that others use, those with the sign of the operand, and those that its declaration calls unstable."""
    for f in [f for f in OPS.values() if f.spelled or f.unstable]:
        given = operands(f)
        whole = applied_to(f, given)
        for forms, tier in ((f.spelled, "rounds"), (f.unstable, "stabilises")):
            for name, form in (forms(*given.values()) if forms else {}).items():
                yield rule(name, form, whole, tier=tier, grows=False, rounded=True)
                other = None if f.parity else reflected(form, whole)
                if other is not None:
                    yield rule(f"{name}-reflected", *other, tier=tier, grows=False)


def reflected(form: Any, whole: Any) -> tuple[Any, Any] | None:
    """Both sides for the negative of the operand, where the form has its sign in functions alone; None for others."""
    terms = [t for t in subterms(form) if isinstance(t, Term)]
    if neg(x) not in terms or any(x in t.args for t in terms if len(t.args) > 1):
        return None
    return without_signs(form), without_signs(whole)


def without_signs(pattern: Any) -> Any:
    """The pattern of -x for x, where -(-x) is x."""
    if pattern == neg(x):
        return x
    if isinstance(pattern, Term):
        return replace(pattern, args=tuple(map(without_signs, pattern.args)))
    return neg(x) if pattern == x else pattern


def shifts() -> Iterator[tuple[Declaration, Declaration, float, float]]:
    """Functions f(x) = g(x + before) + after: f, g and both numbers."""
    for f in [f for f in OPS.values() if f.shifted]:
        g, before, after = shifted(f)
        if g in OPS and sees(f):
            yield f, OPS[g], before, after


def undone(g: Declaration) -> Declaration | None:
    """The function that undoes another one, or that is undone by it."""
    return OPS.get(g.undoes) or next((h for h in OPS.values() if h.undoes == g.name), None)


@family("shifted", "g(x) + k = f(x), f(x) - k = g(x); g(x + k) = f(x)", tags=["through"])
def shifted_function() -> Iterator[Rule]:
    """A function plus a number, or of a number and its operand, which would have lost the digits of the operand."""
    for f, g, before, after in shifts():
        kahan: dict[str, Any] = {"tier": "stabilises", "cite": "kahan1987"}
        if before:
            name = f"{g.name}-{WORDS.get(int(before), before)}"
            for sign, left, right in (("plus", before + x, x), ("minus", before - x, -x)):
                yield rule(f"{name}-{sign}", g(left), f(right), **kahan)
        else:
            word = WORDS.get(int(-after), f"{-after:g}")
            yield from lessened(g.name, word, -after, g(x), -f(x), **kahan)
            yield rule(f"{f.name}-plus-{word}", f(x) + -after, g(x), tier="stabilises")


@family("shifted-inverse", "f(h(x)) = x + k where h is the inverse of g, h(f(x)) = x + k")
def shifted_inverse() -> Iterator[Rule]:
    """The inverse of the function that is shifted leaves the number alone."""
    for f, g, before, after in shifts():
        h = undone(g)
        if h is not None and before:
            yield rule(f"{h.name}-{f.name}", h(f(x)), x + before, when=inside(f, x))
        elif h is not None:
            yield rule(f"{f.name}-{h.name}", f(h(x)), x + after, when=inside(h, x))


def with_sign(sign: float, v: Any) -> Any:
    """An operand or its negative."""
    return v if sign > 0 else neg(v)


def complementary() -> Iterator[tuple[Declaration, Complement]]:
    """Functions f(x) = c - g(x) or c - g(-x), with c, g and the sign."""
    for f in [f for f in OPS.values() if f.complement]:
        yield from ((f, found) for found in complements(f) if found.of in OPS and sees(f))


@family("complement-function", "c - g(x) = f(x), c + g(x) = f(-x) for odd g", tags=["through"])
def complement_function() -> Iterator[Rule]:
    """A number less a function, or with it, where that is another function: near the number the difference has no digits left."""
    through: dict[str, Any] = {"tier": "stabilises", "tags": ["through"]}
    for f, (number, of, sign) in complementary():
        g, word = OPS[of], WORDS.get(int(number), f"{number:g}")
        right = f(with_sign(sign, x))
        yield from lessened(of, word, number, g(x), right, tier="stabilises")
        if any(of_parity(g, "odd")):
            yield rule(f"{word}-plus-{of}", number + g(x), f(with_sign(-sign, x)), **through)


def logarithm(f: Declaration) -> Declaration | None:
    """The function that is the logarithm of another."""
    return next((o for o in OPS.values() if o.logarithm_of == f.name), None)


@family(
    "logarithm-of-complement",
    "log1p(-g(x)) = h(x) where f is 1 - g and h the logarithm of f",
    tags=["through"],
)
def logarithm_of_complement() -> Iterator[Rule]:
    """A logarithm of 1 less a function is that of another function."""
    through: dict[str, Any] = {"tier": "stabilises", "tags": ["through"]}
    for f, (number, of, sign) in complementary():
        g, h = OPS[of], logarithm(f)
        if number == 1 and h is not None:
            yield rule(f"log1p-less-{of}", log1p(neg(g(x))), h(with_sign(sign, x)), **through)
            if any(of_parity(g, "odd")):
                yield rule(f"log1p-{of}", log1p(g(x)), h(with_sign(-sign, x)), **through)


def dashed(name: str) -> str:
    """The name of an op in names of rules."""
    return name.replace("_", "-")


@family("logarithm-of-function", "log(g(x)) = f(x), exp(f(x)) = g(x)", tags=["through", "backward"])
def logarithm_of_function() -> Iterator[Rule]:
    """The logarithm of a function that leaves the range, where that is another function."""
    for f in [f for f in OPS.values() if f.logarithm_of in OPS]:
        inner = applied(OPS[f.logarithm_of], x)
        whole = applied(f, x)
        name = f"log-{dashed(f.logarithm_of)}"
        yield rule(name, log(inner), whole, tier="stabilises", tags=["through"])
        yield rule(f"exp-{dashed(f.name)}", exp(whole), inner, tags=["backward"])


def slope(f: Declaration, x: Any, dy: Any) -> Any:
    """The gradient of an op of one operand, as its declaration states it."""
    assert f.grad is not None, f.name
    wanted = inspect.signature(f.grad).parameters
    given = {f.tensors[0]: x, "dy": dy, "out": applied(f, x)}
    return f.grad(**{name: given[name] for name in wanted})


@family("slope-of-logarithm", "f'(x) (u + w / f(x)) = u f'(x) + w h'(x) where h is log(f)", tags=["backward"])
def slope_of_logarithm() -> Iterator[Rule]:
    """The gradient that log(f(x)) leaves, alone or beside another one, where f leaves the range and its logarithm does not."""
    for h in [h for h in OPS.values() if h.logarithm_of in OPS and h.kind == "elemwise"]:
        f = OPS[h.logarithm_of]
        if h.grad is None or f.grad is None:
            continue
        part = w / applied(f, x)
        for end, dy, rest in (
            ("", part, None),
            ("-beside", u + part, slope(f, x, u)),
            ("-less", u - part, slope(f, x, u)),
        ):
            mine = slope(h, x, w)
            whole = mine if rest is None else rest - mine if end == "-less" else rest + mine
            name = f"slope-of-log-{dashed(f.name)}{end}"
            yield rule(name, slope(f, x, dy), whole, tier="stabilises", grows=False, rounded=True)


@scheme(
    "translated",
    "f(x + m) = f(x), or f(x) + m, for m that is the same along the axes",
    holds=lambda d: bool(d.translated) and "axes" in d.parameters,
    needs=lambda op: [(op, "add"), (op, "sub")],
    tags=["backward"],
)
def translated(d: Declaration) -> Iterator[Rule]:
    """A number added to all elements along the axes changes nothing, or is added to the result."""
    for name, shift in (("shifted", x - m), ("shifted-add", x + m)):
        left, plain, when = applied(d, shift), applied(d, x), invariant(m, axes)
        if d.translated == "unchanged":
            yield rule(f"{d.name}-{name}", left, plain, tier="extends", when=when)
        else:
            moved = plain + m if name == "shifted-add" else plain - m
            yield rule(f"{d.name}-{name}", left, moved, tags=["backward"], when=when)


RULES = [
    spelled,
    shifted_function,
    shifted_inverse,
    complement_function,
    logarithm_of_complement,
    logarithm_of_function,
    slope_of_logarithm,
    translated,
]
