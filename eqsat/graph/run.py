"""Runs one application in Python: operands it may overwrite, results checked, errors that name the lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, EqsatError, describe
from eqsat.graph.core import Apply, Type
from eqsat.graph.declare import DeclaredOp
from eqsat.graph.operand_names import met_in, operands_of


def perform(node: Apply, values: Sequence[Any], storage: list[list[Any]]) -> None:
    """Run one op; an error of the op gets the lines on which its operands were made."""
    try:
        node.op.perform(node, values, storage)
        if not isinstance(node.op, DeclaredOp):
            check_results(node, storage)
    except EqsatError as error:
        if error.operands:
            raise
        raise type(error)(error.message, operands=met_in(node), needs=error.needs, hint=error.hint) from None
    except (ValueError, TypeError, IndexError, ZeroDivisionError) as error:
        lines = "\n".join(f"  {name}  {describe(v)}" for name, v in operands_of(node))
        error.add_note(f"in {node.outputs[0]} of\n{lines}" if node.outputs else f"in {node.op} of\n{lines}")
        raise


def computed(node: Apply, values: Sequence[Any]) -> list[Any] | None:
    """The results of an op of known values; None where it refuses them: a call of the function meets the same error."""
    storage: list[list[Any]] = [[None] for _ in node.outputs]
    try:
        perform(node, values, storage)
    except Exception:
        return None
    return [box[0] for box in storage]


def check_results(node: Apply, storage: list[list[Any]]) -> None:
    """Bring what a user's op gives to the types of its outputs, or say which result does not fit."""
    for k, (variable, box) in enumerate(zip(node.outputs, storage, strict=True)):
        kind = variable.type
        if type(kind).filter is Type.filter:
            continue
        try:
            box[0] = kind.filter(box[0])
        except EqsatError as error:
            raise type(error)(f"{node.op}: result {k}: {error.message}", needs=error.needs) from None
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"{node.op}: result {k}: {error}") from None


def destroyed(node: Apply) -> tuple[int, ...]:
    """Positions of the operands that an op says it overwrites."""
    found = getattr(node.op, "destroy_map", None)
    return tuple(sorted({k for places in found.values() for k in places})) if found else ()


def guarded(
    places: Sequence[int], values: list[Any], free: Sequence[bool], alive: Iterable[Any]
) -> list[Any]:
    """Operands with copies of those that an op overwrites although somebody else may see their memory.

    ``free`` says for each operand that no later step reads it; ``alive`` are all values that exist.
    """
    result = list(values)
    for k in places:
        if not (free[k] and _alone(values[k], alive)):
            result[k] = copied(values[k])
    return result


def _alone(value: Any, alive: Iterable[Any]) -> bool:
    """True for an array that owns its memory, of which no other value that exists is a view."""
    if not isinstance(value, np.ndarray) or value.base is not None or not value.flags.writeable:
        return False
    return sum(other is value or getattr(other, "base", None) is value for other in alive) == 1


def copied(value: Any) -> Any:
    """A copy that may be overwritten, of an array or of any Python object."""
    if isinstance(value, np.ndarray):
        return value.copy()
    from copy import deepcopy

    return deepcopy(value)
