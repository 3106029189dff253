"""Rules that hold because of how ops are declared: they run beside every rule set, unless it leaves them out by name.

A commutative op has its operands in either order. Sums of integers, and whatever else is associative in its own arithmetic,
are regrouped; a rule marked ``multiset`` says that floats may be too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from eqsat.graph.declare import OPS, Declaration
from eqsat.rules.pattern import anything, integers
from eqsat.rules.rule import Rule, rule

TAG = "declared"
COMMUTE, REGROUP = "commute-", "regroup-"


def standing_rules() -> list[Rule]:
    """Every such rule, in the order of names.

    >>> print(*(r for r in standing_rules() if r.name.endswith("-mul")), sep="\\n")
    commute-mul: mul(x, y) = mul(y, x) [extends]
    regroup-mul: mul(mul(x, y), z) = mul(x, mul(y, z)) [exact]
    """
    found = [standing_rule(prefix + name) for name in sorted(OPS) for prefix in (COMMUTE, REGROUP)]
    return sorted(filter(None, found), key=lambda r: r.name)


def standing_rule(name: str) -> Rule | None:
    """The rule of a name, None where no op brings it."""
    prefix = next((p for p in (COMMUTE, REGROUP) if name.startswith(p)), None)
    op = None if prefix is None else OPS.find(name.removeprefix(prefix))
    if op is None or not op.commutative or (prefix == REGROUP and not op.associative):
        return None
    if prefix == COMMUTE:
        x, y = anything("x y")  # the larger of 0 and -0 is the first or the second
        return _declared(op, rule(name, op(x, y), op(y, x), tier="extends", tags=TAG, cite="definition"))
    x, y, z = integers("x y z")
    left, right = op(op(x, y), z), op(x, op(y, z))
    made = rule(name, left, right, tier="exact", tags=TAG, multiset=True, cite="definition")
    return _declared(op, made)


def _declared(op: Declaration, made: Rule) -> Rule:
    """The rule with the line of the op's declaration."""
    code: Any = op.meaning.__code__
    return replace(made, made_at=f"{code.co_filename}:{code.co_firstlineno}")
