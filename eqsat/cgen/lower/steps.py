"""The steps of a plan one after the other: kernels, views, blocks, loops."""

from __future__ import annotations

from eqsat.cgen.ir.memory import kind_of
from eqsat.cgen.lower.block import copy_to, emit_block, emit_view
from eqsat.cgen.lower.branch import emit_branch
from eqsat.cgen.lower.kernel import KernelWriter
from eqsat.cgen.lower.loop import emit_loop
from eqsat.cgen.lower.printer import Printer
from eqsat.cgen.lower.rows import emit_rows
from eqsat.cgen.lower.segment import PART, Segment
from eqsat.graph.plan import Branch, Kernel, Loop, Plan, Rows, Step


def segment_of(plan: Plan, printer: Printer) -> Segment:
    """A plan that one target runs as a whole; ``parts`` of the segment are its statements."""
    w = Segment(printer, plan.inputs, plan.outputs, plan.steps)
    emit_steps(w, len(w.steps))
    copy_outputs(w)
    w.part_done()
    return w


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
    elif isinstance(step, Branch):
        emit_branch(w, step, emit_steps, copy_outputs)
    elif isinstance(step, Rows):
        emit_rows(w, step, emit_steps, _emit)
    elif kind_of(step) == "view":
        emit_view(w, step.apply)
    elif kind_of(step) == "block":
        emit_block(w, step.apply)
    else:
        w.unit.user(w, step.apply)


def copy_outputs(w: Segment) -> None:
    """Copy every output that was not computed in its own memory."""
    done = {k for k, _ in w.direct.values()}
    for k, variable in enumerate(w.outputs):
        if k not in done:
            array = w.array(variable)
            copy_to(w, array, w.output_memory(k, array.n))
