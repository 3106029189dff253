"""Laws of powers: functions that are powers with a known exponent, their products, quotients and powers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, permutations, product
from math import frexp, nan
from typing import Any, NamedTuple

from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.ops.elemwise import abs, add, isinf, mul, pow, switch
from eqsat.graph.properties import turns
from eqsat.rules.condition import Condition
from eqsat.rules.facts import above, below, single, tame, varies, whole
from eqsat.rules.pattern import Meta, Value, reals, value
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.operands import inside, is_inside, joined, sees
from eqsat.rules.schemes.scheme import family

x, y, c, d = reals("x y c d")
NAMES = {-2: "minus-two", -1: "minus-one", -0.5: "minus-half", 0.5: "half", 2: "two", 3: "three"}
SUM, PRODUCT = OPS[add.name], OPS[mul.name]
SMALL = 2.5  # whole exponents above it have no function of their own


class Power(NamedTuple):
    """A power of x as a pattern, with its exponent, the condition that it is one, and what it is called in names of rules."""

    term: Any
    exponent: Any  # a number, or a value of a metavariable
    called: str
    when: Condition | None = None


def functions() -> dict[float, Declaration]:
    """The functions of one operand that are powers with a known exponent, by that."""
    return {
        float(f.power): f for f in OPS.values() if f.power is not None and sees(f) and len(f.tensors) == 1
    }


def called(n: float) -> str:
    """A number in names of rules."""
    return NAMES.get(n, f"{n:g}".replace("-", "minus-").replace(".", "-point-"))


def power(v: Any, n: Any) -> Any:
    """v to a power: a function where there is one."""
    if isinstance(n, Value):
        return pow(v, n)
    exact = functions()
    if n == 1:
        return v
    if n in exact:
        return exact[n](v)
    return exact[-1](exact[-n](v)) if -1 in exact and -n in exact else pow(v, n)


def general(exponent: Meta) -> Power:
    """A power of x with a known exponent that no function has."""
    number = value(exponent)
    return Power(pow(x, exponent), number, "pow", whole(number) & above(number, SMALL))


def whole_functions() -> list[Power]:
    """The functions that are powers with whole exponents above 1."""
    return [Power(f(x), n, f.name) for n, f in functions().items() if n > 1 and n % 1 == 0]


def roots() -> list[Power]:
    """The functions that are powers with other exponents above 0."""
    return [Power(f(x), n, f.name) for n, f in functions().items() if n > 0 and n % 1]


def summed(a: Any, b: Any, sign: str = "+") -> Any:
    """The sum or difference of two exponents."""
    if isinstance(a, Value) or isinstance(b, Value):
        return Value(sign, (a, b))
    return a + b if sign == "+" else a - b


@family("function-of-power", "x ** n = f(x), x ** -n = 1 / f(x)")
def function_of_power() -> Iterator[Rule]:
    """A power with the exponent of a function is that function, of the reciprocal where the exponent is negative."""
    exact = functions()
    for n, f in exact.items():
        v = Meta("x", "float" if f.signature[0] == "f" else "number")
        if n != -1:  # the inverse of an element in groups.py
            yield rule(f"pow-{called(n)}", pow(v, n), f(v), tier="extends" if n % 1 else "rounds")
        if n > 0 and -1 in exact:
            over = exact[-1]
            right = (
                over(f(x)) if n % 1 else f(over(x))
            )  # a square may leave the range where that of one over x does not
            name = f"pow-{called(-n)}"
            tier = "extends" if n % 1 else "rounds"
            ways = [(name, right, inside(f, x), None if n % 1 else False)]
            if inside(f, x) is not None:  # what is below 0 has a power where it is infinite
                ways += [(f"{name}-anywhere", switch(isinf(x), 0, right), None, False)]
            for end, result, when, grows in ways:
                yield rule(end, pow(x, -n), result, tier=tier, when=when, grows=grows)


@family("product-of-powers", "x ** a * x ** b = x ** (a + b), x ** a / x ** b = x ** (a - b)")
def product_of_powers() -> Iterator[Rule]:
    """Powers of one number are one power: of whole exponents, and of roots beside them."""
    itself, some, other = Power(x, 1.0, "self"), general(c), general(d)
    plain = [itself, *whole_functions()]
    pairs = [p for p in combinations_with_replacement(plain, 2) if p[0] is not p[1]]
    beside = [(p, r) for r in roots() for p in plain]
    for f, g in [*pairs, *beside, *((some, p) for p in plain), (some, other)]:
        right = power(x, summed(f.exponent, g.exponent))
        limit = whole(summed(f.exponent, g.exponent)) if f is some and g is not other else None
        when = joined(varies(x), f.when, g.when, limit)
        name = f"{f.called}-times-{g.called}"
        yield rule(name, f.term * g.term, right, when=when, grows=False, cite="knuth1997")
    for f, g in [*permutations([*plain, *roots()], 2), *((some, p) for p in plain), (some, other)]:
        right = power(x, summed(f.exponent, g.exponent, "-"))
        when = joined(varies(x) if f is some else None, f.when, g.when)
        name = f"{f.called}-over-{g.called}"
        yield extended(name, f.term / g.term, right, when)


def times_power(w: Any, n: float) -> Any:
    """A factor times a power of x, or over it where the exponent is below 0."""
    if not n:
        return w
    return w / power(x, -n) if n < 0 else w * power(x, n)


@family(
    "powers-beside-factors",
    "(w / x ** a) * x ** b = w * x ** (b - a), (w / x ** a) * (y * x ** b) = w * (y * x ** (b - a)), and so for other quotients",
)
def powers_beside_factors() -> Iterator[Rule]:
    """Powers of one number meet although a factor stands between them.

    What is computed on the way has a size between two of those that were: nothing leaves the range that did not before. Numbers
    themselves, without a power, meet so in few places: quotients of exponentials, which have laws of their own, would breed.
    """
    w, z = reals("w z")
    itself, some, bare = Power(x, 1.0, "self"), general(c), [p.called for p in roots()]
    plain = [itself, *whole_functions(), *roots()]
    for f, g in product(plain, repeat=2):
        name, n = f"{f.called}-and-{g.called}", g.exponent - f.exponent
        when = inside(OPS[f.called], x) if f.called in bare and g.called in bare else None  # else NaN stays
        first, second = (times_power(w, n), z) if n <= 0 else (w, times_power(z, n))
        over = times_power(w, n) / z if n >= 0 else w / times_power(z, -n)
        upper = times_power(w, n) / z if n <= 0 else w / times_power(z, -n)
        yield apart(f"product-with-{name}-below-with-a-factor", (w * g.term) / (z * f.term), over, when)
        if not (f is g is itself):
            yield apart(
                f"quotient-by-{name}-with-a-factor", (w / f.term) * (z * g.term), first * second, when
            )
            yield apart(f"quotient-by-{name}-of-a-quotient", (w / f.term) / (z / g.term), upper, when)
            if n <= 0:
                yield apart(f"quotient-by-{name}-in-turn", ((w / f.term) / z) * g.term, upper, when)
        if n <= 0 and f is not itself:
            yield apart(f"quotient-by-a-factor-and-{name}", (w / (z * f.term)) * g.term, over, when)
        if n:
            yield apart(f"quotient-by-{name}", (w / f.term) * g.term, times_power(w, n))
            yield apart(f"product-with-{name}-below", (w * g.term) / f.term, times_power(w, n))
    yield apart("quotient-by-self-and-multiple", (w / x) * (x * c), w * c, single(c) & tame(value(c)))
    for g in plain:
        lower, known = power(x, summed(some.exponent, g.exponent, "-")), joined(varies(x), some.when)
        yield apart(f"quotient-by-pow-and-{g.called}", (w / some.term) * g.term, w / lower, known)
        yield apart(f"product-with-{g.called}-below-pow", (w * g.term) / some.term, w / lower, known)
        yield apart(f"product-with-pow-below-{g.called}", (w * some.term) / g.term, w * lower, known)
    for r in roots():
        twice = w / power(x, 2 * r.exponent)
        yield apart(f"quotient-by-{r.called}-twice", (w / r.term) / r.term, twice, inside(OPS[r.called], x))
        whole_root = switch(is_inside(OPS[r.called], x), w * power(x, 2 * r.exponent), nan)
        yield apart(f"product-with-{r.called}-twice", (w * r.term) * r.term, whole_root)


def apart(name: str, left: Any, right: Any, when: Condition | None = None) -> Rule:
    """A rule on powers of one number that are apart.

    Where factors have few digits, as the least of all numbers, results are those of factors a rounding error away.
    """
    return extended(name, left, right, when, ["backward"])


def extended(
    name: str, left: Any, right: Any, when: Condition | None = None, tags: Sequence[str] = ()
) -> Rule:
    """A rule on powers of one number that meet also where one of them leaves the range."""
    return rule(name, left, right, tier="extends", when=when, grows=False, tags=tags, cite="knuth1997")


@family(
    "quotient-of-squares",
    "(x ** 2 - y ** 2) / (x - y) = x + y, and of numbers: (x ** 2 - c ** 2) / (x - c) = x + c",
)
def quotient_of_squares() -> Iterator[Rule]:
    """A difference of squares is divided by one of its factors."""
    y = reals("y")
    number = value(c) + value(d) * value(d)
    known = varies(x) & single(c) & single(d) & above(number, -1e-30) & below(number, 1e-30)
    for f in [f for f in whole_functions() if f.exponent == 2]:
        square = OPS[f.called]
        difference = square(x) - square(y)
        yield apart(f"{f.called}s-over-difference", difference / (x - y), x + y)
        yield apart(f"{f.called}s-over-sum", difference / (x + y), x - y)
        yield apart(f"{f.called}-and-number-over-sum", (square(x) + c) / (x + d), x - value(d), known)


@family("power-of-power", "(x ** a) ** b = x ** (a * b) for whole exponents")
def power_of_power() -> Iterator[Rule]:
    """A power of a power is one power."""
    some = general(c)
    for f in whole_functions():
        for g in whole_functions():
            yield rule(
                f"{g.called}-of-{f.called}",
                OPS[g.called](f.term),
                power(x, f.exponent * g.exponent),
                when=varies(x),
                cite="knuth1997",
            )
    for f in [*whole_functions(), some]:
        n = Value("*", (value(d), f.exponent))
        when = joined(varies(x) & whole(value(d)), whole(value(c)) & whole(n) if f is some else None)
        yield rule(f"pow-of-{f.called}", pow(f.term, d), pow(x, n), when=when, cite="knuth1997")


@family("power-of-root", "x ** (n + 1/2) = x ** n * sqrt(x)")
def power_of_root() -> Iterator[Rule]:
    """A power between two whole ones is the lower one times a root."""
    for r in roots():
        for f in [Power(x, 1.0, "self"), *whole_functions()]:
            n = f.exponent + r.exponent
            yield extended(f"pow-{called(n)}", pow(x, n), f.term * r.term, varies(x))


@family(
    "power-of-turned",
    "f(x) ** n = f(x * n) where f turns sums into products, f(x ** n) = f(x) * n where products into sums",
)
def power_of_turned() -> Iterator[Rule]:
    """A power with a known exponent becomes a multiple of what is under the exponential, or of the logarithm."""
    for f in [f for f in OPS.values() if f.turns and sees(f)]:
        pairs = [(inner, outer) for inner, outer, _ in turns(f)]
        for n, g in functions().items():
            name, even = f"{g.name}-of-{f.name}", n % 2 == 0
            if (SUM.name, PRODUCT.name) in pairs:
                tags = [] if frexp(max(n, -n))[0] == 0.5 else ["backward"]  # x times a power of two is exact
                yield rule(name, g(f(x)), f(-x if n == -1 else x * n), tags=tags)
            elif (PRODUCT.name, SUM.name) in pairs:
                right = -f(x) if n == -1 else f(abs(x) if even else x) * n
                tier = "stabilises" if n < 0 else "rounds"
                yield rule(f"{f.name}-of-{g.name}", f(g(x)), right, tier=tier, grows=False)


RULES = [
    power_of_turned,
    function_of_power,
    product_of_powers,
    powers_beside_factors,
    quotient_of_squares,
    power_of_power,
    power_of_root,
]
