"""Opposites of a rule: rules in the other direction, equal but for names of metavariables and commuted operands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eqsat.graph.declare import OPS
from eqsat.rules.pattern import Meta, Parameter, ParameterCall, Term, Value
from eqsat.rules.rule import Rule

Names = dict[Any, Any]


def reverses(rule: Rule, rules: Iterable[Rule]) -> list[Rule]:
    """The rules that lead back from the right side to the left.

    >>> from eqsat.rules.rule import all_rules
    >>> from eqsat.verify.opposite_rules import reverses
    >>> "factor" in [r.name for r in reverses(all_rules()["distribute"], all_rules())]
    True
    """
    return [r for r in rules if r is not rule and same(((r.left, rule.right), (r.right, rule.left)))]


def same(pairs: Iterable[tuple[Any, Any]]) -> bool:
    """True where the first of each pair is the second under one renaming."""
    found: list[Names] = [{}]
    for a, b in pairs:
        found = [more for names in found for more in renamings(a, b, names)]
    return bool(found)


def renamings(a: Any, b: Any, names: Names) -> list[Names]:
    """The renamings of metavariables, beyond some that are chosen, that make one pattern the other."""
    if isinstance(a, (Meta, Parameter)):
        fits = type(a) is type(b) and getattr(a, "domain", "") == getattr(b, "domain", "")
        if names.get(a, b) != b or not fits or (a not in names and b in names.values()):
            return []
        return [{**names, a: b}]
    if type(a) is not type(b):
        return []
    if isinstance(a, Term):
        if a.op != b.op or len(a.args) != len(b.args) or len(a.params) != len(b.params):
            return []
        orders = [b.args, b.args[::-1]] if OPS[a.op].commutative and len(a.args) == 2 else [b.args]
        return [n for order in orders for n in each((*a.args, *a.params), (*order, *b.params), names)]
    if isinstance(a, (Value, ParameterCall)):
        same_function = a.function == b.function and len(a.args) == len(b.args)
        return each(a.args, b.args, names) if same_function else []
    return [names] if a == b else []


def each(a: tuple[Any, ...], b: tuple[Any, ...], names: Names) -> list[Names]:
    """The renamings that make the patterns of one list those of another."""
    found = [names]
    for one, other in zip(a, b, strict=True):
        found = [more for chosen in found for more in renamings(one, other, chosen)]
    return found
