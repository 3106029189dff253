"""Metavariables for the operands and parameters of an op, and the conditions that schemes ask of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from math import inf
from operator import and_ as both
from typing import Any

from eqsat.graph.declare import OPS, Declaration
from eqsat.graph.ops.elemwise import and_, ge, le
from eqsat.rules.condition import Condition
from eqsat.rules.facts import not_above, not_below
from eqsat.rules.pattern import Meta, Term, anything, as_pattern, bools, parameters, places, reals

_i, _j = places("i j")
BOUNDS = (("", "", ()), ("-at", "_at", (_i,)), ("-between", "_at_two", (_i, _j)))
"""Parts with no, one and two bounds that come at run time: their names in rules, the names of calls, the bounds."""
OF_LETTER = {"?": bools, "a": anything}  # of a signature; other operands are numbers


def operands(d: Declaration, domain: Any = reals) -> dict[str, Any]:
    """Metavariables for the operands of an op by name."""
    letters = dict(zip(d.tensors, d.signature.partition("->")[0].split(","), strict=False))
    return {t: OF_LETTER.get(letters.get(t, ""), domain)(t) for t in d.tensors}


def applied(d: Declaration, *given: Any, **values: Any) -> Term:
    """An op applied to patterns; a parameter that is not given has a metavariable of its name."""
    own = tuple(values[name] if name in values else parameters(name) for name in d.parameters)
    return Term(d.name, tuple(map(as_pattern, given)), own)


def applied_to(d: Declaration, given: Mapping[str, Any], **changed: Any) -> Term:
    """An op without parameters applied to operands by name, some of them changed."""
    return applied(d, *({**given, **changed}[t] for t in d.tensors))


def sees(d: Declaration) -> bool:
    """True for an elementwise op of which rules see all: no parameters, no complex numbers."""
    return d.kind == "elemwise" and not d.parameters and not d.variadic and "c" not in d.signature


def joined(*conditions: Condition | None) -> Condition | None:
    """All of some conditions; None where there is none."""
    found = [c for c in conditions if c is not None]
    return reduce(both, found) if found else None


def inside(d: Declaration, x: Meta) -> Condition | None:
    """The condition that the first operand of an op lies where its result is a number; None where that is everywhere."""
    low, high = d.domain
    first = None if low == -inf else x >= 0 if low == 0 else not_below(x, low)
    return joined(first, None if high == inf else not_above(x, high))


def is_inside(d: Declaration, x: Meta) -> Any:
    """The same as a tensor of truth values; None where that is everywhere."""
    tests = [f(x, v) for f, v in zip((ge, le), d.domain, strict=True) if abs(v) != inf]
    return reduce(and_, tests) if tests else None


def declared(field: str, value: str) -> Declaration | None:
    """The first op that declares something."""
    return next((d for d in OPS.values() if getattr(d, field) == value), None)
