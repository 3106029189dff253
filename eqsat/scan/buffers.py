"""Mit-mot states as equations over time: the rows of a buffer that a step sees become values carried along.

A buffer that steps only add to, as those of gradients are, carries the sums alone: the row that a step reads is the
buffer's own plus what was added to it. Where its rows are zero but for the first, as those for the gradient of a last
value are, the sum begins with that row and no step adds zeros. Any other buffer carries the rows that later steps see.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eqsat.graph.core import Constant, Variable
from eqsat.graph.numbering import Numbering
from eqsat.graph.ops.create import zeros_like
from eqsat.graph.ops.elemwise import add, fill
from eqsat.graph.ops.join import concatenate
from eqsat.graph.ops.shape import length, shape_padleft
from eqsat.graph.walk import toposort
from eqsat.scan.mappings import buffer_rows
from eqsat.scan.utils import alike

BUFFER = "the buffer of a state"
WRAPPERS = ("specify_shape", "forget_shape")


def open_buffer(scan: Any, k: int) -> Callable[[Sequence[Any]], Any]:
    """Enter the inner inputs of mit-mot state k of a scan that is written out; what makes its outer output of the new rows."""
    args = scan.args
    first, top = buffer_rows(args.info, k)
    reads = {first + t: v for t, v in zip(args.mit_mot_in_slices[k], args.inner_in_mit_mot[k], strict=True)}
    writes = {
        first + t: v for t, v in zip(args.mit_mot_out_slices[k], args.inner_out_mit_mot[k], strict=True)
    }
    rows = BufferRows(args.outer_in_mit_mot[k], scan.n, top, scan.opener.numbering)
    kind = Adding if _only_adds(args, reads, writes) else Replacing
    return kind(scan, rows, reads, writes).finish


class BufferRows:
    """The rows of a buffer: as many as there are steps, and ``top`` more."""

    def __init__(self, buffer: Any, n: Any, top: int, numbering: Numbering) -> None:
        self.buffer, self.n, self.top = buffer, n, top
        parts = _joined_with_rest(buffer, top)
        exact = bool(parts) and numbering.of(length(parts[0], 0)) == numbering.of(n)
        self.parts = parts if exact else []

    def row(self, r: int) -> Any:
        """One row from the beginning."""
        return self.buffer[r]

    def late(self, r: int) -> Any:
        """The row that lies r after the last step's."""
        return self.parts[1][r] if self.parts else self.buffer[self.n + r]

    def steps(self, r: int) -> Any:
        """The rows that lie r after those of the steps."""
        if r == 0 and self.parts:
            return self.parts[0]
        return self.buffer[r:] if r else self.buffer

    def rest(self) -> list[Any]:
        """The rows that no step touches."""
        return [] if self.parts else [self.buffer[self.n + self.top :]]


def _joined_with_rest(buffer: Any, top: int) -> list[Any]:
    """The two pieces of a buffer that gradients have joined: rows of the steps, and ``top`` more."""
    node = buffer.owner
    if node is None or getattr(node.op, "name", "") != "concatenate" or len(node.inputs) != 2:
        return []
    return list(node.inputs) if top and node.inputs[1].type.shape[0] == top else []


class Adding:
    """A buffer to whose later rows steps only add."""

    def __init__(self, scan: Any, rows: BufferRows, reads: dict[int, Any], writes: dict[int, Any]) -> None:
        self.scan, self.rows, self.reads, self.writes = scan, rows, reads, writes
        model = next(iter(reads.values()))
        zero = self.zero = alike(zeros_like(rows.row(0)), model) if rows.top else None
        alone = only_row(rows.steps(0)) if rows.top else None
        first = zero if alone is None else alike(fill(zero, alone), model)
        self.sums = [scan.recurrence(zero if k else first, model) for k in range(rows.top)]
        for row, inner in reads.items():
            if row == 0 and alone is not None:
                scan.inside[inner] = self.sums[0].state
            elif row == 0:
                value = scan.row(rows.steps(0), inner, BUFFER)
                scan.inside[inner] = alike(add(value, self.sums[0].state), inner) if self.sums else value
            else:
                scan.inside[inner] = self.sums[row].state if row < rows.top else zero

    def finish(self, made: Sequence[Any]) -> Any:
        """The outer output, once the new rows are known: they are sums where the row is not the first."""
        new = dict(zip(self.writes, made, strict=True))
        for k, r in enumerate(self.sums):
            old = self.sums[k + 1].state if k + 1 < self.rows.top else self.zero
            r.step = alike(new.get(k + 1, old), r.state)
        now = new.get(0)
        if now is None:
            now = self.scan.inside[self.reads[0]]
        late = [
            add(alike(self.rows.late(k), r.state), self.scan.final(r.state.owner.inputs[0], r.step))
            for k, r in enumerate(self.sums)
        ]
        return joined(self.scan.collected(now), late, self.rows)


class Replacing:
    """Any buffer: the rows that a step sees are carried along, all but the newest."""

    def __init__(self, scan: Any, rows: BufferRows, reads: dict[int, Any], writes: dict[int, Any]) -> None:
        self.scan, self.rows, self.writes = scan, rows, writes
        model = next(iter([*reads.values(), *writes.values()]))
        self.window = [scan.recurrence(rows.row(r), model) for r in range(rows.top)]
        self.newest = scan.row(rows.steps(rows.top), model, BUFFER)
        self.values = [*(r.state for r in self.window), self.newest]
        for row, inner in reads.items():
            scan.inside[inner] = alike(self.values[row], inner)

    def finish(self, made: Sequence[Any]) -> Any:
        """The outer output, once the new rows are known."""
        new = dict(zip(self.writes, made, strict=True))
        after = [new.get(k, v) for k, v in enumerate(self.values)]
        for r, value in zip(self.window, after[1:], strict=True):
            r.step = alike(value, r.state)
        late = [self.scan.final(r.state.owner.inputs[0], r.step) for r in self.window]
        return joined(self.scan.collected(after[0]), late, self.rows)


def joined(steps: Any, late: Sequence[Any], rows: BufferRows) -> Any:
    """The buffer after the last step."""
    pieces = [steps, *(shape_padleft(v) for v in late), *rows.rest()]
    return pieces[0] if len(pieces) == 1 else concatenate(pieces)


def only_row(rows: Any) -> Any:
    """The first row of a tensor that is zero but for it: of zeros of which the last row was set, backwards; else None."""
    if _pattern(rows, "subtensor")[:1] != (("slice", None, None, -1),):
        return None
    turned = rows.owner.inputs[0]
    if _pattern(turned, "set_part")[:1] != (("int", -1),) or len(turned.owner.inputs) != 2:
        return None
    zeros, row = turned.owner.inputs
    begin = zeros.owner.inputs[0] if zeros.owner is not None and zeros.owner.op.name == "alloc" else None
    while begin is not None and begin.owner is not None and begin.owner.op.name == "dimshuffle":
        begin = begin.owner.inputs[0]
    return row if isinstance(begin, Constant) and not np.any(begin.data) else None


def _pattern(x: Any, name: str) -> tuple[Any, ...]:
    """The entries of an index, of which all but the first take everything, where x is computed by an op of that name."""
    if x.owner is None or getattr(x.owner.op, "name", "") != name:
        return ()
    first, *rest = x.owner.op.params["pattern"]
    return (first,) if all(entry == ("slice", None, None, None) for entry in rest) else ()


def _only_adds(args: Any, reads: dict[int, Any], writes: dict[int, Any]) -> bool:
    """True where a step does to the rows after the first nothing but add to them."""
    if 0 not in reads or any(row and row not in writes for row in reads):
        return False
    uses: dict[Variable, int] = {}
    for node in toposort(args.inner_outputs):
        for v in node.inputs:
            uses[v] = uses.get(v, 0) + 1
    return all(
        row in reads and _is_sum_with(out, reads[row]) and uses.get(reads[row]) == 1
        for row, out in writes.items()
        if row
    )


def _is_sum_with(out: Any, old: Any) -> bool:
    while out.owner is not None and getattr(out.owner.op, "name", "") in WRAPPERS:
        out = out.owner.inputs[0]
    return out.owner is not None and getattr(out.owner.op, "name", "") == "add" and old in out.owner.inputs
