"""Places in sorted vectors, counts of integers, and the lengths of parts, with their checks when a function runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.errors import ArgumentError, ShapeError
from eqsat.graph.batch_rules import second_only
from eqsat.graph.c_operand import COperand, CWriter, loops
from eqsat.graph.declare import Cost, structural
from eqsat.graph.parameters import INTEGER


def _search_c(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    a, v = ins
    index = [f"i{k}" for k in range(len(v.n))]
    call = f"eq_search__{a.ctype}({a.ptr}, {a.n[0]}, {a.s[0]}, {v.at(index)}, {op.params['right']})"
    w.emit(loops(v.n, f"{out.at(index)} = {call};"))


@structural(
    "block",
    name="searchsorted",
    signature="(n),x->x",
    dtypes="a,a->int64",
    parameters={"right": INTEGER},
    batch=second_only,
    grad=lambda op, inputs, out, dy: [None, None],
    c=_search_c,
    cost=lambda op, ins, out: Cost(flops=20 * float(np.prod(out))),
)
def searchsorted_op(a: Any, v: Any, *, right: int) -> Any:
    """Places at which elements would have to be put into a sorted vector to keep it sorted."""
    return np.searchsorted(a, v, "right" if right else "left")


NEGATIVE = "bincount: the element {0} is negative"


def _bins_c(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    x, least = ins
    w.emit(f"int64_t count = {least.scalar()};")
    body = f"if ({x.at(['i0'])} < 0) {w.fail('ArgumentError', NEGATIVE, x.at(['i0']))}"
    w.emit(loops(x.n, f"{body} if ({x.at(['i0'])} >= count) count = {x.at(['i0'])} + 1;"))
    w.emit(f"{out.scalar()} = count;")


@structural(
    "block",
    name="bins",
    signature="(n),()->()",
    dtypes="a,a->int64",
    grad=lambda op, inputs, out, dy: [None, None],
    c=_bins_c,
    cost=lambda op, ins, out: Cost(flops=float(np.prod(ins[0]))),
)
def bins_op(x: Any, least: Any) -> Any:
    """Number of bins that count the integers of a vector: the largest plus one, or more if asked for."""
    if x.size and x.min() < 0:
        raise ArgumentError(NEGATIVE.format(x[x < 0][0]))
    return np.asarray(max(int(least), int(x.max()) + 1 if x.size else 0), np.int64)


COUNT = "repeat: {0} numbers of repeats do not fit an axis of length {1}"
BELOW = "repeat: the number of repeats {0} is negative"


def _spread_dims(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[str]:
    counts, n = ins
    w.emit(f"if ({counts.n[0]} != {n.scalar()}) {w.fail('ShapeError', COUNT, counts.n[0], n.scalar())}")
    at = counts.at(["i0"])
    stop = w.fail("ShapeError", BELOW, at)
    w.emit(f"int64_t total = 0; {loops(counts.n, f'if ({at} < 0) {stop} total += {at};')}")
    return ["total"]


def _spread_c(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    counts = ins[0]
    inner = f"for (int64_t j = 0; j < {counts.at(['i0'])}; j++) ({out.ptr})[at++] = i0;"
    w.emit(f"int64_t at = 0; {loops(counts.n, inner)}")


@structural(
    "block",
    name="spread",
    signature="(m),()->(?)",
    dtypes="a,a->int64",
    grad=lambda op, inputs, out, dy: [None, None],
    dims=_spread_dims,
    c=_spread_c,
    cost=lambda op, ins, out: Cost(flops=4 * float(np.prod(ins[0]))),
)
def spread_op(counts: Any, n: Any) -> Any:
    """Each index below n as often as its count says."""
    if len(counts) != n:
        raise ShapeError(COUNT.format(len(counts), n))
    if counts.size and counts.min() < 0:
        raise ShapeError(BELOW.format(counts[counts < 0][0]))
    return np.repeat(np.arange(n), counts)


SIZE = "split: the size {0} of a part is negative"
TOTAL = "split: the sizes of the parts sum to {0}, the axis has length {1}"
PARTS = "split: {0} sizes are given for {1} parts"


def _ends_c(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    sizes, n = ins
    parts = str(op.params["parts"])
    w.emit(f"if ({sizes.n[0]} != {parts}) {w.fail('ShapeError', PARTS, sizes.n[0], parts)}")
    at = sizes.at(["i0"])
    w.emit(f"int64_t total = 0; ({out.ptr})[0] = 0;")
    w.emit(
        loops(
            sizes.n,
            f"if ({at} < 0) {w.fail('ShapeError', SIZE, at)} total += {at}; ({out.ptr})[i0 + 1] = total;",
        )
    )
    w.emit(f"if (total != {n.scalar()}) {w.fail('ShapeError', TOTAL, 'total', n.scalar())}")


@structural(
    "block",
    name="part_ends",
    signature="(parts),()->(parts+1)",
    dtypes="a,a->int64",
    parameters={"parts": INTEGER},
    grad=lambda op, inputs, out, dy: [None, None],
    c=_ends_c,
    cost=lambda op, ins, out: Cost(flops=float(np.prod(out))),
)
def part_ends_op(sizes: Any, n: Any, *, parts: int) -> Any:
    """Where parts of some sizes start and end in an axis of length n, which they fill."""
    if len(sizes) != parts:
        raise ShapeError(PARTS.format(len(sizes), parts))
    if sizes.size and sizes.min() < 0:
        raise ShapeError(SIZE.format(sizes[sizes < 0][0]))
    if sizes.sum() != n:
        raise ShapeError(TOTAL.format(sizes.sum(), n))
    return np.concatenate([[0], np.cumsum(sizes)])
