"""Views: another look at an operand's memory, worked out by the op's own C text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.blocks import builder_of
from eqsat.cgen.c.operand import operand_of
from eqsat.cgen.c.segment import Segment
from eqsat.cgen.ir.arrays import Array, bare, is_plain
from eqsat.graph.tensor_type import TensorType


class Typed:
    """Stands for a variable where only its type is asked for."""

    def __init__(self, kind: TensorType) -> None:
        self.type = kind
        self.ndim = kind.ndim


def viewed(w: Segment, op: Any, ins: Sequence[Array], kind: TensorType) -> Array:
    """The first operand seen through a view op; ``kind`` is the type of the result."""
    build = builder_of(op.declaration)
    assert build is not None, op.name
    view = build(w, op, [operand_of(x) for x in ins])
    source = ins[0]
    n = tuple(
        str(known) if known is not None else _length(w, text)
        for known, text in zip(kind.shape, view.n, strict=True)
    )
    s = tuple("0" if m else _stride(w, text) for m, text in zip(kind.broadcastable, view.s, strict=True))
    pointer = source.pointer
    if view.ptr != operand_of(source).ptr:
        pointer = w.point(view.ptr)
    return Array(pointer, source.dtype, n, s, kind.broadcastable, source.storage)


def _length(w: Segment, text: str) -> str:
    text = bare(text)
    return w.lengths.find(text if is_plain(text) and "*" not in text else w.define("n", text))


def _stride(w: Segment, text: str) -> str:
    text = bare(text)
    return text if is_plain(text) else w.define("s", text)


def through_views(
    w: Segment, array: Array, kind: TensorType, views: Sequence[Any]
) -> tuple[Array, TensorType]:
    """An array and its type after a chain of views of a kernel's load."""
    for view in views:
        op = getattr(view, "op", view)
        kind = op.declaration.infer(op, Typed(kind))
        array = viewed(w, op, [array], kind)
    return array, kind
