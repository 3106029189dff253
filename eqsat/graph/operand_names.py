"""The names that errors use for the operands of an op: the user's where given, else the expressions that they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def named(op: Any, inputs: Sequence[Any]) -> list[tuple[str, Any]]:
    """Operands with the names to use in an error: the user's, else the expression, else the op's, as for numbers."""
    return [(name_of(op, k, v), v) for k, v in enumerate(inputs)]


def name_of(op: Any, place: int, v: Any) -> str:
    """The name of a variable that is an operand of an op at a place."""
    if known := _users_name(v):
        return known
    declaration = getattr(op, "declaration", None)
    if v.owner is None and declaration is not None and not declaration.variadic:
        return str(declaration.tensors[place]) if place < len(declaration.tensors) else operand_name(v, place)
    return operand_name(v, place)


def operand_name(v: Any, place: int) -> str:
    """The name of an operand, or the expression that it is; of an input without a name its place."""
    return f"operand {place}" if v.name is None and v.owner is None else str(v)


def operands_of(node: Any) -> list[tuple[str, Any]]:
    """The operands of an application with the names to use in an error."""
    return named(node.op, node.inputs)


def met_in(node: Any) -> list[tuple[str, Any]]:
    """The facts of an error that a call meets in an application: the operands, and the expression with its line."""
    return [*operands_of(node), *(written(v) for v in node.outputs[:1])]


def written(v: Any) -> tuple[str, str]:
    """The expression in which a call meets an error, with the line on which it was written."""
    return "in", f"{v}   written at {v.made_at}" if v.made_at else str(v)


def _users_name(v: Any) -> str | None:
    """The user's name of a variable, or of that of which it is another view, as a vector made a matrix for a product."""
    while v.name is None and v.owner is not None and getattr(v.owner.op, "name", "") == "dimshuffle":
        v = v.owner.inputs[0]
    return str(v.name) if v.name is not None else None
