"""The names that errors use for the operands of an op: the user's where given, else those of the op."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def named(op: Any, inputs: Sequence[Any]) -> list[tuple[str, Any]]:
    """Operands with the names to use in an error: the user's where given, else the op's."""
    tensors = op.declaration.tensors
    return [
        (
            _users_name(v)
            or (tensors[i] if i < len(tensors) and not op.declaration.variadic else operand_name(v, i)),
            v,
        )
        for i, v in enumerate(inputs)
    ]


def operand_name(v: Any, place: int) -> str:
    """The name of an operand, or the expression that it is; of an input without a name its place."""
    return f"operand {place}" if v.name is None and v.owner is None else str(v)


def _users_name(v: Any) -> str | None:
    """The user's name of a variable, or of that of which it is another view, as a vector made a matrix for a product."""
    while v.name is None and v.owner is not None and getattr(v.owner.op, "name", "") == "dimshuffle":
        v = v.owner.inputs[0]
    return str(v.name) if v.name is not None else None
