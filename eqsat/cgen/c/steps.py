"""The steps of a plan one after the other: kernels, views, blocks, loops; and which of them C can run."""

from __future__ import annotations

from collections.abc import Sequence

from eqsat.cgen.c.block import copy_to, emit_block, emit_view
from eqsat.cgen.c.kernel import KernelWriter
from eqsat.cgen.c.loop import emit_loop
from eqsat.cgen.c.segment import PART, Segment
from eqsat.cgen.c.user_code import emit_user, user_text
from eqsat.cgen.ir.memory import kind_of as declared_kind
from eqsat.graph.core import Variable
from eqsat.graph.plan import Call, Kernel, Loop, Step, reads, writes
from eqsat.graph.tensor_type import TensorType


def kind_of(step: Call) -> str:
    """``view``, ``block``, ``user`` for an op of the user with C text, or ``python``."""
    kind = declared_kind(step)
    return "user" if kind == "python" and user_text(step.apply) else kind


def in_c(step: Step) -> bool:
    """True for a step that C runs: a loop with anything that C cannot do runs in Python as a whole."""
    if isinstance(step, Loop):
        return _tensors([*reads(step), *writes(step), *step.plan.inputs]) and all(
            in_c(inner) and _tensors([*reads(inner), *writes(inner)]) for inner in step.plan.steps
        )
    return isinstance(step, Kernel) or kind_of(step) != "python"


def _tensors(variables: Sequence[Variable]) -> bool:
    return all(isinstance(v.type, TensorType) for v in variables)


def emit_steps(w: Segment, early: int) -> None:
    """Statements of all steps; those after the first ``early`` ones may write into inputs where that is allowed."""
    for now, step in enumerate(w.steps):
        w.now = now
        if now == early:
            copy_outputs(w)
            w.part_done()
            w.delayed = []
        w.unit.new_step()
        _emit(w, step)
        w.free_dead()
        if w.unit.profile:
            w.emit(w.unit.tick())
        if now % PART == PART - 1:
            w.part_done()
    w.now = len(w.steps)


def _emit(w: Segment, step: Step) -> None:
    if isinstance(step, Kernel):
        KernelWriter(w, step).write()
    elif isinstance(step, Loop):
        emit_loop(w, step, emit_steps)
    elif kind_of(step) == "view":
        emit_view(w, step.apply)
    elif kind_of(step) == "user":
        emit_user(w, step.apply)
    else:
        emit_block(w, step.apply)


def copy_outputs(w: Segment) -> None:
    """Copy every output that was not computed in its own memory."""
    done = {k for k, _ in w.direct.values()}
    for k, variable in enumerate(w.outputs):
        if k not in done:
            array = w.array(variable)
            copy_to(w, array, w.output_memory(k, array.n))
