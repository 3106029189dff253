"""Parts of patterns: the ops, numbers and metavariables in them."""

from __future__ import annotations

from typing import Any, NamedTuple

from eqsat.rules.pattern import Meta, Number, Parameter, ParameterCall, Term, Value


class Parts(NamedTuple):
    """The parts of a pattern: ops, numbers, and the names of metavariables of tensors and parameters."""

    ops: list[str]
    numbers: list[float]
    bound: set[str]


def parts_of(*patterns: Any) -> Parts:
    """All that some patterns are made of, in one walk."""
    found = Parts([], [], set())
    seen = list(patterns)
    for item in seen:  # grows while it is walked through
        kind = type(item)
        if kind is Term:
            found.ops.append(item.op)
            seen += item.args
            seen += item.params
        elif kind is Meta or kind is Parameter:
            found.bound.add(item.name)
        elif kind is Value or kind is ParameterCall:
            seen += item.args
        elif kind is Number:
            found.numbers.append(item.value)
    return found


def term_size(pattern: Any) -> int:
    """Number of ops in a pattern."""
    return len(parts_of(pattern).ops)
