"""The steps of a plan as a graph to draw: each is an application that holds the ops that it computes, with its price."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eqsat.base.units import time_text
from eqsat.extract.step_costs import is_window, step_cost
from eqsat.graph.core import Apply, Constant, Op, Variable
from eqsat.graph.inner_graphs import Inside, Port, insides
from eqsat.graph.plan import Compute, Kernel, Literal, Load, Pick, Plan, Rows, Step, reads, seen_type, writes
from eqsat.graph.tensor_type import TensorType
from eqsat.inspect.planned_step import short_bytes


class DrawnStep(Op):
    """A step of a plan in a drawing, with the graphs that it holds; ``detail`` says its seconds and bytes."""

    def __init__(self, name: str, detail: str, graphs: Sequence[Inside]) -> None:
        self.name, self.detail, self.graphs = name, detail, graphs

    def __str__(self) -> str:
        return self.name

    def insides(self, node: Apply) -> list[Inside]:
        """The graphs that the step holds."""
        return list(self.graphs)


def step_graph(plan: Plan, model: Any, shape: Any) -> list[Variable]:
    """The outputs of a plan, as variables that applications of its steps compute; ``shape`` gives lengths to price them with."""
    return _Drawn(model, shape).outputs(plan)


class _Drawn:
    """Makes the applications."""

    def __init__(self, model: Any, shape: Any) -> None:
        self.model, self.shape = model, shape

    def outputs(self, plan: Plan) -> list[Variable]:
        drawn: dict[Any, Variable] = {}
        self.add(plan.steps, drawn)
        return [drawn.get(v, v) for v in plan.outputs]

    def add(self, steps: Sequence[Step], drawn: dict[Any, Variable]) -> None:
        """Applications for steps; ``drawn`` has for a variable of the plan the one that stands for it."""
        for step in steps:
            ins, outs = _operands(step), writes(step)
            operands = [drawn.setdefault(v, _leaf(v)) for v in ins]
            made = [Variable(v.type, name=v.name) for v in outs]
            Apply(self._op(step, ins, outs), operands, made)
            drawn.update(zip(outs, made, strict=True))

    def _op(self, step: Step, ins: Sequence[Any], outs: Sequence[Any]) -> Any:
        if isinstance(step, Kernel):
            return DrawnStep("kernel", self._price(step), [_inside(ins, outs, *_of_kernel(step))])
        if isinstance(step, Rows):
            inner = {v: _like(v) for v in ins}
            drawn = dict(inner)
            self.add(step.members, drawn)
            return DrawnStep("rows", self._price(step), [_inside(ins, outs, inner, drawn)])
        if is_window(step.apply.op):
            return step.apply.op
        return DrawnStep(str(step.apply.op), self._price(step), insides(step.apply))

    def _price(self, step: Step) -> str:
        cost = step_cost(step, self.model, self.shape)
        return f"{time_text(cost.seconds)}, {short_bytes(cost.read)} → {short_bytes(cost.written)}"


def _operands(step: Step) -> list[Any]:
    """The variables that a step reads; those of an op in its order."""
    return list(dict.fromkeys(reads(step))) if isinstance(step, (Kernel, Rows)) else step.apply.inputs


def _like(v: Any) -> Variable:
    """A variable that stands for one inside a step."""
    return v if isinstance(v, Constant) else Variable(v.type, name=v.name)


def _leaf(v: Any) -> Variable:
    """A variable that no drawn step computes: as it is, or one like it where a step that is not drawn does."""
    return v if v.owner is None else Variable(v.type, name=v.name)


def _inside(ins: Sequence[Any], outs: Sequence[Any], inner: Any, drawn: Any) -> Inside:
    """A graph inside a step: ports for what it reads, and for what it writes."""
    kept = [(k, v) for k, v in enumerate(ins) if not isinstance(v, Constant)]
    return Inside(
        "",
        tuple(Port(inner[v], v.name or "", k, "read") for k, v in kept),
        tuple(Port(drawn[v], v.name or "", k, "written") for k, v in enumerate(outs)),
    )


def _of_kernel(kernel: Kernel) -> tuple[dict[Any, Variable], dict[Any, Variable]]:
    """The ops of a kernel: variables for what it reads, and for its results."""
    inner = {v: _like(v) for v in reads(kernel)}
    values: list[Any] = []
    for e in kernel.expressions:
        values.append(_value(e, inner, values))
    drawn = {}
    for r in kernel.results:
        folded = None if r.reduce is None else _made(r.reduce, [values[r.root]], r.variable.type)
        drawn[r.variable] = values[r.root] if folded is None else folded
    return inner, drawn


def _made(op: Any, operands: Sequence[Any], kind: Any) -> Variable:
    """The result of an op in a drawing."""
    return Apply(getattr(op, "op", op), operands, [Variable(kind)]).outputs[0]


def _value(e: Any, inner: dict[Any, Variable], values: Sequence[Any]) -> Variable:
    """An expression of a kernel as a variable that an op computes."""
    if isinstance(e, Literal):
        return Constant(TensorType(e.dtype, ()), np.asarray(e.value, e.dtype))
    if isinstance(e, Load):
        return _seen(inner[e.variable], e.views)
    if isinstance(e, Pick):
        return _seen(_made(e.apply, [inner[v] for v in e.apply.inputs], e.apply.outputs[0].type), e.views)
    args = [values[a] for a in e.args]
    return _made(
        e if isinstance(e, Compute) else e.apply,
        args,
        TensorType(e.dtype, _common(args)) if isinstance(e, Compute) else e.apply.outputs[0].type,
    )


def _seen(v: Variable, views: Sequence[Any]) -> Variable:
    """A variable through views."""
    for view in views:
        v = _made(view, [v], seen_type(Load(v, (view,))))
    return v


def _common(args: Sequence[Any]) -> tuple[int | None, ...]:
    """The lengths of an elementwise result."""
    most = max((len(v.type.shape) for v in args), default=0)
    shapes = [(1,) * (most - len(v.type.shape)) + tuple(v.type.shape) for v in args]
    return tuple(next((n for n in lengths if n != 1), 1) for lengths in zip(*shapes, strict=True))
