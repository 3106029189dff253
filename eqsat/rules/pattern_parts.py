"""Parts of patterns: the ops, numbers and metavariables in them."""

from __future__ import annotations

from typing import Any, NamedTuple

from eqsat.graph.declare import OPS
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


def operand_models(term: Term, around: Any) -> list[tuple[Any, Any]]:
    """For each operand of a term the patterns of whose rank and dtype it is where it is a number; None is that of the whole side.

    The dtype is that of the operand with the same letter in the signature of the op. Where there is none and the result has
    another letter, the number of a metavariable has the dtype of this.
    """
    letters, _, out = OPS[term.op].signature.partition("->")
    names = letters.split(",")
    tensors = [(i, a) for i, a in enumerate(term.args) if not isinstance(a, (Number, Value))]
    found: list[tuple[Any, Any]] = []
    for i, operand in enumerate(term.args):
        beside = next((a for k, a in tensors if names[k : k + 1] == names[i : i + 1]), None)
        if beside is not None or OPS[term.op].kind != "elemwise":
            found.append((beside, beside))
        elif isinstance(operand, Value) and operand.function == "value" and names[i : i + 1] != [out]:
            found.append((next((a for _, a in tensors), around), operand.args[0]))
        else:
            found.append((around, around))
    return found


def term_size(pattern: Any) -> int:
    """Number of ops in a pattern."""
    return len(parts_of(pattern).ops)
