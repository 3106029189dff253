"""Gradients that a choice has masked stay 0 where the branch is not taken, whatever the branch's derivative is.

The gradient of ``switch(c, f(x), y)`` for f(x) is ``switch(c, dy, 0)``. Where f'(x) is infinite or NaN, the chain
rule would make 0 * inf = NaN of it. So the mask goes along: every gradient made of a masked one is masked again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.graph.core import Apply, Constant
from eqsat.graph.ops.elemwise import switch
from eqsat.graph.ops.shape import dimshuffle_op

Mask = tuple[Any, bool]  # a condition, and the value of it where the gradient is kept


def _name(node: Apply | None) -> str:
    return getattr(node.op, "name", "") if node is not None else ""


def _value(variable: Any) -> Any:
    """Data of a constant, also of one that got axes."""
    if _name(variable.owner) == "dimshuffle":
        variable = variable.owner.inputs[0]
    return variable.data if isinstance(variable, Constant) else None


def mask_of(gradient: Any) -> Mask | None:
    """The condition outside of which a gradient is a constant 0, seen through added axes."""
    owner, steps = gradient.owner, []
    while _name(owner) in ("dimshuffle", "fill"):
        steps.append(owner.op)
        owner = owner.inputs[-1].owner
    if _name(owner) != "switch":
        return None
    condition, *branches = owner.inputs
    for kept, other in ((True, branches[1]), (False, branches[0])):
        data = _value(other)
        if data is not None and not np.any(data):
            return _moved(condition, steps), kept
    return None


def _moved(condition: Any, steps: list[Any]) -> Any:
    for op in reversed(steps):
        if op.name == "dimshuffle":
            condition = dimshuffle_op.bind(**op.params)(condition)
    return condition


def _harmless(node: Apply) -> bool:
    """True for an op that multiplies a gradient by nothing that can be infinite or NaN."""
    name = _name(node)
    if node.op.declaration.finite_slope:  # type: ignore[attr-defined]
        return True
    if name not in ("mul", "truediv"):
        return False
    known = [_value(v) for v in node.inputs]
    if name == "truediv":
        return known[1] is not None and bool(np.all(known[1] != 0))
    return sum(d is None for d in known) <= 1 and all(np.all(np.isfinite(d)) for d in known if d is not None)


def mask_for(node: Apply, gradient: Any) -> Mask | None:
    """The mask that the gradients for a node's operands need again; None where there is none to lose."""
    if gradient is None or node.op.declaration.kind != "elemwise" or _harmless(node):  # type: ignore[attr-defined]
        return None
    return mask_of(gradient)


def masked(piece: Any, mask: Mask | None) -> Any:
    """A gradient with a mask put on."""
    if piece is None or mask is None or not hasattr(piece.type, "dtype"):
        return piece
    condition, kept = mask
    zero = np.zeros((), piece.type.dtype)
    return switch(condition, piece, zero) if kept else switch(condition, zero, piece)
