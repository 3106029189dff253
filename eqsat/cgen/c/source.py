"""A plan becomes one C translation unit: stages in C and in Python, and per C stage one exported table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from eqsat.base.values import dataclass
from eqsat.cgen.c.unit import Unit
from eqsat.cgen.c.user_code import in_c
from eqsat.cgen.ir.meta import Meta, Stage
from eqsat.cgen.ir.updates import updates_last
from eqsat.cgen.lower.segment import Segment
from eqsat.cgen.lower.steps import copy_outputs, emit_steps
from eqsat.graph.core import Apply, Constant, Variable
from eqsat.graph.dtypes import CODE
from eqsat.graph.plan import Kernel, Plan, Rows, Step, reads, writes
from eqsat.graph.tensor_type import TensorType


@dataclass
class Translation:
    """C text, what Python needs to call it, and the applications that run in Python, in order.

    The text begins with declarations and with functions that ops share; ``own`` is the rest.
    """

    source: str
    own: str
    meta: Meta
    opaque: list[Apply] = field(default_factory=list)


def translate(plan: Plan, openmp: bool, profile: bool = False, unit: Unit | None = None) -> Translation:
    """C text of a plan, with a clock around each step if ``profile``; the same plan always gives the same text.

    A target whose host program is C gives a unit of its own.
    """
    unit = unit or Unit(openmp, profile)
    runs = _runs(plan.steps)
    if runs_in_one(plan):
        tables, opaque = _in_one(unit, plan)
    else:
        tables, opaque = _in_stages(unit, plan, runs)
    unit.meta.inputs = [v.type if isinstance(v.type, TensorType) else None for v in plan.inputs]
    unit.meta.opaque = len(opaque)
    first, own = unit.finish(tables)
    return Translation(first + own, own, unit.meta, opaque)


def runs_in_one(plan: Plan) -> bool:
    """True for a plan that C runs from its inputs to its outputs."""
    runs = _runs(plan.steps)
    tensors = all(map(_is_tensor, (*plan.inputs, *plan.outputs)))
    return len(runs) == 1 and isinstance(runs[0], list) and tensors


def _is_tensor(variable: Variable) -> bool:
    return isinstance(variable.type, TensorType)


def _in_one(unit: Unit, plan: Plan) -> tuple[list[str], list[Apply]]:
    """A plan without Python stages: one segment from the inputs to the outputs."""
    meta = unit.meta
    meta.segments = 1
    meta.outputs = [f"o{k}" for k in range(len(plan.outputs))]
    inputs = tuple(f"i{k}" for k in range(len(plan.inputs)))
    meta.stages.append(Stage("c", 0, inputs, tuple(meta.outputs)))
    steps, late, reuse = updates_last(plan)
    return [_segment(unit, plan.inputs, plan.outputs, steps, 0, late, reuse)], []


def _in_stages(unit: Unit, plan: Plan, runs: Sequence[Any]) -> tuple[list[str], list[Apply]]:
    """Segments in C and ops in Python in turn; values cross as arrays."""
    meta, places = unit.meta, _Places(plan, unit.meta)
    tables: list[str] = []
    opaque: list[Apply] = []
    needed = _needed_after(runs, plan.outputs)
    for run, later in zip(runs, needed, strict=True):
        if isinstance(run, Apply):
            meta.stages.append(Stage("python", len(opaque), places.of(run.inputs), places.of(run.outputs)))
            opaque.append(run)
        else:
            inputs, outputs = _borders(run, later)
            meta.stages.append(Stage("c", meta.segments, places.of(inputs), places.of(outputs)))
            tables.append(_segment(unit, inputs, outputs, run, meta.segments))
            meta.segments += 1
    meta.outputs = list(places.of(plan.outputs))
    return tables, opaque


class _Places:
    """Names of values between stages: ``i`` inputs, ``k`` constants, ``v`` values computed."""

    def __init__(self, plan: Plan, meta: Meta) -> None:
        self.meta = meta
        self.names: dict[Variable, str] = {v: f"i{k}" for k, v in enumerate(plan.inputs)}

    def of(self, variables: Sequence[Variable]) -> tuple[str, ...]:
        """Name of each variable, new ones on first sight."""
        return tuple(self.names.get(v) or self._new(v) for v in variables)

    def _new(self, variable: Variable) -> str:
        if isinstance(variable, Constant):
            self.meta.constants.append(variable.data)
            name = f"k{len(self.meta.constants) - 1}"
        else:
            name = f"v{len(self.names)}"
        self.names[variable] = name
        return name


def _runs(steps: Sequence[Step]) -> list[Any]:
    """Steps cut into runs for C (lists) and applications for Python."""
    runs: list[Any] = []
    for step in steps:
        if not isinstance(step, (Kernel, Rows)) and not in_c(step):
            runs.append(step.apply)
        elif runs and isinstance(runs[-1], list):
            runs[-1].append(step)
        else:
            runs.append([step])
    return runs or [[]]


def _needed_after(runs: Sequence[Any], outputs: Sequence[Variable]) -> list[set[Variable]]:
    """Per run, the variables that later runs or the caller read."""
    needed: set[Variable] = set(outputs)
    result = []
    for run in reversed(runs):
        result.append(set(needed))
        needed.update(run.inputs if isinstance(run, Apply) else [v for step in run for v in reads(step)])
    return result[::-1]


def _borders(run: Sequence[Step], needed: set[Variable]) -> tuple[list[Variable], list[Variable]]:
    """Variables that a run reads from outside, and those that it has to hand on."""
    made = [v for step in run for v in writes(step)]
    inside = set(made)
    read = dict.fromkeys(v for step in run for v in reads(step))
    inputs = [v for v in read if v not in inside and not isinstance(v, Constant)]
    return inputs, [v for v in made if v in needed]


def _segment(
    unit: Unit,
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    steps: Sequence[Step],
    number: int,
    late: int = 0,
    reuse: Sequence[int] = (),
) -> str:
    """Statements and table of a segment; its last ``late`` steps write into inputs where that is allowed."""
    w = Segment(unit, inputs, outputs, steps)
    if unit.profile:
        w.emit("eq_tick(-1);")
    emit_steps(w, len(steps) - late)
    if w.delayed is None:
        copy_outputs(w)
    else:
        w.lines += unit.twice(w.delayed)
    if unit.profile:
        w.emit("eq_tick(0);")
    w.part_done()
    return _table(w, number, reuse)


def _table(w: Segment, number: int, reuse: Sequence[int]) -> str:
    """The exported description of a segment, and the function that runs its parts."""
    calls = "".join(f"  if ({name}(c)) return 1;\n" for name in w.parts)
    text = w.unit.run_text(number, calls)  # type: ignore[attr-defined]
    for kind, variables in (("in", w.inputs), ("out", w.outputs)):
        rows = []
        for k, variable in enumerate(variables):
            shape = variable.type.shape  # type: ignore[attr-defined]
            lengths = ", ".join(str(-1 if n is None or kind == "out" else n) for n in shape) or "0"
            text += f"static const int64_t eq_{kind}_{number}_{k}[] = {{{lengths}}};\n"
            rows.append(f"{{{CODE[variable.type.dtype]}, {len(shape)}, eq_{kind}_{number}_{k}}}")  # type: ignore[attr-defined]
        text += f"static const eq_type eq_{kind}_{number}[] = {{{', '.join(rows) or '{0}'}}};\n"
    counts = [len(w.inputs), len(w.outputs), w.table.numbers, w.table.pointers, w.slots.count, int(w.heavy)]
    fields = ", ".join(map(str, counts))
    places = ", ".join(map(str, reuse or [-1] * len(w.outputs))) or "0"
    text += f"static const int64_t eq_reuse_{number}[] = {{{places}}};\n"
    device = ", 1" if w.unit.on_device else ""  # type: ignore[attr-defined]
    return (
        text + f'__attribute__((visibility("default"))) const eq_plan eq_segment_{number} = '
        f"{{{fields}, eq_in_{number}, eq_out_{number}, eq_reuse_{number}, eq_run_{number}{device}}};\n"
    )
