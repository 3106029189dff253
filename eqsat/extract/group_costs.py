"""Prices of groups of rows, and of the same steps one after the other: bytes by how near they lie, and calls.

A group reads and writes far memory for what others need; what its steps hand to each other lies near. Its calls run once for
each block of rows, with what they need as a whole, and each of its kernels begins anew in each block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import ceil, inf, prod
from typing import Any

from eqsat.extract.cost import CostModel, Lengths
from eqsat.extract.step_costs import Shapes, is_window, kernel_work, shape_of, size, step_cost
from eqsat.graph.plan import (
    BLOCK_BYTES,
    BLOCK_MOST,
    BLOCK_SIDE,
    BLOCK_TIMES,
    Call,
    Kernel,
    Rows,
    Step,
    reads,
    writes,
)


def steps_seconds(steps: Iterable[Step], model: CostModel, shape: Shapes = shape_of) -> float:
    """Seconds of steps that run one after the other, where what has no known length may lie in memory."""
    return sum(_seconds(step, model, shape, 2 * model.outer) for step in steps)


def _seconds(step: Step, model: CostModel, shape: Shapes, unknown: float) -> float:
    if isinstance(step, Rows):
        return group_seconds(step, model, shape, unknown)
    variables = [*reads(step), *writes(step)]
    if not isinstance(step, Kernel):
        moved = 0.0 if _is_view(step) else _bytes(variables, model, shape)
        far = model.traffic(moved, held_by(variables, moved, shape, unknown))
        return max(far, _call_seconds(step, model, shape))
    work = kernel_work(step, model, shape)
    held = held_by(variables, work.moved, shape, unknown)
    return model.kernel_seconds(work.flops, work.moved, held, work.rows) + work.finds


def group_seconds(step: Rows, model: CostModel, shape: Shapes = shape_of, unknown: float = 0.0) -> float:
    """Seconds of a group; what has no known length takes so many bytes or more."""
    rows, some, _ = blocks_of(step, model, shape)
    parts = 2 * (ceil(rows / some) - 1) * _bytes(_parts(step), model, shape)
    return model.group + model.traffic(parts) + sum(members_seconds(step, model, shape, unknown))


def members_seconds(
    step: Rows, model: CostModel, shape: Shapes = shape_of, unknown: float = 0.0
) -> Iterator[float]:
    """Seconds of each step of a group, inside of it.

    What a kernel moves comes from afar the first time that a step of the group touches it, and is near afterwards.
    A device that runs more blocks at once than there are rows is idle in part.
    """
    outside = _memory([*reads(step), *writes(step)])
    held = held_by(outside, _bytes(outside, model, shape), shape, unknown)
    rows, some, block = blocks_of(step, model, shape)
    blocks, inner, idle = ceil(rows / some), _inside(step, some), max(1.0, model.blocks / rows)
    for member, inside in zip(step.members, step.plan.steps, strict=True):
        first = outside & _memory([*reads(member), *writes(member)])
        outside -= first
        far = _bytes(first, model, shape)
        if not isinstance(member, Kernel):
            yield max(model.traffic(far, held), blocks * _call_seconds(inside, model, inner))
            continue
        work = kernel_work(member, model, shape)
        far = min(work.moved, far)
        moved = model.traffic(far, held) + model.traffic(work.moved - far, block)
        yield blocks * model.step + idle * model.overlapped(work.flops, moved, work.rows) + work.finds


def blocks_of(step: Rows, model: CostModel, shape: Shapes = shape_of) -> tuple[float, float, float]:
    """The rows of a group, those of a block, and the bytes of a block."""
    known = [n for v, _, axis in step.rowed if (n := shape(v)[axis]) is not None]
    rows = max(1.0, model.lengths((known[0] if known else None,))[0])
    whole = {v for v, _ in step.fixed}
    inside = {v for s in step.members for v in (*reads(s), *writes(s))} - whole
    row = max(1.0, _bytes_of_memory(inside, model, shape) / rows)
    wanted = max(BLOCK_BYTES, BLOCK_TIMES * _bytes(_parts(step), model, shape))
    some = max(1.0, wanted // row)
    if step.across:
        some = _wide_enough(step, max(1.0, BLOCK_MOST // row), model, shape)
    some = min(rows, some)
    return rows, some, some * row


def _wide_enough(step: Rows, some: float, model: CostModel, shape: Shapes) -> float:
    """So many rows that are spread over memory, all where they are too narrow; what is not known is taken to be wide enough."""
    lengths = [shape(v)[axis:] for v, _, axis in step.rowed]
    if any(None in n for n in lengths):
        return some
    beside = max(prod(model.lengths(n[1:])) for n in lengths)
    return some if some * min(beside, BLOCK_SIDE) >= BLOCK_SIDE else inf


def _parts(step: Rows) -> list[Any]:
    """Results over all rows, of which each block gives a part."""
    return [v for v, _, how in step.results if not isinstance(how, int)]


def _inside(step: Rows, some: float) -> Shapes:
    """The lengths of variables inside a group, while it computes some rows."""

    def shape(v: Any) -> Lengths:
        found, at = shape_of(v), step.axis.get(v)
        return found if at is None or not found else (*found[:at], int(some), *found[at + 1 :])

    return shape


def _call_seconds(step: Step, model: CostModel, shape: Shapes) -> float:
    return 0.0 if _is_view(step) else step_cost(step, model, shape).seconds


def _is_view(step: Step) -> bool:
    return isinstance(step, Call) and is_window(step.apply.op)


def held_by(variables: Iterable[Any], moved: float, shape: Shapes, unknown: float) -> float:
    """Bytes that are in use while a step runs; ``unknown`` or more where a length is not known."""
    return moved if all(None not in shape(v) for v in variables) else max(moved, unknown)


def _memory(variables: Iterable[Any]) -> set[Any]:
    """The variables whose memory others show, which may be themselves."""
    found = set()
    for v in variables:
        while v.owner is not None and is_window(v.owner.op):
            v = v.owner.inputs[0]
        found.add(v)
    return found


def _bytes_of_memory(variables: Iterable[Any], model: CostModel, shape: Shapes) -> float:
    """Bytes of variables, of which those that show the same memory count once."""
    found: dict[Any, float] = {}
    for v in variables:
        for memory in _memory([v]):
            found[memory] = max(found.get(memory, 0.0), size(v, model, shape))
    return sum(found.values())


def _bytes(variables: Iterable[Any], model: CostModel, shape: Shapes) -> float:
    return sum(size(v, model, shape) for v in variables)
