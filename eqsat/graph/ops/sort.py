"""Sorting along an axis, stable and with NaN last, and the runs of equal elements that sorting makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.graph.batch_rules import next_axis
from eqsat.graph.c_operand import COperand, CWriter, loops
from eqsat.graph.declare import Cost, structural
from eqsat.graph.ops.create import arange, zeros_like
from eqsat.graph.ops.gather import gather_op, scatter_op
from eqsat.graph.ops.shape import dimshuffle, length
from eqsat.graph.parameters import INTEGER


def _rows(x: COperand, axis: int, body: str) -> str:
    """Loops over all axes but one, around a body."""
    return loops([n for a, n in enumerate(x.n) if a != axis], body)


def _index(x: COperand, axis: int) -> list[str]:
    return [f"i{a - (a > axis)}" if a != axis else "k" for a in range(len(x.n))]


def _buffer(w: CWriter, name: str, ctype: str, n: str) -> None:
    """Emit memory for a row and as much again for merging."""
    w.emit(f"{ctype} *{name} = malloc((size_t)(2 * {n} + 1) * sizeof({ctype}));")


def _sort_c(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    (x,), axis = ins, op.params["axis"]
    n, index = x.n[axis], _index(x, axis)
    _buffer(w, "row", x.ctype, n)
    w.emit(f"if (!row) {w.fail('MemoryError', 'sort: no memory for a row')}")
    read = f"for (int64_t k = 0; k < {n}; k++) row[k] = {x.at(index)};"
    write = f"for (int64_t k = 0; k < {n}; k++) {out.at(index)} = row[k];"
    w.emit(_rows(x, axis, f"{read} eq_sort__{x.ctype}(row, row + {n}, {n}); {write}"))
    w.emit("free(row);")


def _argsort_c(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    (x,), axis = ins, op.params["axis"]
    n, index = x.n[axis], _index(x, axis)
    _buffer(w, "row", x.ctype, n)
    _buffer(w, "place", "int64_t", n)
    stop = w.fail("MemoryError", "argsort: no memory for a row")
    w.emit(f"if (!row || !place) {{ free(row); free(place); {stop} }}")
    read = f"for (int64_t k = 0; k < {n}; k++) row[k] = {x.at(index)};"
    write = f"for (int64_t k = 0; k < {n}; k++) {out.at(index)} = place[k];"
    w.emit(_rows(x, axis, f"{read} eq_argsort__{x.ctype}(row, place, place + {n}, {n}); {write}"))
    w.emit("free(row); free(place);")


def _sort_cost(op: Any, ins: Sequence[Sequence[float]], out: Sequence[float]) -> Cost:
    deep = float(np.log2(out[op.params["axis"]] + 1))
    return Cost(flops=120 * deep * float(np.prod(out)), vector=False)


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
    parameters={"axis": INTEGER},
    batch=next_axis,
    grad=_sort_grad,
    c=_sort_c,
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
    parameters={"axis": INTEGER},
    batch=next_axis,
    grad=lambda op, inputs, out, dy: [None],
    c=_argsort_c,
    cost=_sort_cost,
    ordered="places",
)
def argsort_op(x: Any, *, axis: int) -> Any:
    """Places of the elements in increasing order along an axis; equal ones keep their order, NaN is last."""
    return np.argsort(x, axis=axis, kind="stable")


def _is_new(x: COperand) -> str:
    """C text that is true where element k of a sorted vector differs from the one before; NaN equals NaN."""
    here, before = x.at(["k"]), x.at(["(k - 1)"])
    return f"k == 0 || ({here} != {before} && ({here} == {here} || {before} == {before}))"


def _runs_dims(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[str]:
    (x,) = ins
    w.emit(f"int64_t count = 0; for (int64_t k = 0; k < {x.n[0]}; k++) count += ({_is_new(x)});")
    return ["count"]


def _runs_c(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    (x,) = ins
    body = f"if ({_is_new(x)}) ({out.ptr})[at++] = k;"
    w.emit(f"int64_t at = 0; for (int64_t k = 0; k < {x.n[0]}; k++) {body}")


@structural(
    "block",
    name="run_starts",
    signature="(n)->(?)",
    dtypes="a->int64",
    grad=lambda op, inputs, out, dy: [None],
    dims=_runs_dims,
    c=_runs_c,
    cost=lambda op, ins, out: Cost(flops=4 * float(np.prod(ins[0]))),
)
def run_starts_op(x: Any) -> Any:
    """Places in a sorted vector at which a new value starts; NaN counts as one value."""
    if x.size == 0:
        return np.zeros(0, np.int64)
    new = (x[1:] != x[:-1]) & ((x[1:] == x[1:]) | (x[:-1] == x[:-1]))
    return np.flatnonzero(np.concatenate([[True], new]))
