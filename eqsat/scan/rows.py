"""How many rows a variable has, as a variable: read from where they come from, so that equal counts are seen to be equal."""

from __future__ import annotations

from typing import Any

from eqsat.graph.constant import constant
from eqsat.graph.ops.shape import length_op

KEEPING = ("specify_shape", "forget_shape", "cumsum", "cumprod", "set_part", "add_rows", "set_rows")


def rows_of(v: Any) -> Any:
    """The number of rows of a variable, a 0-d int64."""
    axis = 0
    while True:
        known = v.type.shape[axis]
        if known is not None:
            return constant(known, dtype="int64")
        found = _source(v, axis)
        if found is None:
            return length_op(v, axis=axis)
        v, axis = found
        if axis < 0:
            return v


def _source(v: Any, axis: int) -> tuple[Any, int] | None:
    """Where the length of an axis comes from: a variable and its axis, or a length and -1."""
    node = v.owner
    declaration = getattr(getattr(node, "op", None), "declaration", None)
    if declaration is None:
        return None
    name, ins = declaration.name, node.inputs
    if declaration.kind == "elemwise":
        return next(x for x in ins if x.type.shape[axis] != 1), axis
    if name in KEEPING or (declaration.kind == "reduce" and axis not in node.op.params["axes"]):
        return ins[0], axis
    if name == "dimshuffle":
        return ins[0], node.op.params["pattern"][axis]
    if name in ("first_rows", "collect") and axis == 0 and not node.op.params.get("open"):
        return ins[1], -1
    if name == "alloc":
        return ins[1 + axis], -1
    if name == "subtensor" and all(e[0] == "slice" for e in node.op.params["pattern"]):
        whole = node.op.params["pattern"][axis][1:] in ((None, None, None), (None, None, -1))
        return (ins[0], axis) if whole else None
    return None
