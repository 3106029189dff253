"""Sorting along an axis, stable and with NaN last, and the runs of equal elements that sorting makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.graph.batch_rules import next_axis
from eqsat.graph.declare import Cost, structural
from eqsat.graph.ops.create import arange, zeros_like
from eqsat.graph.ops.gather import gather_op, scatter_op
from eqsat.graph.ops.shape import dimshuffle, length
from eqsat.graph.parameters import AXIS


def _sort_cost(op: Any, ins: Sequence[Sequence[float]], out: Sequence[float]) -> Cost:
    deep = float(np.log2(out[op.params["axis"]] + 1))
    return Cost(flops=170 * deep * float(np.prod(out)), vector=False)


def along(x: Any, index: Any, axis: int) -> tuple[Any, ...]:
    """Index arrays that pick from x by an index that differs from row to row."""
    places = [
        dimshuffle(arange(length(x, a)), *(0 if a == b else "x" for b in range(x.ndim)))
        for a in range(x.ndim)
    ]
    return tuple(index if a == axis else place for a, place in enumerate(places))


def _sort_grad(op: Any, inputs: Any, out: Any, dy: Any) -> list[Any]:
    (x,), axis = inputs, op.params["axis"]
    index = along(x, argsort_op(x, axis=axis), axis)
    return [scatter_op(zeros_like(x), dy, *index, pattern=tuple(range(x.ndim)), add=0)]


def pick_along(x: Any, index: Any, axis: int) -> Any:
    """Elements of x by an int64 index that differs from row to row."""
    return gather_op(x, *along(x, index, axis), pattern=tuple(range(x.ndim)))


@structural(
    "block",
    name="sort",
    signature="x->x",
    parameters={"axis": AXIS},
    batch=next_axis,
    grad=_sort_grad,
    builder="sort.sort",
    cost=_sort_cost,
    ordered="values",
    permutes=True,
)
def sort_op(x: Any, *, axis: int) -> Any:
    """Elements in increasing order along an axis, NaN last."""
    return np.sort(x, axis=axis, kind="stable")


@structural(
    "block",
    name="argsort",
    signature="x->x",
    dtypes="a->int64",
    parameters={"axis": AXIS},
    batch=next_axis,
    grad=lambda op, inputs, out, dy: [None],
    builder="sort.argsort",
    cost=_sort_cost,
    ordered="places",
    places_of="sort",
)
def argsort_op(x: Any, *, axis: int) -> Any:
    """Places of the elements in increasing order along an axis; equal ones keep their order, NaN is last."""
    return np.argsort(x, axis=axis, kind="stable")


@structural(
    "block",
    name="run_starts",
    signature="(n)->(?)",
    dtypes="a->int64",
    counts=True,
    grad=lambda op, inputs, out, dy: [None],
    builder="sort.runs",
    cost=lambda op, ins, out: Cost(flops=4 * float(np.prod(ins[0]))),
)
def run_starts_op(x: Any) -> Any:
    """Places in a sorted vector at which a new value starts; NaN counts as one value."""
    if x.size == 0:
        return np.zeros(0, np.int64)
    new = (x[1:] != x[:-1]) & ((x[1:] == x[1:]) | (x[:-1] == x[:-1]))
    return np.flatnonzero(np.concatenate([[True], new]))
