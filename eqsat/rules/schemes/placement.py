"""The place of small factors and divisors: they meet each other before they meet what is larger than both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eqsat.graph.declare import OPS, Declaration
from eqsat.rules.condition import Condition
from eqsat.rules.facts import one_element, stretched_both, varies
from eqsat.rules.pattern import reals
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.groups import brief, groups
from eqsat.rules.schemes.scheme import family

a, x, y = reals("a x y")


def ways(d: Declaration) -> Iterator[tuple[str, Any, Any, Condition]]:
    """A name, both sides, and the condition of each way in which a meets x and y, one after the other or both at once.

    Of products one of the small operands has one element: with k rows there would be a form for each set of them. Two known numbers are joined where that is known to lose nothing, and divisors that are numbers are factors.
    """
    z, plus, minus = OPS[d.inverse], brief(d), brief(OPS[d.inverse])
    yield (
        f"{plus}-{plus}",
        d(d(a, x), y),
        d(a, d(x, y)),
        one_element(x) & varies(y) | one_element(y) & varies(x),
    )
    yield f"{minus}-{plus}", z(d(a, x), y), d(a, z(x, y)), varies(y)
    yield f"{plus}-{minus}", d(z(a, x), y), d(a, z(y, x)), varies(x)
    yield f"{minus}-{minus}", z(z(a, x), y), z(a, d(x, y)), varies(x) & varies(y)
    yield f"{plus}-{minus}-above", d(z(x, a), y), z(d(x, y), a), varies(x) | varies(y)
    yield f"{minus}-{minus}-above", z(z(x, a), y), z(z(x, y), a), varies(y)


@family(
    "small-operands",
    "op(op(a, x), y) = op(a, op(x, y)), z(z(a, x), y) = z(a, op(x, y)), where x and y are repeated along an axis of a",
    tags=["backward"],
)
def small_operands() -> Iterator[Rule]:
    """Two operands meet that have fewer elements than the third; products of numbers of moderate size keep their digits.

    Sums stay: ``(x - max(x)) + 1e-12`` is above 0, and ``x - (max(x) - 1e-12)`` need not be.
    """
    for d in [d for d in groups() if d.numbers == "tame" and d.commutative]:
        for name, left, right, known in ways(d):
            when = known & varies(a) & stretched_both(x, y, a)
            yield rule(
                f"small-{name}", left, right, when=when, grows=True, tags=["backward"], cite="higham2002"
            )


RULES = [small_operands]
