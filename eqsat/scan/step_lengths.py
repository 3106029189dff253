"""Lengths of what a step computes, read from the operands of the loop, so that no step need run to know them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.graph.core import Apply
from eqsat.graph.declare import DeclaredOp
from eqsat.graph.ops.shape import length, length_beside
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
