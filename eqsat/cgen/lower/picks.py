"""Elements that a kernel picks by indices: the checks of lengths and indices, and the operands as the loops see them."""

from __future__ import annotations

from typing import Any

from eqsat.base.values import dataclass
from eqsat.cgen.builders.index import check_inside
from eqsat.cgen.ir.arrays import Array
from eqsat.cgen.ir.expressions import length, ne
from eqsat.cgen.lower.block import BlockWriter
from eqsat.cgen.lower.segment import Segment
from eqsat.cgen.lower.views import through_views
from eqsat.graph.core import Apply
from eqsat.graph.operand_names import met_in
from eqsat.graph.ops.gather import gather_layout
from eqsat.graph.plan import Pick


@dataclass
class Found:
    """A pick of a kernel: its operand, which does not change along axes of the indices, and what it is picked by.

    For each axis along which it is picked there are the array of indices, the stride and the length.
    """

    array: Array
    at: tuple[tuple[Array, str, str], ...]


def picked(w: Segment, pick: Pick) -> Found:
    """A pick after its checks, seen through its views."""
    apply = pick.apply
    op: Any = apply.op
    x, *indices = (w.array(v) for v in apply.inputs)
    pattern = op.declaration.picks(op)
    w.unit.new_step()
    w.unit.note_operands(lambda: met_in(apply), apply, apply)
    first, whole = gather_layout(pattern)
    count = len(indices[0].n)
    between = [_common(w, indices, axis) for axis in range(count)]
    kept = [x.n[a] for a in whole]
    kind: Any = apply.outputs[0].type
    n = w.settled(apply.outputs[0], [*kept[:first], *between, *kept[first:]])

    def seen(array: Array, strides: list[str]) -> Array:
        every = Array(array.pointer, array.dtype, n, tuple(strides), kind.broadcastable, array.storage)
        return through_views(w, every, kind, pick.views)[0]

    steps = ["0" if x.mask[a] else x.s[a] for a in whole]
    array = seen(x, [*steps[:first], *["0"] * count, *steps[first:]])
    at = []
    for axis, number in enumerate(pattern):
        if number >= 0:
            index = indices[number]
            _check(w, apply, index, apply.inputs[1 + number], x.n[axis], axis)
            strides = ["0" if m else s for m, s in zip(index.mask, index.s, strict=True)]
            around = ["0"] * first, ["0"] * (len(whole) - first)
            at.append((seen(index, [*around[0], *strides, *around[1]]), x.s[axis], x.n[axis]))
    return Found(array, tuple(at))


def _common(w: Segment, indices: list[Array], axis: int) -> str:
    """The length of index arrays along an axis, after the check that they have one."""
    full = [i.n[axis] for i in indices if not i.mask[axis]]
    for other in full[1:]:
        a, b = w.lengths.find(full[0]), w.lengths.find(other)
        if a != b:
            text = f"index arrays: axis {axis} has the lengths {{0}} and {{1}}"
            code = w.unit.error("ShapeError", text)
            w.check_code(ne(length(a), length(b)), code, length(a), length(b))
            w.lengths.unite(a, b)
    return full[0] if full else "1"


def _check(w: Segment, apply: Apply, index: Array, variable: Any, n: str, axis: int) -> None:
    """Check that indices are inside an axis, once for all kernels around which there is no loop."""
    key = variable, w.lengths.find(n), axis
    if key in w.checked:
        return
    if not w.depth:
        w.checked.add(key)
    writer = BlockWriter(w, apply)
    numbers, end = writer.add(index, "x0"), writer.number(length(w.lengths.find(n)), "n")
    check_inside(writer, numbers, end, axis)
    call, _, rooms = w.unit.block(w, writer.run())
    w.emit(call)
    for room in rooms:
        w.slots.give(room)
