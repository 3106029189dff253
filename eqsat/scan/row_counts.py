"""How many rows a variable has, as a variable: read from where they come from, so that equal counts are seen to be equal."""

from __future__ import annotations

from typing import Any

from eqsat.graph.constant import constant
from eqsat.graph.ops.shape import length_op

KEEPING = ("specify_shape", "forget_shape", "cumsum", "cumprod", "set_part", "add_rows", "set_rows")


def rows_of(v: Any) -> Any:
    """The number of rows of a variable, a 0-d int64."""
    at, axis, more = v, 0, 0
    while True:
        known = at.type.shape[axis]
        if known is not None:
            return constant(known + more, dtype="int64")
        found = _source(at, axis, more)
        if found is None:
            return length_op(v, axis=0) if more else length_op(at, axis=axis)
        at, axis, more = found
        if axis < 0 and getattr(getattr(at.owner, "op", None), "name", "") == "length":
            axis, at = at.owner.op.params["axis"], at.owner.inputs[0]
        elif axis < 0:
            return length_op(v, axis=0) if more else at


def _source(v: Any, axis: int, more: int) -> tuple[Any, int, int] | None:
    """Where the length of an axis comes from: a variable and its axis, or a length and -1; and what is to be added."""
    node = v.owner
    declaration = getattr(getattr(node, "op", None), "declaration", None)
    if declaration is None:
        return None
    name, ins = declaration.name, node.inputs
    if declaration.kind == "elemwise":
        return next(x for x in ins if x.type.shape[axis] != 1), axis, more
    if name in KEEPING or (declaration.kind == "reduce" and axis not in node.op.params["axes"]):
        return ins[0], axis, more
    if name == "dimshuffle":
        return ins[0], node.op.params["pattern"][axis], more
    if name in ("first_rows", "collect") and axis == 0 and not node.op.params.get("open"):
        return ins[1], -1, more
    if name == "alloc":
        return ins[1 + axis], -1, more
    if name == "concatenate":
        return _longest(node, axis, more)
    if name == "subtensor" and all(e[0] == "slice" for e in node.op.params["pattern"]):
        return _sliced(ins[0], axis, node.op.params["pattern"][axis][1:], more)
    return None


def _longest(node: Any, axis: int, more: int) -> tuple[Any, int, int] | None:
    """The only piece of a join whose length is not known; the others are added."""
    if axis != node.op.params["axis"]:
        return node.inputs[0], axis, more
    unknown = [x for x in node.inputs if x.type.shape[axis] is None]
    rest = sum(x.type.shape[axis] for x in node.inputs if x.type.shape[axis] is not None)
    return (unknown[0], axis, more + rest) if len(unknown) == 1 else None


def _sliced(x: Any, axis: int, bounds: Any, more: int) -> tuple[Any, int, int] | None:
    """The operand of a slice that takes everything, or all but some rows of a join that has as many for sure."""
    start, stop, step = bounds
    if bounds in ((None, None, None), (None, None, -1)):
        return x, axis, more
    fixed = all(b is None or isinstance(b, int) for b in bounds)
    if not fixed or step not in (None, 1) or (start or 0) < 0 or (stop or -1) >= 0:
        return None
    lost = (start or 0) - (stop or 0)
    joined = (
        _source(x, axis, 0) if getattr(getattr(x.owner, "op", None), "name", "") == "concatenate" else None
    )
    return (joined[0], joined[1], joined[2] - lost + more) if joined and joined[2] >= lost else None
