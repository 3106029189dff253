"""Batching of convolutions and windows, whose operands get one more axis on the left; see batch_rules.py.

Where one operand of a convolution is batched, the batch joins its images or channels. Where both are, the batch
joins the groups, of which each has its own filters; ``groups=0`` says that the lengths tell their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.graph.batch_rules import _full, _refuse, rebound


def fixed_lengths(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """pool_spread: the lengths are the same for the whole batch."""
    _refuse(op, inputs, flags[1:], "a length")
    return op(*inputs)


def _into(v: Any, axis: int) -> Any:
    """The batch axis as the slower part of another axis, which is counted without it."""
    from eqsat.graph.ops.reshape import reshape
    from eqsat.graph.ops.shape import dimshuffle, length

    moved = dimshuffle(v, *range(1, axis + 1), 0, *range(axis + 1, v.ndim))
    lengths = [length(moved, a) for a in range(v.ndim)]
    return reshape(moved, (*lengths[:axis], lengths[axis] * lengths[axis + 1], *lengths[axis + 2 :]))


def _out_of(v: Any, axis: int, count: Any, n: Any) -> Any:
    """The inverse of _into, for an axis that had the length n."""
    from eqsat.graph.ops.reshape import reshape
    from eqsat.graph.ops.shape import dimshuffle, length

    lengths = [length(v, a) for a in range(v.ndim)]
    made = reshape(v, (*lengths[:axis], count, n, *lengths[axis + 1 :]))
    return dimshuffle(made, axis, *range(axis), *range(axis + 1, v.ndim + 1))


def _more_groups(op: Any, count: Any) -> Any:
    """The op with groups for the whole batch; their number is static where the batch has a known length."""
    from eqsat.graph.core import Constant

    known = int(count.data) if isinstance(count, Constant) else 0
    return rebound(op, groups=op.params["groups"] * known)


def conv_batched(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """conv: batched images join the images, batched filters the output channels, both the groups."""
    from eqsat.graph.ops.shape import length

    x, w = inputs
    if not flags[1]:
        return _out_of(op(_into(x, 0), w), 0, count, length(x, 1))
    if not flags[0] and op.params["groups"] == 1:
        return _out_of(op(x, _into(w, 0)), 1, count, length(w, 1))
    x, w = _full(inputs, flags, count)
    return _out_of(_more_groups(op, count)(_into(x, 1), _into(w, 0)), 1, count, length(w, 1))


def conv_input_batched(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """conv_input: batched gradients join the images, batched filters the input channels, both the groups."""
    from eqsat.graph.ops.shape import length

    w, dy, *lengths = inputs
    _refuse(op, inputs, flags[2:], "a length")
    if not flags[0]:
        return _out_of(op(w, _into(dy, 0), *lengths), 0, count, length(dy, 1))
    groups = op.params["groups"]
    if not flags[1] and groups == 1:
        return _out_of(op(_into(w, 1), dy, *lengths), 1, count, length(w, 2))
    w, dy = _full(inputs[:2], flags[:2], count)
    channels = length(w, 2) * groups if groups else lengths.pop(0)
    wide = _more_groups(op, count)
    given = lengths if wide.params["groups"] else [channels * count, *lengths]
    return _out_of(wide(_into(w, 0), _into(dy, 1), *given), 1, count, channels)


def conv_kernel_batched(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> Any:
    """conv_kernel: batched images join the input channels, batched gradients the output channels."""
    from eqsat.graph.ops.shape import length

    x, dy, *lengths = inputs
    _refuse(op, inputs, flags[2:], "a length")
    groups = op.params["groups"]
    if groups == 1 and not flags[1]:
        return _out_of(op(_into(x, 1), dy, *lengths), 1, count, length(x, 2))
    if groups == 1 and not flags[0]:
        return _out_of(op(x, _into(dy, 1), *lengths), 0, count, length(dy, 2))
    x, dy = _full(inputs[:2], flags[:2], count)
    wide = _more_groups(op, count)
    if groups and not wide.params["groups"]:
        lengths = [length(x, 2) // groups, *lengths]
    return _out_of(wide(_into(x, 1), _into(dy, 1), *lengths), 0, count, length(dy, 2))
