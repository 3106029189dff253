"""A scan for a batch of values: one loop whose states have one more axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.errors import BatchError
from eqsat.graph.batch_rules import Unbatched, expand
from eqsat.graph.batching import batch
from eqsat.graph.core import Constant, Variable
from eqsat.graph.ops.shape import dimshuffle
from eqsat.graph.tensor_type import TensorType
from eqsat.scan.mappings import reached, units
from eqsat.scan.utils import alike

STACKED = (
    "seqs",
    "mit_mot",
    "mit_sot",
    "sit_sot",
    "nit_sot",
)  # kinds whose outer variables have time as first axis


def batched_scan(op: Any, inputs: Sequence[Any], flags: Sequence[bool], count: Any) -> list[Any] | None:
    """Outputs of a scan of which some operands have a leading axis; None where the entries may differ in steps.

    Errors   BatchError for those that may, in a batch of unknown length
    """
    start = {k for k, flag in enumerate(flags) if flag}
    ends = reached(op.info, op.graph.connections(), start)
    parts = [unit for unit in units(op.info) if unit[0] in start or unit[3] in ends]
    if flags[0] or _may_end_apart(op, parts):
        if isinstance(count, Constant):
            return None
        raise _apart(op, inputs)
    outer = list(inputs)
    replace: dict[Any, Any] = {}
    sizes = op.info.sizes("outer_in")
    kinds = [kind for kind, size in sizes.items() for _ in range(size)]
    for begin, reads, _, _ in parts:
        if begin >= 0:
            whole = outer[begin] if flags[begin] else expand(outer[begin], count)
            outer[begin] = _swapped(whole) if kinds[begin] in ("seqs", "mit_mot", "mit_sot") else whole
        replace.update((op.inner_inputs[i], _more(op.inner_inputs[i])) for i in reads)
    changed = [j for _, _, outs, _ in parts for j in outs]
    made = batch([op.inner_outputs[j] for j in changed], replace)
    new = list(op.inner_outputs)
    for j, v in zip(changed, made, strict=True):
        new[j] = alike(v, _more(op.inner_outputs[j]))
    again = type(op)(
        [replace.get(v, v) for v in op.inner_inputs],
        new,
        op.info,
        op.own_mode,
        op.label,
        op.truncate_gradient,
        op.checkpoint,
    )
    results = list(again.make_node(*outer).outputs)
    return _with_the_axis_first(op, results, {end for _, _, _, end in parts})


def _may_end_apart(op: Any, parts: Sequence[Any]) -> bool:
    """True where a batch reaches the condition of until."""
    if not op.info.as_while:
        return False
    inside = op.graph.connections()
    return any(inside[i][-1] for _, reads, _, _ in parts for i in reads)


def _apart(op: Any, inputs: Sequence[Any]) -> BatchError:
    return BatchError(
        f"{op}: the loops of a batch may end at different steps",
        operands=[(str(v), v) for v in inputs],
        needs="n_steps and a condition of until that are the same for the whole batch",
        hint="T.switch(done, old, new) in fn in the place of until",
        op=op,
    )


def _with_the_axis_first(op: Any, results: Sequence[Any], moved: set[int]) -> list[Any]:
    kinds = [kind for kind, size in op.info.sizes("outer_out").items() for _ in range(size)]
    return [
        Unbatched(v) if k not in moved else _swapped(v) if kinds[k] in STACKED else v
        for k, v in enumerate(results)
    ]


def _more(v: Any) -> Variable:
    """A variable for a batch of values of v."""
    return TensorType(v.type.dtype, shape=(None, *v.type.shape)).make_variable(v.name)


def _swapped(v: Any) -> Any:
    """Time first instead of the batch, or the other way."""
    return dimshuffle(v, 1, 0, *range(2, v.ndim))
