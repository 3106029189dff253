"""Ops of PyTensor that hold graphs: batches, branches, loops, graphs as ops."""

from __future__ import annotations

from typing import Any

import eqsat.tensor as T
from eqsat.bridges.pytensor.tensors import TABLE
from eqsat.bridges.translate import Refused, fitted
from eqsat.graph.control.ifelse import ifelse
from eqsat.graph.tensor_type import TensorType
from eqsat.graph.tools import vectorize_graph
from eqsat.graph.user_op import generic
from eqsat.scan import Scan, ScanInfo


@TABLE.on("OpFromGraph")
def inlined(t: Any, op: Any, node: Any, *operands: Any) -> Any:
    return t.graph(op.fgraph.toposort(), op.fgraph.inputs, op.fgraph.outputs, operands)


@TABLE.on("IfElse")
def branches(t: Any, op: Any, node: Any, condition: Any, *given: Any) -> Any:
    taken = condition if condition.type.dtype == "bool" else T.neq(condition, 0)
    return ifelse(taken, list(given[: op.n_outs]), list(given[op.n_outs :]))


@TABLE.on("Blockwise")
def batched(t: Any, op: Any, node: Any, *operands: Any) -> Any:
    """The op of one matrix for each of a batch; axes of the batch broadcast."""
    core = op._create_dummy_core_node(node.inputs)
    if type(op.core_op).__name__ == "Dot":
        return T.matmul(*operands)
    single = [t.reader.type_of(v)() for v in core.inputs]
    made = [fitted(m, t.reader.type_of(v)) for m, v in zip(t.node(core, single), core.outputs, strict=True)]
    ranks = [x.ndim - one.ndim for x, one in zip(operands, single, strict=True)]
    if len(operands) > 1 and max(ranks):
        operands = _one_batch(operands, ranks)
    return vectorize_graph(made, dict(zip(single, operands, strict=True)))


def _one_batch(operands: Any, ranks: list[int]) -> Any:
    """The operands with the axes of their batches broadcast against each other where a length is 1."""
    lengths: list[Any] = [1] * max(ranks)
    for x, rank in zip(operands, ranks, strict=True):
        for axis in range(rank):
            if x.type.shape[axis] != 1:
                lengths[axis - rank] = x.shape[axis]
    return [_over(x, lengths[len(lengths) - rank :]) for x, rank in zip(operands, ranks, strict=True)]


def _over(x: Any, lengths: list[Any]) -> Any:
    """x with the lengths of a batch in front, where one of its own is 1 and should not be."""
    short = [x.type.shape[a] == 1 and not isinstance(n, int) for a, n in enumerate(lengths)]
    return (
        T.broadcast_to(x, [*lengths, *(x.shape[a] for a in range(len(lengths), x.ndim))]) if any(short) else x
    )


@TABLE.on("Scan")
def loop(t: Any, op: Any, node: Any, *operands: Any) -> Any:
    """The same loop, but for memory: PyTensor gives whole buffers and takes back as many rows as they have."""
    info = op.info
    others = info.n_untraced_sit_sot if hasattr(info, "n_untraced_sit_sot") else info.n_shared_outs
    inner = [(t.reader.type_of(v) or generic)(v.name) for v in op.fgraph.inputs]
    made = t.graph(op.fgraph.toposort(), op.fgraph.inputs, op.fgraph.outputs, inner)
    ours = ScanInfo(
        info.n_seqs,
        tuple(map(tuple, info.normalized_mit_mot_in_slices)),
        tuple(map(tuple, info.normalized_mit_mot_out_slices)),
        tuple(map(tuple, info.mit_sot_in_slices)),
        tuple(map(tuple, info.sit_sot_in_slices)),
        info.n_nit_sot,
        others,
        info.n_non_seqs,
        info.as_while,
    )
    mit, sit = op.outer_mitsot(operands), op.outer_sitsot(operands)
    if any(not isinstance(b.type, TensorType) for b in (*mit, *sit)):
        raise Refused("a state that is no tensor")
    first = [b[: -min(taps)] for b, taps in zip(mit, info.mit_sot_in_slices, strict=True)]
    shared = op.outer_untraced_sit_sot if hasattr(op, "outer_untraced_sit_sot") else op.outer_shared
    applied = Scan(inner, made, ours, name=op.name or None).make_node(
        operands[0],
        *op.outer_seqs(operands),
        *op.outer_mitmot(operands),
        *first,
        *(b[0] for b in sit),
        *shared(operands),
        *op.outer_non_seqs(operands),
    )
    return _rows_kept(
        op, info, operands, [*mit, *sit], [*first, *(b[:1] for b in sit)], list(applied.outputs)
    )


def _rows_kept(op: Any, info: Any, operands: Any, buffers: Any, heads: Any, outs: list[Any]) -> list[Any]:
    """The results with the initial rows in front, and of each as many rows as its buffer has room for."""
    states, traces = info.n_mit_mot, info.n_mit_mot + len(buffers)
    result = outs[:states]
    for buffer, head, out in zip(buffers, heads, outs[states:traces], strict=True):
        whole = T.join(0, head, out)
        result.append(whole if info.as_while else whole[whole.shape[0] - buffer.shape[0] :])
    for room, out in zip(op.outer_nitsot(operands), outs[traces : traces + info.n_nit_sot], strict=True):
        result.append(out if info.as_while else out[T.maximum(out.shape[0] - room, 0) :])
    return [*result, *outs[traces + info.n_nit_sot :]]
