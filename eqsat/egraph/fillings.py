"""Fillings of known shape: what rules found to be ``fill(x, number)`` is the number repeated, whatever x costs."""

from __future__ import annotations

from typing import Any

from eqsat.egraph.adapter import Frozen
from eqsat.egraph.encode import Encoded
from eqsat.graph.constant import constant
from eqsat.graph.dtypes import ALL, CODE
from eqsat.graph.ops.create import alloc_op
from eqsat.graph.tensor_type import TensorType

Number = tuple[Any, ...]
Tables = dict[str, list[Number]]
FILL, NUM = "o_fill", "Num"


class Fillings:
    """Tells the e-graph which fillings are an ``alloc`` of a number; each is told once."""

    def __init__(self, encoded: Encoded) -> None:
        self.encoded = encoded
        self.done: set[Number] = set()
        self.lists = 1 + max((row[0] for row in encoded.tables.get("in_cons", [])), default=0)
        self.next = 0  # the number of the next row

    def rows(self, tables: Tables, frozen: Frozen, at: int) -> int:
        """Add rows for what is a filling in an e-graph, numbered from ``at``; returns the number after the last."""
        self.next = at
        found = filled_rows(frozen) if FILL in frozen.names() else []
        if not found:
            return at
        loaded = {r.output: r.inputs[0] for r in reversed(frozen.rows("node"))}
        for model, number, made in found:
            if made in loaded:
                self.equal(tables, loaded[made], number)
            elif model in loaded:
                self.equal(tables, loaded[model], number, model=True)
        return self.next

    def equal(self, tables: Tables, k: int, number: Number, model: bool = False) -> None:
        """Rows that say that a loaded variable, or a filling of its shape, is an alloc; none where a length is unknown."""
        known = k < len(self.encoded.variables)
        shape = getattr(self.encoded.variables[k].type, "shape", ()) if known else ()
        key = (shape, number, k)
        if not shape or None in shape or key in self.done:
            return
        self.done.add(key)
        value = self.row(tables, "in_num", *number)
        filled = self.row(tables, "in_fill", k, value) if model else k
        tables.setdefault("in_same", []).append((filled, self.alloc(tables, shape, number, value)))

    def alloc(self, tables: Tables, shape: tuple[int, ...], number: Number, value: int) -> int:
        """Rows of an alloc of a number."""
        _, _, dtype, ndim = number
        lengths = [constant(n) for n in shape]
        apply = alloc_op.make_node(TensorType(ALL[dtype], shape=(1,) * ndim)(), *lengths)
        code = self.encoded.opaque_code.setdefault((apply.op, 0), len(self.encoded.opaque))
        if code == len(self.encoded.opaque):
            self.encoded.opaque.append((apply, 0))
        items = [value, *(self.row(tables, "in_num", float(n), 0, CODE["int64"], 0) for n in shape)]
        tables.setdefault("in_nil", []).append((0,))
        tail = 0
        for item in reversed(items):
            tables.setdefault("in_cons", []).append((self.lists, item, tail))
            tail, self.lists = self.lists, self.lists + 1
        return self.row(tables, "in_app", code, tail)

    def row(self, tables: Tables, table: str, *values: Any) -> int:
        """Add a row with a number of its own."""
        k, self.next = self.next, self.next + 1
        tables.setdefault(table, []).append((k, *values))
        return k


def filled_rows(frozen: Frozen) -> list[tuple[int, Number, int]]:
    """Model, number and result of the fillings with a number of what is not one number."""
    numbers: dict[int, Number] = {}
    for r in frozen.rows(NUM):
        numbers.setdefault(r.output, tuple(r.inputs))
    return [
        (r.inputs[0], numbers[r.inputs[1]], r.output)
        for r in frozen.rows(FILL)
        if r.inputs[1] in numbers and r.output not in numbers
    ]
