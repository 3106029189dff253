"""C text that an op of the user gives: one function over contiguous arrays of one length."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from eqsat.cgen.c.block_text import block_call
from eqsat.cgen.c.expressions import c_text
from eqsat.cgen.c.operand import CTYPE
from eqsat.cgen.ir.arrays import Array
from eqsat.cgen.ir.expressions import length, ne
from eqsat.cgen.ir.memory import kind_of
from eqsat.cgen.lower.block import BlockWriter, contiguous
from eqsat.cgen.lower.segment import Segment
from eqsat.graph.core import Apply, Variable
from eqsat.graph.operand_names import met_in
from eqsat.graph.plan import Branch, Kernel, Loop, Plan, Rows, Step, reads, writes
from eqsat.graph.tensor_type import TensorType
from eqsat.lengths.message import unequal

_TEXTS: weakref.WeakKeyDictionary[Apply, str] = weakref.WeakKeyDictionary()


def in_c(step: Step) -> bool:
    """True for a step that C runs: a loop or branch with anything that C cannot do runs in Python as a whole."""
    if isinstance(step, Loop):
        return _tensors([*reads(step), *writes(step)]) and _plan_in_c(step.plan)
    if isinstance(step, Branch):
        return _tensors([*reads(step), *writes(step)]) and all(_plan_in_c(side.plan) for side in step.sides)
    return isinstance(step, (Kernel, Rows)) or kind_of(step) != "python" or bool(user_text(step.apply))


def _plan_in_c(plan: Plan) -> bool:
    """True for a plan of which C runs all steps."""
    return _tensors(plan.inputs) and all(
        in_c(step) and _tensors([*reads(step), *writes(step)]) for step in plan.steps
    )


def _tensors(variables: Sequence[Variable]) -> bool:
    return all(isinstance(v.type, TensorType) for v in variables)


def user_text(apply: Apply) -> str:
    """C statements of an op that has ``c_code`` and is ``c_elementwise``; empty where it runs in Python."""
    op: Any = apply.op
    if not getattr(op, "c_elementwise", False) or not hasattr(op, "c_code"):
        return ""
    found = _TEXTS.get(apply)
    if found is None:
        found = _TEXTS[apply] = _text(apply)
    return found


def _text(apply: Apply) -> str:
    op: Any = apply.op
    variables: list[Any] = [*apply.inputs, *apply.outputs]
    if not apply.inputs or not all(isinstance(v.type, TensorType) for v in variables):
        return ""
    if len({v.type.broadcastable for v in variables}) > 1 or any(
        v.type.dtype not in CTYPE for v in variables
    ):
        return ""
    ins, outs = (
        tuple(f"{c}{k}" for k in range(len(vs))) for c, vs in (("x", apply.inputs), ("z", apply.outputs))
    )
    try:
        return str(
            op.c_code(apply, "node", ins, outs, {"n": "n", "fail": "return eq_fail(c, EQ_USER, 0, 0, 0, 0);"})
        )
    except NotImplementedError:
        return ""


def emit_user(w: Segment, apply: Apply) -> None:
    """Statements that check the lengths of the operands, give memory for the results and call the user's text."""
    w.heavy = True
    ins = [contiguous(w, w.array(v), v) for v in apply.inputs]
    _check_lengths(w, apply, ins)
    n = w.settled(apply.outputs[0], ins[0].n)
    arrays = [w.allocate(v, n) for v in apply.outputs]
    writer = BlockWriter(w, apply)
    for name, array, written in [
        *((f"x{k}", a, False) for k, a in enumerate(ins)),
        *((f"z{k}", a, True) for k, a in enumerate(arrays)),
    ]:
        writer.add(array, name, written)
    size = w.lengths.product(ins[0].n)
    writer.emit(f"const int64_t n = {c_text(writer.number(length(size), 'size'))};")
    code = w.unit.error("ArgumentError", f"{apply.op}: its C code failed")
    w.unit.note_operands(lambda: met_in(apply))
    writer.emit(user_text(apply).replace("EQ_USER", str(code)))
    w.emit(block_call(w, "u", writer.run())[0])


def _check_lengths(w: Segment, apply: Apply, ins: list[Array]) -> None:
    """A statement per axis and operand that ends the call where lengths differ."""
    for k, other in enumerate(ins[1:], 1):
        for axis, (a, b) in enumerate(zip(ins[0].n, other.n, strict=True)):
            if w.lengths.find(a) != w.lengths.find(b):
                message = unequal(str(apply.op), axis, 0, k)
                w.unit.note_operands(lambda: met_in(apply))
                m, n = length(a), length(b)
                w.check_code(ne(m, n), w.unit.error("ShapeError", message), m, n)
