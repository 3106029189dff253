"""Whole numbers: rounding leaves them as they are, whatever made them."""

from __future__ import annotations

from collections.abc import Iterator

from eqsat.graph.declare import OPS
from eqsat.rules.pattern import reals
from eqsat.rules.rule import Rule, rule
from eqsat.rules.schemes.scheme import family

x = reals("x")


@family("whole-number-rounded", "f(g(x)) = g(x)", among=lambda d: d.whole == "kept")
def rounded_again() -> Iterator[Rule]:
    """The outer function goes, where the results of the inner one are whole."""
    whole = [d for d in OPS.values() if d.whole]
    for f in (d for d in whole if d.whole == "kept"):
        for g in whole:
            yield rule(f"{f.name}-of-{g.name}", f(g(x)), g(x), tier="exact")


RULES = [rounded_again]
