"""Plans: the steps that compute a graph, with a plan of its own for the step of each loop."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from eqsat.base.notices import warn_once
from eqsat.functions.constants import with_constants
from eqsat.graph.core import Variable
from eqsat.graph.plan import Call, Loop, Plan, late_rows, plan_as_written
from eqsat.graph.walk import rebuild, toposort
from eqsat.optimise import is_egraph_error, rewritten
from eqsat.pipeline.preparation import prepare, told
from eqsat.pipeline.settings import Settings, model_of


def plan_graph(
    inputs: Sequence[Variable],
    outputs: Sequence[Variable],
    fused: bool,
    model: Any = None,
    without: Collection[str] = (),
    inside: bool = False,
    rounds: bool = True,
) -> Plan:
    """Steps that compute the outputs; fused kernels by the PLAN e-graph, or one step per op.

    ``without`` names what is not done to loops: see ``eqsat.scan.opt``. The plan of what is ``inside`` a loop has no groups.
    Where ``rounds`` is false, steps of loops add in the order as written.
    """
    outputs = in_kernels(outputs)
    if fused:
        from eqsat.extract.plan import make_plan
        from eqsat.extract.rows import grouped

        try:
            plan = make_plan(inputs, outputs, model_of(model))
            plan = with_loops(plan, fused, model, without, inside, rounds)
            if not inside:
                plan.steps = grouped(plan, model_of(model))
            return plan
        except BaseException as error:
            if not is_egraph_error(error):
                raise
            warn_once("plan", f"kernels are not fused: {str(error).splitlines()[0]}")
    plan = plan_as_written(inputs, outputs, toposort(outputs, stop=inputs))
    return with_loops(plan, fused, model, without, inside, rounds)


def in_kernels(outputs: Sequence[Variable]) -> list[Variable]:
    """A graph in which each op that is declared as a graph of ops that kernels compute is that graph."""
    outputs, more = list(outputs), True
    while more:
        new: dict[Variable, Variable] = {}
        more = False
        for node in toposort(outputs):
            inputs = [new.get(v, v) for v in node.inputs]
            written = getattr(getattr(node.op, "declaration", None), "kernels", None)
            if written is not None:
                more = True
                new.update(zip(node.outputs, written(node.op, *inputs), strict=True))
            elif any(a is not b for a, b in zip(inputs, node.inputs, strict=True)):
                new.update(zip(node.outputs, rebuild(node, inputs), strict=True))
        outputs = [new.get(v, v) for v in outputs]
    return outputs


def with_loops(
    plan: Plan,
    fused: bool,
    model: Any = None,
    without: Collection[str] = (),
    inside: bool = False,
    rounds: bool = True,
) -> Plan:
    """The plan with a loop, with its own plan, for each op that repeats a graph, and a branch for each that runs one of two."""
    made: dict[Any, Plan] = {}
    for k, step in enumerate(plan.steps):
        op: Any = step.apply.op if isinstance(step, Call) else None
        if isinstance(step, Call) and hasattr(op, "loop") and op.own_mode is None:
            inner = made.get(op.graph)
            if inner is None:
                outputs = prepare(op.graph.outputs, op.step_mode)
                inner = made[op.graph] = plan_graph(
                    op.graph.inputs, outputs, fused, model, without, inside=True, rounds=rounds
                )
            plan.steps[k] = op.loop(step.apply, inner)
        elif isinstance(step, Call) and hasattr(op, "branch") and op.settings is not None:
            plans = [
                plan_graph(g.inputs, chosen(g.outputs, op.settings), fused, model, without, inside, rounds)
                for g in op.graphs
            ]
            plan.steps[k] = op.branch(step.apply, plans)
    loops = [step for step in plan.steps if isinstance(step, Loop)]
    if loops and fused:
        from eqsat.extract.loop_forms import forms_of

        for loop in loops:
            loop.forms = forms_of(loop, model_of(model))
    late = late_rows(plan, {s.result for loop in loops for s in loop.states})
    for loop in loops:
        loop.in_place, loop.rounds = "in-place" not in without, rounds
        if "save-memory" not in without:
            loop.states = [replace(s, late=late.get(s.result)) for s in loop.states]
    return plan


def chosen(outputs: Sequence[Variable], settings: Settings) -> list[Variable]:
    """The graph that is compiled for one inside an op, under the settings of the op."""
    prepared = prepare(outputs, settings)
    if not settings.mode.rewrite:
        return prepared
    return with_constants(told(rewritten(prepared, settings).optimized, settings))
