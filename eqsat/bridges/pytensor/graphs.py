"""Ops of PyTensor that hold graphs: batches, branches, loops, graphs as ops."""

from __future__ import annotations

from typing import Any

import eqsat.tensor as T
from eqsat.bridges.pytensor.matrices import TABLE  # with the entries of matrices
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
    """The op of one matrix for each of a batch; axes of the batch broadcast.

    What is one for all of the batch is computed once, and a constant stays one that an entry can read.
    """
    core = op._create_dummy_core_node(node.inputs)
    if type(op.core_op).__name__ == "Dot":
        return T.matmul(*operands)
    ranks = [x.ndim - v.type.ndim for x, v in zip(operands, core.inputs, strict=True)]
    alone = [all(n == 1 for n in x.type.shape[:rank]) for x, rank in zip(operands, ranks, strict=True)]
    if not all(alone):
        operands = tuple(
            x[(0,) * rank] if one and rank else x for x, rank, one in zip(operands, ranks, alone, strict=True)
        )
        ranks = [0 if one else rank for rank, one in zip(ranks, alone, strict=True)]
    if len(operands) > 1 and max(ranks):
        operands = _one_batch(operands, ranks)
    single = [
        t.reader.type_of(v)() if rank else x for x, v, rank in zip(operands, core.inputs, ranks, strict=True)
    ]
    made = [fitted(m, t.reader.type_of(v)) for m, v in zip(t.node(core, single), core.outputs, strict=True)]
    many = {one: x for one, x in zip(single, operands, strict=True) if one is not x}
    return vectorize_graph(made, many) if many else made


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


def _as_many(out: Any, room: Any) -> Any:
    """The last rows for which there is room, and zeros after them where there is more, as gradients of truncated loops have it."""
    count = out.shape[0]
    lengths = [T.maximum(room - count, 0), *(out.shape[a] for a in range(1, out.ndim))]
    return T.join(0, out[T.maximum(count - room, 0) :], T.zeros(lengths, dtype=out.dtype))


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
        result.append(out if info.as_while or room is operands[0] else _as_many(out, room))
    return [*result, *outs[traces + info.n_nit_sot :]]
