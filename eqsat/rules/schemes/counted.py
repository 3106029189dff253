"""Laws of what is counted: an op that folds n times one value is the plain one wherever the two agree for n = 0."""

from __future__ import annotations

from collections.abc import Iterator

from eqsat.graph.declare import OPS, Declaration
from eqsat.rules.facts import finite, nonzero
from eqsat.rules.pattern import numbers
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.scheme import scheme


def counting(d: Declaration) -> Declaration:
    """The op of a value and a number n that folds n times this value by an operation; nothing is folded for n = 0."""
    return OPS[d.counted or d.repeats]


@scheme(
    "counted",
    "z(x, n) = r(x, n) for finite x or some n, where z folds n times x and r does for n > 0",
    holds=lambda d: bool(d.counted),
    needs=lambda op: [OPS[op].counted],
)
def counted(d: Declaration) -> Iterator[Rule]:
    """A sum of n equal numbers is a product, unless the number may be infinite and there may be none of it."""
    z, r = OPS[d.counted], OPS[d.repeats]
    x, n = numbers("x n")
    for word, tier, when in (("finite", "extends", finite(x)), ("some", "exact", nonzero(n))):
        yield rule(f"{z.name}-of-{word}", z(x, n), r(x, n), tier=tier, when=when)


RULES = [counted]
