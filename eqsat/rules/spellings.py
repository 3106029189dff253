"""Laws that hold of several spellings of an expression: of the ways in which a quotient is written, a difference, or a power."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import nan
from typing import Any

from eqsat.graph.declare import Declaration
from eqsat.graph.ops.elemwise import eq, neg, or_, switch
from eqsat.rules.condition import Condition
from eqsat.rules.facts import nonzero, of_no_exps, uniform, varies
from eqsat.rules.facts_of_functions import EXPS, bits_of
from eqsat.rules.pattern import Meta, Term, reals
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.operands import inside, is_inside

w, t = reals("w t")


def quotients(
    name: str, top: Any, divisor: Any, result: Any, deep: bool = False, **options: Any
) -> Iterator[Rule]:
    """A rule for each way to write ``top / divisor``, alone or with other factors, w and t; ``deep`` for two of them.

    Gradients leave quotients with a weight above, and with the weight over the divisor. Where ``top`` is made of
    exponentials, its multiple is one by what is not: such a factor belongs to ``top``.

    Products with ``1 / divisor`` are quotients by another rule.
    """
    ways = [
        ("", top / divisor, result),
        ("-of-multiple", (w * top) / divisor, multiple(result)),
        ("-by-multiple-over", top * (w / divisor), multiple(result)),
    ]
    if deep:
        ways += [
            ("-of-multiple-by-multiple-over", (w * top) * (t / divisor), (w * t) * result),
            ("-by-multiple-of-quotient", top * (w * (t / divisor)), (w * t) * result),
        ]
    when = options.pop("when", None)
    made = when is not None and any(bits_of(fact) & EXPS for fact, _ in when.facts)
    bare = when & of_no_exps(w) if made else when
    for end, left, right in ways:
        yield rule(
            f"{name}{end}",
            left,
            right,
            grows=False,
            when=bare if end.startswith("-of-multiple") else when,
            **options,
        )


def where_defined(
    name: str, left: Any, right: Any, inner: Declaration, x: Meta, **options: Any
) -> Iterator[Rule]:
    """The rules that ``left``, with a function of x in it, is ``right`` where that is defined, and NaN elsewhere."""
    yield rule(name, left, right, when=inside(inner, x), **options)
    anywhere = switch(is_inside(inner, x), right, nan)
    yield rule(f"{name}-anywhere", left, anywhere, grows=False, **options)


def sums(name: str, one: Any, other: Any, total: Any, **options: Any) -> Iterator[Rule]:
    """The rules that ``one + other`` is a total, and each of them the total less the other."""
    yield rule(name, one + other, total, **options)
    yield rule(f"{name}-less-first", total - one, other, **options)
    yield rule(f"{name}-less-second", total - other, one, **options)


def lessened(name: str, word: str, number: float, f: Any, result: Any, **options: Any) -> Iterator[Rule]:
    """The rules that a number less a function is a result, however the sign is written, and the function less it the negative."""
    yield rule(f"{word}-minus-{name}", number - f, result, tags=["through"], **options)
    yield rule(f"{word}-plus-neg-{name}", number + neg(f), result, **options)
    yield rule(f"minus-{word}-minus-neg-{name}", -number - neg(f), negative(result), **options)
    yield rule(f"{name}-minus-{word}", f + -number, negative(result), tags=["through"], **options)


def differences(name: str, top: Any, less: Any, result: Any, **options: Any) -> Iterator[Rule]:
    """The rules that ``top - less`` is a result, and ``less - top`` its negative."""
    yield rule(f"{name}-minus", top - less, result, **options)
    yield rule(f"minus-{name}", less - top, negative(result), **options)


def negative(result: Any) -> Any:
    """The negative of a result, which is no sign of a sign."""
    return result.args[0] if isinstance(result, Term) and result.op == "neg" else neg(result)


def multiple(result: Any) -> Any:
    """w times a result, which is a quotient where that is one over something."""
    return w / result.args[0] if isinstance(result, Term) and result.op == "reciprocal" else w * result


def of_powers(
    name: str,
    left: Any,
    exponent: Any,
    log: Any,
    outer: Callable[[Any], Any] = lambda v: v,
    when: Condition | None = None,
    **options: Any,
) -> Iterator[Rule]:
    """The rules that ``left``, made of ``b ** exponent``, is ``outer(exponent * log)``, where ``log`` is that of b.

    ``b ** 0`` and ``1 ** c`` are 1 also for operands that are infinite, where the product is NaN: an exponent that is no
    known number leaves a power with a choice.
    """
    product = exponent * log
    chosen = switch(or_(eq(exponent, 0), eq(log, 0)), 0, product)
    for end, right, known in [
        ("", product, uniform(exponent) & nonzero(exponent)),
        ("-any-exponent", chosen, varies(exponent)),
    ]:
        yield rule(
            name + end,
            left,
            outer(right),
            when=known if when is None else when & known,
            grows=False,
            **options,
        )
