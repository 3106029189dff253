"""Lengths of what a step computes, read from the operands of the loop, so that no step need run to know them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from eqsat.graph.core import Apply, Constant
from eqsat.graph.declare import DeclaredOp
from eqsat.graph.ops.shape import length, length_beside
from eqsat.graph.run import computed
from eqsat.graph.user_op import call_infer_shape
from eqsat.graph.walk import clone_with, graph_inputs, toposort
from eqsat.scan.utils import ScanArgs, is_tensor


def lengths_outside(args: ScanArgs, outputs: Sequence[Any]) -> list[list[Any]]:
    """For each inner output its lengths as graphs over the outer inputs; None for one that needs a value of the loop."""
    enters = _enters(args)
    fixed = dict(zip(args.inner_in_non_seqs, args.outer_in_non_seqs, strict=True))
    return [[_outside(length(v, k), enters, fixed) for k in range(v.type.ndim)] for v in outputs]


def _enters(args: ScanArgs) -> dict[Any, tuple[Any, int]]:
    """Inner inputs, the operand that each has its lengths from, and how many axes that has more; None for unknown."""
    found: dict[Any, tuple[Any, int]] = dict.fromkeys(args.inner_inputs, (None, 0))
    found.update((v, (x, 1)) for v, x in zip(args.inner_in_seqs, args.outer_in_seqs, strict=True))
    for kind in ("mit_mot", "mit_sot"):
        groups = zip(getattr(args, f"inner_in_{kind}"), getattr(args, f"outer_in_{kind}"), strict=True)
        found.update((v, (x, 1)) for reads, x in groups for v in reads)
    for kind in ("sit_sot", "non_seqs"):
        pairs = zip(getattr(args, f"inner_in_{kind}"), getattr(args, f"outer_in_{kind}"), strict=True)
        found.update((v, (x, 0)) for v, x in pairs)
    return found


def _outside(n: Any, enters: dict[Any, tuple[Any, int]], fixed: dict[Any, Any]) -> Any:
    """A scalar graph of lengths inside the loop as one outside, None where it needs a value of the loop."""
    outer = [x for x, _ in enters.values() if x is not None]
    while True:
        nodes = [v for v in toposort([n], stop=outer) if _is_length(v)]
        new = {v.outputs[0]: found for v in nodes if (found := _read(v, enters)) is not None}
        if not new:
            break
        (n,) = clone_with([n], new)
    (n,) = clone_with([n], fixed)
    return None if any(v in enters for v in graph_inputs([n], stop=outer)) else n


def _is_length(node: Apply) -> bool:
    return isinstance(node.op, DeclaredOp) and node.op.name == "length"


def _read(node: Any, enters: dict[Any, tuple[Any, int]]) -> Any:
    """An equal of a length, one step nearer to the operands of the loop; None where none is known."""
    x, axis = node.inputs[0], node.op.params["axis"]
    if x in enters:
        whole, more = enters[x]
        return None if whole is None else length(whole, axis + more)
    if x.owner is None or not is_tensor(x):
        return None
    if not isinstance(x.owner.op, DeclaredOp):
        return _of_opaque(x, axis)
    return length_beside(x, axis)


def _of_opaque(x: Any, axis: int) -> Any:
    """A length by the op's own rule, where it has one."""
    if not hasattr(x.owner.op, "infer_shape"):
        return None
    inputs: list[Any] = x.owner.inputs
    shapes = [tuple(length(v, k) for k in range(v.ndim)) if is_tensor(v) else None for v in inputs]
    found = call_infer_shape(x.owner, shapes)[x.index]
    return None if found is None else found[axis]


TRIALS = (2, 3, 5, 8)  # lengths of states


def changes_lengths(args: ScanArgs) -> bool:
    """True for a loop each step of which would change the length of a state, as ``h[1:]`` and ``join(h, h)`` do."""
    states = [
        *zip(args.outer_in_mit_sot, args.inner_out_mit_sot, [1] * len(args.inner_out_mit_sot)),
        *zip(args.outer_in_sit_sot, args.inner_out_sit_sot, [0] * len(args.inner_out_sit_sot)),
    ]
    open_ = [(x, new, more) for x, new, more in states if is_tensor(x) and None in x.type.shape[more:]]
    after = lengths_outside(args, [new for _, new, _ in open_])
    return any(
        _changes(n, x, axis + more)
        for (x, _, more), lengths in zip(open_, after, strict=True)
        for axis, n in enumerate(lengths)
        if n is not None and n.owner is not None and not _is_length(n.owner)
    )


def _changes(n: Any, x: Any, axis: int) -> bool:
    """True for a length that is made of that of x along an axis, and is another one for all that are tried."""
    nodes: list[Any] = toposort([n], stop=[x])
    same = {v.outputs[0] for v in nodes if _is_length(v) and v.inputs[0] is x and v.op.params["axis"] == axis}
    others = [v for v in graph_inputs([n], stop=same) if v not in same]
    if not same or not all(isinstance(v, Constant) for v in others):
        return False
    return all(_at(n, same, trial) != trial for trial in TRIALS)


def _at(n: Any, same: set[Any], value: int) -> int:
    """A length where some of those that it is made of have a value; that value where it cannot be told."""
    found = known_length(n, {v: np.asarray(value, v.type.dtype) for v in same})
    return value if found is None else found


def known_length(n: Any, values: Mapping[Any, Any]) -> int | None:
    """A length that is made of variables with values; None where it cannot be computed."""
    known = dict(values)
    for node in toposort([n], stop=known):
        results = computed(node, [v.data if isinstance(v, Constant) else known[v] for v in node.inputs])
        if results is None:
            return None
        known.update(zip(node.outputs, results, strict=True))
    return int(n.data if isinstance(n, Constant) else known[n])
