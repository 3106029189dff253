"""Proofs of elementwise rules by sympy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

from eqsat.graph.declare import OPS
from eqsat.rules.pattern import (
    Meta,
    Number,
    Term,
    Value,
    metas_of,
    subterms,
)
from eqsat.rules.rule import Rule
from eqsat.verify.points import facts_of, is_elementwise
from eqsat.verify.real_names import closed_form
from eqsat.verify.sides import Undefined


def proved(rule: Rule) -> bool | None:
    """True where sympy shows both sides of an elementwise rule on floats equal; None where it cannot say.

    >>> from eqsat.rules.rule import all_rules
    >>> from eqsat.verify import proved
    >>> proved(all_rules()["log-exp"])
    True
    """
    if rule.others:
        single = [proved(replace(rule.turned(k), others=())) for k in range(len(rule.pairs))]
        return True if all(single) else None
    if not readable(rule):
        return None
    import sympy

    metas = metas_of(rule.left) | metas_of(rule.right)
    try:
        names = {m.name: sympy.Symbol(m.name, **assumptions(rule, m)) for m in metas}
    except ValueError:  # facts that contradict each other
        return None

    def text(pattern: Any) -> Any:
        if isinstance(pattern, Meta):
            return names[pattern.name]
        if isinstance(pattern, Number):
            return closed_form(pattern.value)
        if isinstance(pattern, Value):
            if pattern.function == "value":
                return names[pattern.args[0].name]
            a, b = (text(v) if isinstance(v, Value) else sympy.nsimplify(v) for v in pattern.args)
            return {"+": a + b, "-": a - b, "*": a * b, "/": a / b}[pattern.function]
        d = OPS[pattern.op]
        if d.real is None or not pattern.args:
            raise Undefined(pattern.op)
        inner = dict(zip(d.tensors, map(text, pattern.args), strict=True))
        return sympy.sympify(d.real, locals={**{k: sympy.Symbol(k) for k in d.tensors}}).subs(
            inner, simultaneous=True
        )

    try:
        difference = text(rule.left) - text(rule.right)
        return True if sympy.simplify(difference) == 0 else None
    except (Undefined, TypeError, ValueError, AttributeError, NotImplementedError):
        return None


def proof_status(rule: Rule) -> str:
    """ "proved", "not provable" for a rule that sympy cannot decide, "not tried" for one that it does not read.

    >>> from eqsat.rules.rule import all_rules
    >>> from eqsat.verify.proof import proof_status
    >>> proof_status(all_rules()["log-exp"]), proof_status(all_rules()["sum-of-mul-in-x"])
    ('proved', 'not tried')
    """
    if not readable(rule):
        return "not tried"
    try:
        return "proved" if proved(rule) else "not provable"
    except ImportError:
        return "not tried"


def readable(rule: Rule) -> bool:
    """True for a rule of elementwise ops that have a formula."""
    return is_elementwise(rule) and not any(map(chooses, both(rule)))


def chooses(p: Term) -> bool:
    """True for an op whose formula sympy does not read: one of truth, a choice, or one that depends on dtypes."""
    d = OPS[p.op]
    return bool(d.parameters) or not {"?", "i", "a"}.isdisjoint(d.signature.partition("->")[0].split(","))


def both(rule: Rule) -> Iterator[Term]:
    """Terms of both sides."""
    for side, _ in product((rule.left, rule.right), (0,)):
        yield from (p for p in subterms(side) if isinstance(p, Term))


def assumptions(rule: Rule, meta: Meta) -> dict[str, bool]:
    """The properties of a metavariable that sympy may assume."""
    names = {"positive": "positive", "nonneg": "nonnegative", "negative": "negative", "nonpos": "nonpositive"}
    known = {"real": True, "nonzero": True}
    for fact, args in facts_of(rule):
        if fact in names and args[0] == meta:
            known[names[fact]] = True
            if fact in ("nonneg", "nonpos"):
                known.pop("nonzero", None)
    return known
