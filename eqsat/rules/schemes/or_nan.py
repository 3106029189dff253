"""Ops that give NaN for a matrix that fails: what rules say of those that raise an error holds of them too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.or_nan import SUFFIX
from eqsat.rules.condition import Condition
from eqsat.rules.equality import Rule, left_terms
from eqsat.rules.pattern import Term
from eqsat.rules.schemes.scheme import scheme


def quiet(pattern: Any) -> Any:
    """A pattern with the ops that give NaN in place of those that raise."""
    if not isinstance(pattern, Term):
        return pattern
    d = OPS.find(pattern.op)
    name = pattern.op + SUFFIX if d is not None and d.failure and not d.raises else pattern.op
    return replace(pattern, op=name, args=tuple(map(quiet, pattern.args)))


def _condition(when: Condition | None) -> Condition | None:
    if when is None:
        return None
    return replace(when, facts=tuple((name, tuple(map(quiet, args))) for name, args in when.facts))


def twin(r: Rule) -> Rule:
    """A rule on the ops that give NaN."""
    others = tuple((quiet(a), quiet(b)) for a, b in r.others)
    prices = tuple(map(quiet, r.prices))
    return replace(
        r, name=f"{r.name}-or-nan", left=quiet(r.left), right=quiet(r.right), when=_condition(r.when), others=others,
        prices=prices,
    )  # fmt: skip


def keeps_failures(r: Rule) -> bool:
    """True where the right side fails as the left one does, or the rule may say more than it."""
    return quiet(r.right) != r.right or r.tier in ("extends", "stabilises")


@scheme(
    "no-errors",
    "what holds of an op that raises an error holds of the one that gives NaN",
    holds=lambda d: bool(d.raises),
    needs=lambda op: [op],
)
def of_twins(d: Declaration) -> Iterator[Rule]:
    """The rules that are written for the op that raises."""
    from eqsat.rules.rule import all_rules

    for r in all_rules().rules:
        if any(t.op == d.raises for t in left_terms(r)) and keeps_failures(r):
            yield twin(r)


RULES = [of_twins]
