"""Sorting along an axis, and runs of equal elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.operand import COperand, CWriter, loops


def _rows(x: COperand, axis: int, body: str) -> str:
    """Loops over all axes but one, around a body."""
    return loops([n for a, n in enumerate(x.n) if a != axis], body)


def _index(x: COperand, axis: int) -> list[str]:
    return [f"i{a - (a > axis)}" if a != axis else "k" for a in range(len(x.n))]


def _buffer(w: CWriter, name: str, ctype: str, n: str) -> None:
    """Emit memory for a row and as much again for merging."""
    w.emit(f"{ctype} *{name} = malloc((size_t)(2 * {n} + 1) * sizeof({ctype}));")


def sort(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    (x,), axis = ins, op.params["axis"]
    n, index = x.n[axis], _index(x, axis)
    _buffer(w, "row", x.ctype, n)
    w.check("!row", "MemoryError", "sort: no memory for a row")
    read = f"for (int64_t k = 0; k < {n}; k++) row[k] = {x.at(index)};"
    write = f"for (int64_t k = 0; k < {n}; k++) {out.at(index)} = row[k];"
    w.emit(_rows(x, axis, f"{read} eq_sort__{x.ctype}(row, row + {n}, {n}); {write}"))
    w.emit("free(row);")


def argsort(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
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


def _is_new(x: COperand) -> str:
    """C text that is true where element k of a sorted vector differs from the one before; NaN equals NaN."""
    here, before = x.at(["k"]), x.at(["(k - 1)"])
    return f"k == 0 || ({here} != {before} && ({here} == {here} || {before} == {before}))"


def runs_lengths(w: CWriter, op: Any, ins: Sequence[COperand]) -> list[str]:
    (x,) = ins
    w.emit(f"int64_t count = 0; for (int64_t k = 0; k < {x.n[0]}; k++) count += ({_is_new(x)});")
    return ["count"]


def runs(w: CWriter, op: Any, ins: Sequence[COperand], out: COperand) -> None:
    (x,) = ins
    body = f"if ({_is_new(x)}) ({out.ptr})[at++] = k;"
    w.emit(f"int64_t at = 0; for (int64_t k = 0; k < {x.n[0]}; k++) {body}")
