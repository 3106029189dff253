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


def counts(d: Declaration) -> list[Declaration]:
    """The operations whose repetition an op is, where each declares it."""
    return [o for o in OPS.values() if o.counted == d.name]


@scheme(
    "counted",
    "z(x, n) = r(x, n) for finite x or some n, where z folds n times x and r does for n > 0",
    holds=lambda z: bool(counts(z)),
    needs=lambda op: [op],
)
def counted(z: Declaration) -> Iterator[Rule]:
    """A sum of n equal numbers is a product, unless the number may be infinite and there may be none of it."""
    x, n = numbers("x n")
    for d in counts(z):
        r = OPS[d.repeats]
        for word, tier, when in (("finite", "extends", finite(x)), ("some", "exact", nonzero(n))):
            yield rule(f"{z.name}-of-{word}", z(x, n), r(x, n), tier=tier, when=when)


RULES = [counted]
