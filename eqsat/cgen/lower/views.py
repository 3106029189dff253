"""Views: another look at an operand's memory, worked out by the op's builder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.ir.arrays import Array
from eqsat.cgen.ir.expressions import Expression, Int, Name, plain_text
from eqsat.cgen.ir.operand import operand_of
from eqsat.cgen.lower.segment import Segment
from eqsat.graph.plan import Typed
from eqsat.graph.tensor_type import TensorType


def viewed(w: Segment, op: Any, ins: Sequence[Array], kind: TensorType) -> Array:
    """The first operand seen through a view op; ``kind`` is the type of the result."""
    operands = [operand_of(x) for x in ins]
    view = w.unit.builder_of(op.declaration)(w, op, operands)
    source = ins[0]
    n = tuple(
        str(known) if known is not None else _length(w, x)
        for known, x in zip(kind.shape, view.n, strict=True)
    )
    s = tuple("0" if m else _stride(w, x) for m, x in zip(kind.broadcastable, view.s, strict=True))
    pointer = source.pointer if view.address == operands[0].address else w.point(view.address)
    return Array(pointer, source.dtype, n, s, kind.broadcastable, source.storage)


def _length(w: Segment, x: Expression) -> str:
    return w.lengths.find(plain_text(x) if isinstance(x, (Int, Name)) else w.number_of("n", x))


def _stride(w: Segment, x: Expression) -> str:
    return plain_text(x) or w.number_of("s", x)


def through_views(
    w: Segment, array: Array, kind: TensorType, views: Sequence[Any]
) -> tuple[Array, TensorType]:
    """An array and its type after a chain of views of a kernel's load."""
    for view in views:
        op = getattr(view, "op", view)
        kind = op.declaration.infer(op, Typed(kind))
        array = viewed(w, op, [array], kind)
    return array, kind
