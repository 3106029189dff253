"""The place of small factors: they meet each other before they meet what is larger than both."""

from __future__ import annotations

from collections.abc import Iterator

from eqsat.graph.declare import OPS
from eqsat.rules.facts import one_element, stretched_both, varies
from eqsat.rules.pattern import reals
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.groups import brief, groups
from eqsat.rules.schemes.scheme import family

a, x, y = reals("a x y")


@family(
    "small-operands",
    "op(op(a, x), y) = op(a, op(x, y)), where x and y are repeated along an axis of a, and one is a scalar",
    tags=["backward"],
    among=lambda d: d.numbers == "tame",
)
def small_operands() -> Iterator[Rule]:
    """Two operands meet that have fewer elements than the third; products of numbers of moderate size keep their digits.

    One of them is a scalar: with k rows there would be a form for each set of them. Quotients stay, since factors that go into
    them and out again breed. Sums stay: ``(x - max(x)) + 1e-12`` is above 0, and ``x - (max(x) - 1e-12)`` need not be.
    """
    scalar = one_element(x) & varies(y) | one_element(y) & varies(x)
    for d in [d for d in groups() if d.numbers == "tame" and d.commutative and OPS[d.inverse].poles]:
        when = scalar & varies(a) & stretched_both(x, y, a)
        sides = d(d(a, x), y), d(a, d(x, y))
        yield rule(f"small-{brief(d)}", *sides, when=when, grows=True, tags=["backward"], cite="higham2002")


RULES = [small_operands]
