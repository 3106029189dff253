"""Bytes and flops of the steps of a plan, and the seconds that a cost model gives them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np

from eqsat.base.values import dataclass
from eqsat.extract.cost import CostModel, Lengths
from eqsat.graph.core import Variable
from eqsat.graph.declare import DeclaredOp
from eqsat.graph.plan import (
    Branch,
    Call,
    Compute,
    Kernel,
    Load,
    Loop,
    Pick,
    Pieces,
    Plan,
    Result,
    Rows,
    Step,
    reads,
    writes,
)

FUNCTION = 10.0  # flops from which an op is a function
FEW = 8  # elements of a row up to which others run beside it
STRAIGHT = 16  # elements of a kernel in a loop that has no loop of its own
Shapes = Callable[[Any], Lengths]


@dataclass(frozen=True)
class StepCost:
    """The bytes that a step reads and writes, each variable once, its flops of doubles, and its seconds."""

    read: float
    written: float
    flops: float
    seconds: float


def shape_of(variable: Any) -> Lengths:
    """The lengths that the type of a variable knows; None for the others."""
    return tuple(getattr(variable.type, "shape", ()))


def step_cost(step: Step, model: CostModel, shape: Shapes = shape_of) -> StepCost:
    """The cost of a step of a plan; ``shape`` gives the lengths of variables."""
    if isinstance(step, Kernel):
        return _kernel(step, model, shape)
    if isinstance(step, Loop):
        return _loop(step, model, shape)
    if isinstance(step, Branch):
        return _branch(step, model, shape)
    if isinstance(step, Rows):
        return _rows(step, model, shape)
    return _call(step, model, shape)


def plan_seconds(plan: Plan, model: CostModel, shape: Shapes = shape_of) -> float:
    """Seconds of all steps."""
    return sum(step_cost(step, model, shape).seconds for step in plan.steps)


def size(variable: Any, model: CostModel, shape: Shapes) -> float:
    """Bytes of a variable."""
    return prod(model.lengths(shape(variable))) * itemsize(variable)


def itemsize(variable: Any) -> int:
    """Bytes of an element."""
    return int(np.dtype(getattr(variable.type, "dtype", "float64")).itemsize)


@dataclass(frozen=True)
class Work:
    """The work of a kernel: bytes that it reads and writes, bytes of lines that it reads in part, flops of doubles, rows that
    it starts, and the seconds to find what it picks."""

    read: float
    written: float
    again: float
    flops: float
    rows: float
    finds: float

    @property
    def moved(self) -> float:
        """Bytes that the kernel moves."""
        return self.read + self.again + self.written


def kernel_work(step: Kernel, model: CostModel, shape: Shapes = shape_of) -> Work:
    """The work of a kernel; ``shape`` gives the lengths of variables."""
    loads = [e for e in step.expressions if isinstance(e, Load)]
    again = sum(size(e.variable, model, shape) for e in loads if is_turned(e))  # parts of lines are used
    read = _read(step, model, shape)
    written = sum(size(r.variable, model, shape) for r in step.results)
    flops, finds = _flops_of(step, model, shape)
    return Work(read, written, again, flops, rows_of(step, model, shape), finds)


def _kernel(step: Kernel, model: CostModel, shape: Shapes) -> StepCost:
    work = kernel_work(step, model, shape)
    seconds = model.kernel_seconds(work.flops, work.moved, rows=work.rows) + work.finds
    return StepCost(work.read, work.written, work.flops, seconds)


def _flops_of(step: Kernel, model: CostModel, shape: Shapes) -> tuple[float, float]:
    """Flops of a kernel, and the seconds to find what it picks."""
    turned = sum(is_turned(e) for e in step.expressions if isinstance(e, Load))
    folds = [(r.reduce, step.expressions[r.root]) for r in step.results if r.reduce is not None]
    each = sum(_each(step, model, shape)) + turned * model.turned
    each += sum(model.fold_flops(reduce, _dtype(e)) for reduce, e in folds)
    picks = [_pick(e, model, shape) for e in step.expressions if isinstance(e, Pick)]
    return space_of(step, model, shape) * each + sum(f for f, _ in picks), sum(s for _, s in picks)


def _each(step: Kernel, model: CostModel, shape: Shapes) -> list[float]:
    """Flops of each expression for an index of the space, of which what lies in pieces has a part."""
    parts, after, found = [1.0] * len(step.expressions), [False] * len(step.expressions), []
    for e in step.expressions:
        if isinstance(e, Pieces):
            whole = size(e.apply.outputs[0], model, shape)
            for arg, v in zip(e.args, e.apply.inputs, strict=False):
                parts[arg] = size(v, model, shape) / whole if whole else 0.0
    for k in reversed(range(len(step.expressions))):
        e = step.expressions[k]
        for arg in e.args if isinstance(e, Compute) else ():
            parts[arg] = min(parts[arg], parts[k])
    for k, e in enumerate(step.expressions):
        flops = _flops(e, model)
        args = e.args if isinstance(e, Compute) else ()
        late = any(after[a] for a in args)
        after[k] = late or flops > FUNCTION
        found.append(parts[k] * flops * (model.after if late and flops > FUNCTION else 1.0))
    return found


def _read(step: Kernel, model: CostModel, shape: Shapes) -> float:
    """Bytes that a kernel reads; what several views show is read once."""
    found: dict[Any, float] = {}
    for v in dict.fromkeys(reads(step)):
        memory = seen(v)
        found[memory] = min(size(memory, model, shape), found.get(memory, 0.0) + size(v, model, shape))
    return sum(found.values())


def seen(variable: Any) -> Any:
    """The variable whose memory another one shows."""
    while variable.owner is not None and is_window(variable.owner.op):
        variable = variable.owner.inputs[0]
    return variable


def _pick(e: Pick, model: CostModel, shape: Shapes) -> tuple[float, float]:
    """Flops of elements that are picked, and the seconds to find them."""
    op: Any = e.apply.op
    ins = [model.lengths(shape(v)) for v in e.apply.inputs]
    cost = model.cost_of(op, ins, model.lengths(shape(e.apply.outputs[0])))
    flops = model.flops(cost, itemsize(e.apply.outputs[0]))
    picked_from = size(e.apply.inputs[0], model, shape)
    return flops, model.found(cost.places, picked_from, cost.bytes or 0.0)


def _rows(step: Rows, model: CostModel, shape: Shapes) -> StepCost:
    """The bytes that a group reads and writes for steps outside of it, and the work of its steps."""
    from eqsat.extract.group_costs import group_seconds

    read, written = (sum(size(v, model, shape) for v in found) for found in (reads(step), writes(step)))
    flops = sum(step_cost(s, model, shape).flops for s in step.members)
    return StepCost(read, written, flops, group_seconds(step, model, shape))


def is_turned(load: Load) -> bool:
    """True for an operand whose elements are not read one after the other: through a transposition, every other one, from the end."""
    apply: Any = load.variable.owner
    behind = [apply.op] if apply is not None and is_window(apply.op) else []
    kind: Any = load.variable.type
    views = [getattr(v, "op", v) for v in load.views]
    if any(turns(op, apply.inputs[0].type.ndim) for op in behind):
        return True
    return bool(views) and turns(views[0], kind.ndim)


def is_window(op: Any) -> bool:
    """True for an op that shows the memory of its operand in another way."""
    return getattr(getattr(op, "declaration", None), "kind", "") == "view"


@cache
def turns(op: Any, ndim: int) -> bool:
    """True for a view in which neighbours along the last axis are not neighbours in what it shows."""
    length = 8 if ndim <= 6 else 2
    try:
        seen = op.compute(np.zeros((length,) * ndim, np.uint8))  # one element alone is read
    except Exception:  # parts that the type of the operand does not have
        return False
    return bool(seen.ndim) and seen.shape[-1] > 1 and seen.strides[-1] != 1


def _dtype(e: Any) -> str:
    kind: Any = e.variable.type if isinstance(e, Load) else e
    return str(kind.dtype)


def folded_rows(reduce: Any, result: Any, model: CostModel, shape: Shapes = shape_of) -> float:
    """The rows that a reduction folds, each on its own; none where its last axis is not folded, or there is one result."""
    lengths = model.lengths(shape(result))
    return prod(lengths) if len(lengths) - 1 in reduce.params["axes"] and prod(lengths) > 1 else 0.0


def rows_of(step: Kernel, model: CostModel, shape: Shapes = shape_of) -> float:
    """The rows that a kernel starts, those of few elements as parts of one; none where it runs over all elements in one loop.

    One that is folded in vectors is one row, in a wider dtype two and a half; one of a broadcast is half, and one of columns, which are folded side by side.
    """
    *outer, last = lengths_of(step, model, shape) or [1.0]
    weight = max((_folds_rows(step, r) for r in step.results if r.reduce is not None), default=0.0)
    if not weight and not any(r.reduce is not None for r in step.results):
        weight = 0.5 * any(_is_broadcast(e, step.ndim, shape) for e in step.expressions)
    return weight * prod(outer) * min(1.0, last / FEW) if outer else 0.0


def _folds_rows(step: Kernel, result: Result) -> float:
    axes = result.reduce.params["axes"]
    if len(axes) == step.ndim:
        return 0.0
    if step.ndim - 1 not in axes:
        return 0.4
    dtype = _dtype(step.expressions[result.root])
    return 2.5 if result.reduce.declaration.reduction.accumulator.get(dtype, dtype) != dtype else 1.0


def _is_broadcast(e: Any, ndim: int, shape: Shapes) -> bool:
    return isinstance(e, Load) and bool(e.views or 1 in shape(e.variable) or len(shape(e.variable)) < ndim)


def space_of(step: Kernel, model: CostModel, shape: Shapes = shape_of) -> float:
    """The number of indices that a kernel visits."""
    return prod(lengths_of(step, model, shape))


def lengths_of(step: Kernel, model: CostModel, shape: Shapes = shape_of) -> list[float]:
    """The lengths of a kernel's space; one that it does not tell is that of what it reads or writes."""
    known = list(step.static)
    for v in [*writes(step), *reads(step)]:
        for axis, n in enumerate(shape(v) if len(shape(v)) == step.ndim else ()):
            known[axis] = n if known[axis] is None and n != 1 else known[axis]
    return model.lengths(tuple(known))


def _flops(e: Any, model: CostModel) -> float:
    """Flops of an expression for one index."""
    if not isinstance(e, Compute):
        return 0.0
    return model.fused_flops(model.cost_of(e.op, [], []), np.dtype(e.dtype).itemsize)


def _call(step: Call, model: CostModel, shape: Shapes) -> StepCost:
    op, ins, outs = step.apply.op, step.apply.inputs, step.apply.outputs
    if not isinstance(op, DeclaredOp):
        return StepCost(0.0, 0.0, 0.0, model.call)
    lengths = [model.lengths(shape(v)) for v in ins]
    cost = model.cost_of(op, lengths, model.lengths(shape(outs[0])))
    seconds = model.op_seconds(op, [shape(v) for v in ins], shape(outs[0]), itemsize(outs[0]))
    return StepCost(_bytes(ins, model, shape), _bytes(outs, model, shape), cost.flops, seconds)


def _bytes(variables: Sequence[Variable], model: CostModel, shape: Shapes) -> float:
    return sum(size(v, model, shape) for v in variables)


def operation_seconds(step: Kernel, model: CostModel) -> float:
    """Seconds of an element of a kernel, each op of which waits for the one before."""
    return sum(_flops(e, model) for e in step.expressions) * model.waits * model.flop


def steps_of(step: Loop, model: CostModel, shape: Shapes = shape_of) -> float:
    """The number of steps of a loop, by its sequences; where they do not tell, what the model takes it to be."""
    known = max((shape(outer)[0] or 0 for outer, _ in step.sequences if shape(outer)), default=0)
    data = getattr(step.count, "data", None)
    (count,) = model.lengths((known or (None if data is None else max(int(data), 1)),))
    return count


def _loop(step: Loop, model: CostModel, shape: Shapes) -> StepCost:
    apply, count = step.apply, steps_of(step, model, shape)
    inner = [step_cost(s, model) for s in step.plan.steps]
    if model.barrier and step.forms:
        from eqsat.extract.loop_forms import form_prices

        seconds = min(form_prices(step, model, shape).values())
    else:
        short = [isinstance(s, Kernel) and space_of(s, model) <= STRAIGHT for s in step.plan.steps]
        few: Any = [s for s, is_short in zip(step.plan.steps, short, strict=True) if is_short]
        waiting = sum(operation_seconds(s, model) for s in few)
        others = sum(c.seconds for c, is_short in zip(inner, short, strict=True) if not is_short)
        seconds = 2 * model.call + count * (model.step + waiting + others)
    return StepCost(
        _bytes(apply.inputs, model, shape),
        _bytes(apply.outputs, model, shape),
        count * sum(c.flops for c in inner),
        seconds,
    )


def _branch(step: Branch, model: CostModel, shape: Shapes) -> StepCost:
    """The cost of the dearer side, since nothing says which one runs."""
    sides = [[step_cost(s, model) for s in side.plan.steps] for side in step.sides]
    return StepCost(
        _bytes(step.apply.inputs, model, shape),
        _bytes(step.apply.outputs, model, shape),
        max(sum(c.flops for c in costs) for costs in sides),
        max(sum(c.seconds for c in costs) for costs in sides),
    )
