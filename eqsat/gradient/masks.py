"""Gradients that a choice has masked stay 0 where the branch is not taken, whatever the branch's derivative is.

The gradient of ``switch(c, f(x), y)`` for f(x) is ``switch(c, dy, 0)``. Where f'(x) is infinite or NaN, the chain
rule would make 0 * inf = NaN of it. So the chain rule goes on with dy itself, and what it gives is masked again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eqsat.graph.constant import cast_to
from eqsat.graph.core import Apply, Constant
from eqsat.graph.ops.elemwise import switch
from eqsat.graph.ops.rows import sum_of_gradients

Mask = tuple[Any, bool]  # a condition, and the value of it where the gradient is kept
Masks = tuple[Mask, ...]  # the outermost first


def _name(node: Apply | None) -> str:
    return getattr(node.op, "name", "") if node is not None else ""


def _is_nothing(variable: Any) -> bool:
    """True for a number that is 0, also one that got axes."""
    if _name(variable.owner) == "dimshuffle":
        variable = variable.owner.inputs[0]
    return isinstance(variable, Constant) and variable.data.size == 1 and not variable.data.any()


def unmasked(gradient: Any) -> tuple[Any, Masks]:
    """A gradient as it is where its masks keep it, and the masks; they are seen through added axes."""
    masks: list[Mask] = []
    while (found := _one_mask(gradient)) is not None:
        gradient, mask = found
        masks.append(mask)
    return gradient, tuple(masks)


def _one_mask(gradient: Any) -> tuple[Any, Mask] | None:
    owner, steps = gradient.owner, []
    while _name(owner) in ("dimshuffle", "fill"):
        steps.append(owner)
        owner = owner.inputs[-1].owner
    if _name(owner) != "switch":
        return None
    condition, *branches = owner.inputs
    for kept, inner, other in ((True, *branches), (False, *reversed(branches))):
        if _is_nothing(other):
            inner = cast_to(inner, gradient.type.dtype)
            for step in reversed(steps):
                inner = step.op(*step.inputs[:-1], inner)
                if _name(step) == "dimshuffle":
                    condition = step.op(condition)
            return inner, (condition, kept)
    return None


def masked(piece: Any, masks: Masks) -> Any:
    """A gradient with masks put on."""
    if piece is None or not masks or not hasattr(piece.type, "dtype"):
        return piece
    zero = np.zeros((), piece.type.dtype)
    for condition, kept in reversed(masks):
        piece = switch(condition, piece, zero) if kept else switch(condition, zero, piece)
    return piece


def sum_of_masked(total: Any, piece: Any) -> Any:
    """The sum of two gradients of one variable, behind the masks that both have."""
    (one, masks), (other, others) = unmasked(total), unmasked(piece)
    count = 0
    while count < min(len(masks), len(others)) and _same(masks[count], others[count]):
        count += 1
    if not count:
        return sum_of_gradients(total, piece)
    rests = masked(one, masks[count:]), masked(other, others[count:])
    return masked(sum_of_gradients(*rests), masks[:count])


def _same(one: Mask, other: Mask) -> bool:
    """True for masks with one condition, also where each got axes for itself."""
    (a, kept), (b, also) = one, other
    while a is not b and _name(a.owner) == _name(b.owner) == "dimshuffle" and a.owner.op == b.owner.op:
        a, b = a.owner.inputs[0], b.owner.inputs[0]
    return a is b and kept == also
