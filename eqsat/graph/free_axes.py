"""Axes along which an op computes each part of its result from that part of its operands alone, or adds up parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.graph.core import Apply
from eqsat.lengths.signature import BROADCAST, Axes


def free_axes(apply: Apply) -> list[int | None] | None:
    """Per operand its axis that runs along axis 0 of all results, None for one that is needed as a whole.

    None where the first row of a result may depend on other rows of the operands. An op of one tensor with a parameter
    ``axes`` or ``axis`` computes along these alone; leading axes written as ``...`` in a signature, and lengths that the
    declaration calls ``free``, are of independent parts.
    """
    op: Any = apply.op
    d = op.declaration
    if d.shapes is None or any(not hasattr(v.type, "shape") for v in (*apply.inputs, *apply.outputs)):
        return None
    if tuple(d.parameters) in (("axes",), ("axis",)) and len(d.tensors) == 1:
        return _beside(apply, *op.params.values())
    return _by_letters(apply, d.shapes, d.free.split())


def summed_axes(apply: Apply) -> list[list[int | None]]:
    """Per length along which results for parts of the operands add up: the axis of each operand, None where it has none.

    Truths are not added up, but joined by ``or``.
    """
    d = apply.op.declaration  # type: ignore[attr-defined]
    kinds: list[Any] = [v.type for v in (*apply.inputs, *apply.outputs)]
    if not d.sums or d.shapes.repeated or any(getattr(k, "dtype", "bool") == "bool" for k in kinds):
        return []
    operands = list(zip(d.shapes.operands, apply.inputs, strict=True))
    return [[_place(axes, v, n) for axes, v in operands] for n in d.sums.split()]


def _beside(apply: Apply, along: Any) -> list[int | None] | None:
    """Every operand has its rows along axis 0, where the op computes along others."""
    ndims = {v.type.ndim for v in (*apply.inputs, *apply.outputs)}  # type: ignore[attr-defined]
    axes = along if isinstance(along, tuple) else (along,)
    return None if 0 in axes or len(ndims) > 1 or ndims == {0} else [0 for _ in apply.inputs]


def _by_letters(apply: Apply, signature: Any, free: Sequence[str]) -> list[int | None] | None:
    known = len(signature.operands), len(signature.results)
    if signature.repeated or known != (len(apply.inputs), len(apply.outputs)):
        return None
    firsts = {_first(axes, v) for axes, v in zip(signature.results, apply.outputs, strict=True)}
    if len(firsts) > 1:
        return None
    (first,) = firsts
    if first is None or isinstance(first, str) and first not in free:
        return None
    found = [_place(axes, v, first) for axes, v in zip(signature.operands, apply.inputs, strict=True)]
    return None if all(a is None for a in found) else found


def _first(axes: Axes, v: Any) -> str | int | None:
    """The name of the first axis; for one of those that broadcast, their number."""
    stacked = v.type.ndim - len(axes.before) - len(axes.after)
    if axes.before:
        return axes.before[0]
    if axes.rest is not None and stacked:
        return stacked if axes.rest == BROADCAST else None
    return axes.after[0] if axes.after else None


def _place(axes: Axes, v: Any, first: str | int) -> int | None:
    """The axis of an operand with a name."""
    if isinstance(first, int):
        same = axes.rest == BROADCAST and _first(axes, v) == first
        return 0 if same and v.type.shape[0] != 1 else None
    if first in axes.before:
        return axes.before.index(first)
    if first in axes.after:
        return int(v.type.ndim) - len(axes.after) + axes.after.index(first)
    return None
